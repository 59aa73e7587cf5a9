#include <algorithm>
#include <cstdint>

#include "models/applications/qr_formulas.hpp"
#include "simulator/tasks/graph/task_formulas.hpp"

namespace factosim {

namespace {

/// Appends a binary tree: neighbours, neighbours among the remaining rows, ...
void eliminate_in_pairs(std::vector<int> const& rows, std::vector<Elimination>& out) {
  for (std::size_t distance = 1; distance < rows.size(); distance *= 2)
    for (std::size_t i = 0; i + distance < rows.size(); i += 2 * distance)
      out.push_back({rows[i], rows[i + distance], true});
}

/// The same tasks as formulas, with a table of the rows of each iteration. Tile (m, n) has in each iteration up to min(m, n)
/// the task that makes it triangular or updates it so, if there is one, and, unless it is in the row that remains, the
/// elimination or update of which it is the lower tile. Between the two, and after the iteration of its own row, the
/// tile is passed down its column, by the eliminations of other rows with its own.
class QrFormulas final : public TaskFormulas {
 public:
  QrFormulas(ApplicationParameters const& p, std::string const& tree, TileMap const& map)
      : nt_(p.nt), iterations_(computed_iterations(p)), pair_kernel_(tree == "nodes" ? 4 : 2) {
    for (int k = iterations_.first; k < iterations_.end; ++k) {
      Reduction const reduction = reduction_of(tree, nt_, map, k);
      first_row_.push_back(rows_.size());
      begin_.push_back(task_count());
      rows_.resize(rows_.size() + count(nt_ - k));
      std::uint16_t order = 0;
      for (int const m : reduction.triangular) {
        row(k, m).order = order++;
        row(k, m).reflectors = static_cast<std::uint32_t>(triangular_.size());
        triangular_.push_back({k, m});
      }
      for (Elimination const& e : reduction.eliminations) add(k, e, order++);
      tasks_ += order * count(nt_ - k);
    }
  }

  [[nodiscard]] std::uint64_t task_count() const override { return tasks_; }
  [[nodiscard]] int line_count() const override { return nt_; }
  [[nodiscard]] bool passes_tiles() const override { return true; }
  [[nodiscard]] HandleId updated_tile(int m, int n) const override { return HandleId{m * nt_ + n}; }

  [[nodiscard]] std::uint32_t last_version(HandleId tile) const override {
    if (is_reflectors(tile)) return 0;
    auto const [m, n] = place(tile);
    std::uint32_t const iterations = iterations_.count_until(std::min(m, n));
    return iterations > 0 && m <= n && m < iterations_.end ? (iterations - 1) * stride() + 1
                                                           : iterations * stride();
  }

  [[nodiscard]] FormulaTask task(HandleId tile, std::uint32_t version) const override {
    auto const [m, n] = place(tile);
    std::uint32_t const start = version / stride() * stride();  // version at the beginning of the iteration
    int const k = iterations_.first + static_cast<int>(version / stride());
    Row const& r = row(k, m);
    bool const in_column = n == k;
    FormulaTask out{.priority = 3 * nt_ - (k + m + n), .indices = {k, m, n}};
    if (version == start && r.is_triangular()) {
      out.kernel = in_column ? 0 : 1;
      out.last = m == k;
      out.passed_on = r.first_below > 0;
      out.written = start + 1;
      out.position = position(k, r.order, n);
      out.writes_back = in_column && m == k && r.first_below == 0;
      HandleId const reflectors{count(nt_) * count(nt_) + r.reflectors};
      if (in_column) {
        out.passed = reflectors;
        out.passed_access = Access::write;
        out.passed_written = 1;
      } else {
        out.inputs[out.input_count++] = reflectors;
      }
      return out;
    }
    out.kernel = static_cast<std::uint16_t>((r.joins_triangles ? pair_kernel_ : 2) + (in_column ? 0 : 1));
    out.last = in_column || k + 1 == iterations_.end;
    out.written = start + stride();
    out.position = position(k, r.elimination, n);
    out.writes_back = in_column && r.above == k && r.next_below == 0;
    if (!in_column) out.inputs[out.input_count++] = updated_tile(m, k);
    out.passed = updated_tile(r.above, n);
    out.passed_version = start + (r.previous_below > 0 ? after(r.previous_below) : 1);
    out.passed_written = start + after(m);
    return out;
  }

  [[nodiscard]] TileReaders readers(HandleId handle, std::uint32_t version) const override {
    if (is_reflectors(handle)) {
      auto const [k, m] = triangular_[handle.index() - count(nt_) * count(nt_)];
      return in_row(k, m, count32(k - iterations_.first) * stride());
    }
    auto const [m, n] = place(handle);
    int const k = iterations_.first + static_cast<int>(version / stride());
    if (version == last_version(handle) && m > n && iterations_.contains(n))
      return in_row(n, m, version - stride() + row(n, m).before_elimination());
    if (k >= iterations_.end || k > std::min(m, n)) return {};
    std::uint32_t const written = version % stride(), start = version - written;
    Row const& r = row(k, m);
    if (written == 0) return {.version = version, .taker = handle};
    if (int const below = written == 1 ? r.first_below : row(k, static_cast<int>(written) - 2).next_below;
        below > 0)
      return {.version = start + row(k, below).before_elimination(), .taker = updated_tile(below, n)};
    if (m == k) return {};
    return {.version = version, .taker = handle};
  }

 private:
  /// The part of a row in an iteration. Rows of other tasks: 0 for none, which is never below.
  struct Row {
    static constexpr std::uint16_t none = 0xffff;

    std::uint16_t order = none;                     // of its geqrt among the operations of the iteration
    std::uint16_t elimination = none;               // the same of the elimination where it is below
    std::uint16_t above = 0;                        // the other row of that
    std::uint16_t previous_below = 0;               // row that the other one has eliminated before
    std::uint16_t next_below = 0;                   // after
    std::uint16_t first_below = 0, last_below = 0;  // rows that it eliminates
    bool joins_triangles = false;
    std::uint32_t reflectors = 0;  // number of what geqrt creates

    [[nodiscard]] bool is_triangular() const { return order != none; }
    /// Returns the version of its tiles before the elimination of the row, from the beginning of the iteration.
    [[nodiscard]] std::uint32_t before_elimination() const {
      return last_below > 0 ? after(last_below) : is_triangular() ? 1 : 0;
    }
  };
  struct Place {
    int m, n;
  };
  struct Geqrt {
    int k, m;
  };

  /// Returns the version of the upper tile after the elimination of a row, from the beginning of the iteration: 0 is that of
  /// the beginning, 1 that after geqrt or unmqr.
  [[nodiscard]] static std::uint32_t after(int below) { return count32(below) + 2; }
  /// Versions of an iteration.
  [[nodiscard]] std::uint32_t stride() const { return count32(nt_) + 2; }

  void add(int k, Elimination const& e, std::uint16_t order) {
    auto const number = [](int m) { return static_cast<std::uint16_t>(m); };
    Row& above = row(k, e.above);
    Row& below = row(k, e.below);
    below.elimination = order;
    below.above = number(e.above);
    below.previous_below = above.last_below;
    below.joins_triangles = e.triangles;
    if (above.last_below > 0)
      row(k, above.last_below).next_below = number(e.below);
    else
      above.first_below = number(e.below);
    above.last_below = number(e.below);
  }

  [[nodiscard]] static std::uint32_t count32(int number) { return static_cast<std::uint32_t>(number); }
  [[nodiscard]] Row& row(int k, int m) {
    return rows_[first_row_[count(k - iterations_.first)] + count(m - k)];
  }
  [[nodiscard]] Row const& row(int k, int m) const {
    return rows_[first_row_[count(k - iterations_.first)] + count(m - k)];
  }
  [[nodiscard]] bool is_reflectors(HandleId handle) const {
    return handle.index() >= count(nt_) * count(nt_);
  }
  [[nodiscard]] Place place(HandleId tile) const {
    auto const number = static_cast<int>(tile.value());
    return {number / nt_, number % nt_};
  }
  /// Returns the tasks of iteration k in a row, right of its column.
  [[nodiscard]] TileReaders in_row(int k, int m, std::uint32_t version) const {
    TileReaders out{.version = version};
    out.runs[out.run_count++] = {.kind = TileLine::row, .line = m, .first = k + 1, .end = nt_};
    return out;
  }
  [[nodiscard]] std::uint64_t position(int k, std::uint16_t order, int n) const {
    return begin_[count(k - iterations_.first)] + order * count(nt_ - k) + count(n - k);
  }

  int nt_;
  IterationRange iterations_;
  int pair_kernel_;                     // number of ttqrt
  std::vector<std::size_t> first_row_;  // [iterations] into `rows_`
  std::vector<Row> rows_;               // [iterations][rows from the diagonal on]
  std::vector<Geqrt> triangular_;       // by number of what they create
  std::vector<std::uint64_t> begin_;    // [iterations] tasks before
  std::uint64_t tasks_ = 0;
};

}  // namespace

Reduction reduction_of(std::string const& tree, int nt, TileMap const& map, int k) {
  Reduction out;
  if (tree == "binary") {
    for (int m = k; m < nt; ++m) out.triangular.push_back(m);
    eliminate_in_pairs(out.triangular, out.eliminations);
    return out;
  }
  std::vector<NodeId> nodes;  // owners of the triangular rows
  for (int m = k; m < nt; ++m) {
    NodeId const node = tree == "nodes" && map.mt > 0 ? map.at(m, k) : NodeId{0};
    auto const head = std::find(nodes.begin(), nodes.end(), node) - nodes.begin();
    if (head == static_cast<std::ptrdiff_t>(nodes.size())) {
      nodes.push_back(node);
      out.triangular.push_back(m);
    } else {
      out.eliminations.push_back({out.triangular[static_cast<std::size_t>(head)], m, false});
    }
  }
  eliminate_in_pairs(out.triangular, out.eliminations);
  return out;
}

std::unique_ptr<TaskFormulas> make_qr_formulas(ApplicationParameters const& p, std::string const& tree,
                                               TileMap const& map) {
  return std::make_unique<QrFormulas>(p, tree, map);
}

}  // namespace factosim
