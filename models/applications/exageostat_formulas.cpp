#include "models/applications/exageostat_formulas.hpp"

#include <algorithm>
#include <utility>

#include "models/applications/cholesky.hpp"
#include "simulator/tasks/graph/task_formulas.hpp"

namespace factosim {

ExageostatData::ExageostatData(int nt, bool local_solve, TileMap map) : nt_(nt), map_(std::move(map)) {
  HandleId next = z(nt);
  auto const add = [&] { return std::exchange(next, HandleId{next.index() + 1}); };
  accumulators_.resize(static_cast<std::size_t>(nt));
  for (int m = 1; m < nt && local_solve; ++m) {
    auto& of_row = accumulators_[static_cast<std::size_t>(m)];
    for (int k = 0; k < m; ++k)
      if (std::ranges::find(of_row, owner(m, k), &Accumulator::node) == of_row.end())
        of_row.push_back({owner(m, k), add(), k});
  }
  for (int k = 0; k < nt; ++k)
    for (NodeId const node : {owner(k, k), owner(k, 0)}) {
      if (std::ranges::find(scalars_, node, &Scalars::node) != scalars_.end()) continue;
      HandleId const determinant = add();
      scalars_.push_back({node, determinant, add()});
    }
  for (std::size_t i = 0; i < scalars_.size(); ++i) {
    std::size_t const node = scalars_[i].node.index();
    place_of_node_.resize(std::max(place_of_node_.size(), node + 1));
    place_of_node_[node] = i;
  }
}

ExageostatData::Accumulator const& ExageostatData::accumulator(int m, int k) const {
  return *std::ranges::find(accumulators(m), owner(m, k), &Accumulator::node);
}

int exageostat_priority(int nt, TaskIndices const& task) {
  return 3 * (nt - task.k) - (task.m - task.k) - (task.n - task.k);
}

namespace {

/// Numbers of kernels.
enum : std::uint16_t { dcmg, potrf, mdet = 5, trsv, gemv, geadd, dot };

/// The tasks of an iteration as formulas. A tile has that which generates it, in version 0, and one of each step of the
/// factorization up to its column. Versions of accumulators, scalars, and of z in Chameleon's solve are columns; z of the
/// local solve has the accumulators of its row, and the trsv.
class ExageostatFormulas final : public TaskFormulas {
 public:
  ExageostatFormulas(ApplicationParameters const& p, ExageostatOptions const& options, TileMap const& map)
      : nt_(p.nt),
        options_(options),
        data_(p.nt, options.local_solve, map),
        cholesky_(cholesky_formulas(p)),
        tiles_(count(nt_) * count(nt_ + 1) / 2) {
    place_data();
    place_rows();
    std::uint64_t begin = 0;
    for (int sum = 0; sum <= 2 * (nt_ - 1); ++sum) {
      diagonal_begin_.push_back(begin);
      begin += count(sum / 2 - first_column(sum) + 1);
    }
    determinant_begin_ = tiles_ + cholesky_->task_count();
    begin = determinant_begin_ + count(nt_);
    for (int k = 0; k < nt_; ++k) {
      parts_.push_back(tiles_ + cholesky_->task_count() - sum_of_triangles(count(nt_ - k)));
      solve_begin_.push_back(begin);
      begin += 1 + count(nt_ - 1 - k);
      if (k + 1 < nt_) begin += data_.accumulators(k + 1).size();
    }
    dot_begin_ = begin;
    parts_.insert(parts_.end(), solve_begin_.begin(), solve_begin_.end());
  }

  [[nodiscard]] std::uint64_t task_count() const override {
    return (dot_begin_ + count(nt_)) * static_cast<std::uint64_t>(options_.iterations);
  }
  [[nodiscard]] std::uint32_t repetitions() const override {
    return static_cast<std::uint32_t>(options_.iterations);
  }
  [[nodiscard]] std::vector<std::uint64_t> barriers() const override {
    std::vector<std::uint64_t> out;
    std::uint64_t const length = dot_begin_ + count(nt_);
    for (std::uint64_t begin = 0; begin < task_count(); begin += length) {
      if (begin > 0) out.push_back(begin);
      if (!options_.is_asynchronous) out.push_back(begin + tiles_);
      if (options_.waits_after_each_phase) out.push_back(begin + determinant_begin_);
      if (!options_.is_asynchronous) out.push_back(begin + flush_position());
      if (options_.waits_after_each_phase) out.push_back(begin + dot_begin_);
    }
    return out;
  }
  [[nodiscard]] std::uint64_t flush_position() const override { return solve_begin_.front(); }
  [[nodiscard]] std::span<std::uint64_t const> parts() const override { return parts_; }
  [[nodiscard]] int line_count() const override { return nt_; }
  [[nodiscard]] HandleId updated_tile(int m, int n) const override { return cholesky_->updated_tile(m, n); }
  [[nodiscard]] bool has_products() const override { return true; }
  [[nodiscard]] HandleId product_tile(int m, int n) const override {
    if (n >= m) return {};
    return options_.local_solve ? data_.accumulator(m, n).handle : data_.z(m);
  }
  [[nodiscard]] bool versions_have_gaps() const override { return true; }

  [[nodiscard]] std::uint32_t first_version(HandleId tile) const override {
    return is_tile(tile) || is_z(tile) ? 0 : columns(tile).front();
  }
  [[nodiscard]] std::uint32_t next_version(HandleId tile, std::uint32_t version) const override {
    if (is_tile(tile) || is_z(tile)) return version + 1;
    auto const next = std::ranges::upper_bound(columns(tile), version);
    return next == columns(tile).end() ? version + 1 : *next;
  }
  [[nodiscard]] std::uint32_t last_version(HandleId tile) const override {
    if (is_tile(tile)) return 1 + cholesky_->last_version(tile);
    if (is_z(tile)) return additions(row_of_z(tile)) + 1;
    return columns(tile).empty() ? 0 : columns(tile).back() + 1U;
  }

  [[nodiscard]] FormulaTask task(HandleId tile, std::uint32_t version) const override {
    if (is_tile(tile)) return version == 0 ? generation(tile) : factorization(tile, version);
    if (is_z(tile)) return of_z(row_of_z(tile), version);
    return of_chain(tile, static_cast<int>(version));
  }

  [[nodiscard]] TileReaders readers(HandleId handle, std::uint32_t version) const override {
    if (is_tile(handle)) return of_tile(handle, version);
    TileReaders out;
    if (is_z(handle)) {
      int const k = row_of_z(handle);
      out.version = column(k);
      out.runs[out.run_count++] = {.kind = TileLine::products, .line = k, .first = k + 1, .end = nt_};
      add_single(out, data_.scalars_of(data_.owner(k, 0)).dot, column(k));
    } else if (Chain const& chain = chain_of(handle); chain.kernel == gemv) {
      add_single(out, data_.z(chain.row), chain.number);
    }
    return out;
  }

 private:
  /// The tasks of an accumulator or a scalar: one for each of its columns.
  struct Chain {
    std::uint16_t kernel;
    int row = 0;               // of an accumulator
    std::uint32_t number = 0;  // of that among those of the row
    std::vector<std::uint16_t> columns{};
  };

  void place_rows() {
    places_.reserve(tiles_);
    for (int m = 0; m < nt_; ++m)
      for (int n = 0; n <= m; ++n)
        places_.push_back({static_cast<std::uint16_t>(m), static_cast<std::uint16_t>(n)});
  }
  void place_data() {
    for (int m = 0; m < nt_; ++m)
      for (std::size_t i = 0; i < data_.accumulators(m).size(); ++i)
        chains_.push_back({.kernel = gemv, .row = m, .number = static_cast<std::uint32_t>(i)});
    for (std::size_t i = 0; i < data_.scalars().size(); ++i) {
      chains_.push_back({.kernel = mdet});
      chains_.push_back({.kernel = dot});
    }
    auto const add = [&](HandleId chain, int k) {
      chains_[chain_number(chain)].columns.push_back(static_cast<std::uint16_t>(k));
    };
    for (int k = 0; k < nt_; ++k) {
      add(data_.scalars_of(data_.owner(k, k)).determinant, k);
      add(data_.scalars_of(data_.owner(k, 0)).dot, k);
      for (int m = k + 1; m < nt_ && options_.local_solve; ++m) add(data_.accumulator(m, k).handle, k);
    }
  }

  [[nodiscard]] bool is_tile(HandleId handle) const { return handle.index() < tiles_; }
  [[nodiscard]] bool is_z(HandleId handle) const { return handle.index() < tiles_ + count(nt_); }
  [[nodiscard]] int row_of_z(HandleId handle) const { return static_cast<int>(handle.index() - tiles_); }
  [[nodiscard]] std::size_t chain_number(HandleId handle) const {
    return handle.index() - tiles_ - count(nt_);
  }
  [[nodiscard]] Chain const& chain_of(HandleId handle) const { return chains_[chain_number(handle)]; }
  [[nodiscard]] std::vector<std::uint16_t> const& columns(HandleId handle) const {
    return chain_of(handle).columns;
  }
  [[nodiscard]] static std::uint32_t column(int k) { return static_cast<std::uint32_t>(k); }
  /// Number of tasks on z(m) before the trsv.
  [[nodiscard]] std::uint32_t additions(int m) const {
    return options_.local_solve ? static_cast<std::uint32_t>(data_.accumulators(m).size()) : column(m);
  }
  /// Of the tiles (m, n) with that m + n.
  [[nodiscard]] int first_column(int sum) const { return std::max(0, sum - (nt_ - 1)); }
  [[nodiscard]] int priority(int by_equation) const { return options_.all_priorities ? by_equation : 0; }

  [[nodiscard]] FormulaTask generation(HandleId tile) const {
    auto const [m, n] = places_[tile.index()];
    int const sum = m + n;
    std::uint64_t const position = options_.ordered_generation
                                       ? diagonal_begin_[count(sum)] + count(n - first_column(sum))
                                       : count(n) * count(2 * nt_ - n + 1) / 2 + count(m - n);
    return {.kernel = dcmg,
            .access = Access::write,
            .priority = priority(3 * nt_ - (n + m) / 2),
            .indices = {0, m, n},
            .position = position};
  }
  [[nodiscard]] FormulaTask factorization(HandleId tile, std::uint32_t version) const {
    FormulaTask out = cholesky_->task(tile, version - 1);
    out.kernel = static_cast<std::uint16_t>(out.kernel + potrf);
    out.position += tiles_;
    if (options_.all_priorities) out.priority = exageostat_priority(nt_, out.indices);
    return out;
  }
  [[nodiscard]] FormulaTask of_z(int m, std::uint32_t version) const {
    bool const is_trsv = version == additions(m);
    int const k = is_trsv ? m : options_.local_solve ? m - 1 : static_cast<int>(version);
    FormulaTask out{.kernel = is_trsv                ? std::uint16_t{trsv}
                              : options_.local_solve ? std::uint16_t{geadd}
                                                     : std::uint16_t{gemv},
                    .last = is_trsv,
                    .priority = priority(2 * (nt_ - k)),
                    .indices = {nt_, m, k},
                    .position = solve_begin_[count(k)]};
    if (!is_trsv && options_.local_solve) {
      out.position += 1 + count(nt_ - 1 - k) + version;
      out.inputs[out.input_count++] = data_.accumulators(m)[version].handle;
      return out;
    }
    out.reads_flushed = true;
    out.inputs[out.input_count++] = updated_tile(m, k);
    if (is_trsv) return out;
    out.priority = priority(2 * (nt_ - k) - m);
    out.position += count(m - k);
    out.inputs[out.input_count++] = data_.z(k);
    return out;
  }
  [[nodiscard]] FormulaTask of_chain(HandleId handle, int k) const {
    Chain const& chain = chain_of(handle);
    FormulaTask out{.kernel = chain.kernel,
                    .last = chain.columns.back() == k,
                    .indices = {nt_, k, k},
                    .position = (chain.kernel == mdet ? determinant_begin_ : dot_begin_) + count(k),
                    .input_count = 1};
    if (chain.kernel == mdet) out.inputs[0] = updated_tile(k, k);
    if (chain.kernel == dot) out.inputs[0] = data_.z(k);
    if (chain.kernel != gemv) return out;
    int const m = chain.row;
    if (chain.columns.front() == k) out.access = Access::write;
    out.priority = priority(2 * (nt_ - k) - m);
    out.indices.m = m;
    out.position = solve_begin_[count(k)] + count(m - k);
    out.inputs = {updated_tile(m, k), data_.z(k)};
    out.input_count = 2;
    return out;
  }

  static void add_single(TileReaders& out, HandleId tile, std::uint32_t version, bool after_flush = false) {
    out.singles[out.single_count++] = {tile, version, after_flush};
  }
  [[nodiscard]] TileReaders of_tile(HandleId tile, std::uint32_t version) const {
    auto const [m, k] = places_[tile.index()];
    TileReaders out = cholesky_->readers(tile, version);
    ++out.version;
    if (m == k) {
      add_single(out, data_.scalars_of(data_.owner(k, k)).determinant, k);
      add_single(out, data_.z(k), additions(k), true);
    } else {
      add_single(out, product_tile(m, k), k, true);
    }
    return out;
  }

  struct Place {
    std::uint16_t m, n;
  };

  int nt_;
  ExageostatOptions options_;
  ExageostatData data_;
  std::unique_ptr<TaskFormulas> cholesky_;
  std::uint64_t tiles_;
  std::vector<Place> places_;                  // [tiles]
  std::vector<Chain> chains_;                  // [accumulators and scalars]
  std::vector<std::uint64_t> diagonal_begin_;  // [m + n] generated tiles before
  std::vector<std::uint64_t> solve_begin_;     // [nt] tasks before
  std::uint64_t determinant_begin_ = 0, dot_begin_ = 0;
  std::vector<std::uint64_t> parts_;  // steps of the factorization, then of the solve
};

}  // namespace

std::unique_ptr<TaskFormulas> make_exageostat_formulas(ApplicationParameters const& p,
                                                       ExageostatOptions const& options, TileMap const& map) {
  return std::make_unique<ExageostatFormulas>(p, options, map);
}

}  // namespace factosim
