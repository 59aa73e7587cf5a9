#include <algorithm>
#include <map>

#include "simulator/audit/reference/reference_cholesky.hpp"

namespace factosim::audit {

namespace {

struct LikelihoodKernels {
  enum : std::int32_t { dcmg, potrf, trsm, syrk, gemm, mdet, trsv, gemv, geadd, dot };
};

/// Iterations of ExaGeoStat's likelihood on the lower triangle of M and the vector z: generation, Cholesky,
/// determinant, triangular solve, dot product. In iteration i > 0 a task that overwrites data follows the readers
/// of the iteration before:
///
///   dcmg(m, n)    after the readers of M(m, n): m > n: syrk(n, m), gemm(n, m, l), gemm(n, l, m), gemv(m, n);
///                 m = n: trsm(m, l), mdet(m), trsv(m)
///   mdet(k)       after potrf(k), and the mdet before on its node
///   trsv(k)       after potrf(k), and the last task that added to z(k)
///   gemv(m, k)    after trsm(k, m), trsv(k), and the task before on its sum: z(m), or the node's accumulator of
///                 row m (Algorithm 1), which the first of them overwrites
///   geadd(k+1)    after the last gemv into the accumulator, and the geadd before on z(k+1)
///   dot(k)        after trsv(k), and the dot before on its node
///
/// Source: Nesi, Legrand, Schnorr, ICPP 2021: figure 1, Algorithm 1, equations 2 to 11.
class Likelihood : LikelihoodKernels {
 public:
  Likelihood(ReferenceProblem const& p, TileMap const& map, ReferenceFormats const* formats,
             ReferenceSink& sink)
      : p_(p),
        formats_(formats),
        map_(map),
        sink_(sink),
        nt_(p.nt),
        all_priorities_(p.key("priorities") == "all"),
        local_(p.key("solve") == "local") {}

  void submit() {
    bool const full = p_.key("asynchronous") == "full", none = p_.key("asynchronous") == "none";
    int const iterations = p_.keys.value("iterations", 1);
    for (iteration_ = 0; iteration_ < iterations; ++iteration_) {
      if (iteration_ > 0) sink_.barrier();
      generate();
      if (!full) sink_.barrier();
      factorization().submit(sink_);
      if (none) sink_.barrier();
      for (int k = 0; k < nt_; ++k)
        scalar_task(mdet, "determinant", {.m = k, .n = k}, factorization().factor(k), map_.at(k, k), k);
      if (!full) sink_.barrier();
      sink_.flush_cache();
      solve();
      if (none) sink_.barrier();
      for (int k = 0; k < nt_; ++k) scalar_task(dot, "dot", z(k), name(trsv, nt_, k, k), map_.at(k, 0), k);
    }
  }

 private:
  [[nodiscard]] ReferenceCholesky factorization() const {
    return {.nt = nt_,
            .potrf = potrf,
            .first_writer = dcmg,
            .equations = all_priorities_,
            .iteration = iteration_,
            .phase = "factorization",
            .formats = formats_};
  }
  [[nodiscard]] TaskName name(std::int32_t kernel, int k, int m, int n) const {
    return {kernel, k, m, n, iteration_};
  }
  /// The task of that name in the iteration before.
  [[nodiscard]] static TaskName before(TaskName task) {
    --task.iteration;
    return task;
  }
  [[nodiscard]] Datum z(int m) const {
    return {.kind = DataKind::vector, .m = m, .n = 0, .node = map_.at(m, 0)};
  }
  [[nodiscard]] int priority(int of_equation) const { return all_priorities_ ? of_equation : 0; }

  void send(TaskName const& of, int priority_if_all, std::string_view phase,
            std::vector<std::pair<Datum, Access>> uses, std::vector<TaskName> after) {
    sink_.task({.name = of,
                .priority = priority(priority_if_all),
                .uses = std::move(uses),
                .after = std::move(after),
                .phase = phase,
                .placement = of.kernel == dcmg ? std::size_t{1} : 0});
  }

  void generate() {
    std::vector<std::pair<int, int>> order;  // (m, n): columns, or antidiagonals
    if (p_.key("generation_order") == "columns") {
      for (int n = 0; n < nt_; ++n)
        for (int m = n; m < nt_; ++m) order.emplace_back(m, n);
    } else {
      for (int d = 0; d < 2 * nt_ - 1; ++d)
        for (int n = std::max(0, d - nt_ + 1); 2 * n <= d; ++n) order.emplace_back(d - n, n);
    }
    for (auto const& [m, n] : order)
      send(name(dcmg, 0, m, n), 3 * nt_ - (m + n) / 2, "generation", {{{.m = m, .n = n}, Access::write}},
           iteration_ > 0 ? last_readers(m, n) : std::vector<TaskName>());
  }

  /// The readers of the factorized tile in the iteration before.
  [[nodiscard]] std::vector<TaskName> last_readers(int m, int n) const {
    std::vector<TaskName> out;
    auto const add = [&](TaskName const& task) { out.push_back(before(task)); };
    for (TaskName const& reader : factorization().readers(m, n, std::nullopt)) add(reader);
    if (m == n) {
      add(name(mdet, nt_, m, m));
      add(name(trsv, nt_, m, m));
    } else {
      add(name(gemv, nt_, m, n));
    }
    return out;
  }

  /// mdet or dot: adds to the scalar of its node.
  void scalar_task(std::int32_t kernel, std::string_view phase, Datum const& input, TaskName const& writer,
                   NodeId node, int k) {
    TaskName const own = name(kernel, nt_, k, k);
    std::vector<TaskName> after{writer};
    if (auto const last = last_on_scalar_.find({kernel, node}); last != last_on_scalar_.end())
      after.push_back(last->second);
    last_on_scalar_[{kernel, node}] = own;
    send(own, 0, phase,
         {{input, Access::read},
          {{.kind = DataKind::scalar, .matrix = kernel == mdet ? 0 : 1, .node = node}, Access::read_write}},
         std::move(after));
  }

  /// The tasks before the first one of this iteration that adds to z(m): they read its last value.
  [[nodiscard]] std::vector<TaskName> last_readers_of_z(int m) const {
    std::vector<TaskName> out;
    if (iteration_ == 0) return out;
    for (int l = m + 1; l < nt_; ++l) out.push_back(before(name(gemv, nt_, l, m)));
    out.push_back(before(name(dot, nt_, m, m)));
    return out;
  }

  /// Columns k < m whose tile in row m has this owner, ascending.
  [[nodiscard]] std::vector<int> columns_of(int m, NodeId node) const {
    std::vector<int> out;
    for (int k = 0; k < m; ++k)
      if (map_.at(m, k) == node) out.push_back(k);
    return out;
  }

  void solve() {
    for (int k = 0; k < nt_; ++k) {
      std::vector<TaskName> after = k == 0 ? last_readers_of_z(0) : std::vector<TaskName>();
      if (k > 0) after.push_back(name(local_ ? geadd : gemv, nt_, k, k - 1));
      after.push_back(factorization().factor(k));
      send(name(trsv, nt_, k, k), 2 * (nt_ - k), "solve",
           {{{.m = k, .n = k}, Access::read}, {z(k), Access::read_write}}, std::move(after));
      for (int m = k + 1; m < nt_; ++m) local_ ? gemv_into_accumulator(m, k) : gemv_into_vector(m, k);
      if (local_ && k + 1 < nt_) add_accumulators(k + 1);
    }
  }

  void send_gemv(int m, int k, Datum const& sum, Access mode, std::vector<TaskName> after) {
    after.push_back(factorization().panel(k, m));
    after.push_back(name(trsv, nt_, k, k));
    send(name(gemv, nt_, m, k), 2 * (nt_ - k) - m, "solve",
         {{{.m = m, .n = k}, Access::read}, {z(k), Access::read}, {sum, mode}}, std::move(after));
  }

  void gemv_into_vector(int m, int k) {
    send_gemv(m, k, z(m), Access::read_write,
              k > 0 ? std::vector{name(gemv, nt_, m, k - 1)} : last_readers_of_z(m));
  }

  [[nodiscard]] static Datum accumulator(int m, int first_column, NodeId node) {
    return {.kind = DataKind::accumulator, .m = m, .n = first_column, .node = node};
  }

  void gemv_into_accumulator(int m, int k) {
    NodeId const node = map_.at(m, k);
    std::vector<int> const columns = columns_of(m, node);
    auto const own = std::find(columns.begin(), columns.end(), k);
    bool const first = own == columns.begin();
    std::vector<TaskName> after;
    if (!first)
      after.push_back(name(gemv, nt_, m, *std::prev(own)));
    else if (iteration_ > 0)
      after.push_back(before(name(geadd, nt_, m, m - 1)));
    send_gemv(m, k, accumulator(m, columns.front(), node), first ? Access::write : Access::read_write,
              std::move(after));
  }

  /// Adds the accumulators of row m to z(m), in the order of their first columns.
  void add_accumulators(int m) {
    std::vector<NodeId> nodes;
    for (int k = 0; k < m; ++k)
      if (std::find(nodes.begin(), nodes.end(), map_.at(m, k)) == nodes.end()) nodes.push_back(map_.at(m, k));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      std::vector<int> const columns = columns_of(m, nodes[i]);
      std::vector<TaskName> after = i > 0 ? std::vector{name(geadd, nt_, m, m - 1)} : last_readers_of_z(m);
      after.push_back(name(gemv, nt_, m, columns.back()));
      send(name(geadd, nt_, m, m - 1), 2 * (nt_ - m + 1), "solve",
           {{accumulator(m, columns.front(), nodes[i]), Access::read}, {z(m), Access::read_write}},
           std::move(after));
    }
  }

  ReferenceProblem const& p_;
  ReferenceFormats const* formats_;
  TileMap const& map_;
  ReferenceSink& sink_;
  int nt_;
  bool all_priorities_, local_;
  int iteration_ = 0;
  std::map<std::pair<std::int32_t, NodeId>, TaskName> last_on_scalar_;
};

std::int64_t bytes_of(ReferenceProblem const& p, ReferenceFormats const* formats, Datum const& datum) {
  switch (datum.kind) {
    case DataKind::tile:
      return bytes_of_tile(p, formats, datum);
    case DataKind::vector:
    case DataKind::accumulator:
      return p.element_bytes * p.rows_of_tile(datum.m);
    case DataKind::scalar:
      return 8;
    case DataKind::scratch:
      break;  // no application has such data
  }
  return -1;
}

}  // namespace

Reference reference_exageostat(ReferenceProblem const& p, TileMap const& map) {
  double const nb = p.nb, square = nb * nb, cube = square * nb;
  Reference out;
  out.kernels = {{"dcmg", square},   {"potrf", cube / 3}, {"trsm", cube},   {"syrk", cube},
                 {"gemm", 2 * cube}, {"mdet", nb},        {"trsv", square}, {"gemv", 2 * square},
                 {"geadd", nb},      {"dot", 2 * nb}};
  auto const formats = ReferenceFormats::of(p, map, out.kernels, 1);
  out.bytes = [&p, formats](Datum const& datum) { return bytes_of(p, formats.get(), datum); };
  out.temporary = [](Datum const& datum) { return datum.kind == DataKind::tile && datum.matrix > 0; };
  out.submit = [&p, &map, formats](ReferenceSink& sink) { Likelihood(p, map, formats.get(), sink).submit(); };
  return out;
}

}  // namespace factosim::audit
