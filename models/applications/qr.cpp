#include <algorithm>
#include <cmath>
#include <memory>

#include "models/applications/application.hpp"
#include "simulator/graph/task_formulas.hpp"

namespace factosim {

// The application "qr": tile QR of nt x nt tiles. Iteration k reduces column k to one tile by eliminations:
// geqrt makes a tile triangular, and its reflectors update the row (unmqr); tsqrt eliminates a square tile
// with a triangular one, ttqrt a triangular tile with another; tsmqr and ttmqr update both rows. The key
// "tree" selects the pairs:
//
// - "flat": geqrt of the diagonal tile, then tsqrt of the others from the top down.
// - "binary": geqrt of every tile, then ttqrt of neighbours, of neighbours among the remaining rows, ...
// - "nodes": flat among the rows of each node in column k, from its first row on, then binary between the
//   nodes, starting at the diagonal's: fewer messages (Dongarra et al., Hierarchical QR, Parallel Computing
//   39, 2013). On one node it is "flat".
//
// The reflectors that geqrt leaves below the diagonal are a handle of their own, as Chameleon's copy of the
// diagonal tile, so that eliminations and unmqr can run at the same time. The small T factors of reflectors
// are counted with them. An elimination and its updates run on the owner of the row that becomes zero; the
// other tile moves there and on from there. Priorities as in LU: 3 nt - 3k (geqrt of row k), 3 nt - (2k + m)
// (geqrt, tsqrt, ttqrt of row m), 3 nt - (2k + n) (unmqr of row k), 3 nt - (k + m + n) (other updates).
//
// Source: Buttari, Langou, Kurzak, Dongarra, Parallel Computing 35(1), 2009; Bouwmeester, Jacquelin, Langou,
// Robert, Tiled QR factorization algorithms, SC'11.

namespace {

std::vector<ApplicationKey> const& qr_keys() {
  static std::vector<ApplicationKey> const keys{{.name = "tree",
                                                 .description =
                                                     "`flat`: geqrt, then tsqrt down the column; `binary`: "
                                                     "geqrt of all, then ttqrt of neighbours; `nodes`: flat "
                                                     "on each node, then binary between nodes",
                                                 .default_value = "flat",
                                                 .choices = {"flat", "binary", "nodes"}}};
  return keys;
}

std::string const& tree_of(ApplicationParameters const& p) {
  return std::get<std::string>(value_of(p, qr_keys(), "tree"));
}

/// geqrt and unmqr; tsqrt and tsmqr of the trees "flat" and "nodes"; ttqrt and ttmqr of "binary" and "nodes".
std::vector<Kernel> qr_kernels_of(int nb, std::string const& tree) {
  double const nb3 = std::pow(nb, 3);
  std::vector<Kernel> kernels{{.name = "geqrt", .flops = {4 * nb3 / 3}, .asynchronous_on_gpu = false},
                              {.name = "unmqr", .flops = {2 * nb3}}};
  if (tree != "binary") {
    kernels.push_back({.name = "tsqrt", .flops = {2 * nb3}});
    kernels.push_back({.name = "tsmqr", .flops = {4 * nb3}});
  }
  if (tree != "flat") {
    kernels.push_back({.name = "ttqrt", .flops = {2 * nb3 / 3}});
    kernels.push_back({.name = "ttmqr", .flops = {2 * nb3}});
  }
  return kernels;
}

std::vector<Kernel> qr_kernels(ApplicationParameters const& p) { return qr_kernels_of(p.nb, tree_of(p)); }

/// Row `above` eliminates row `below`; the lower tile is triangular or square.
struct Elimination {
  int above, below;
  bool triangles;
};

/// The operations of one iteration on its column: first geqrt, then the eliminations in this order.
struct Reduction {
  std::vector<int> triangular;  // rows of geqrt
  std::vector<Elimination> eliminations;
};

/// Appends a binary tree: neighbours, neighbours among the remaining rows, ...
void eliminate_in_pairs(std::vector<int> const& rows, std::vector<Elimination>& out) {
  for (std::size_t distance = 1; distance < rows.size(); distance *= 2)
    for (std::size_t i = 0; i + distance < rows.size(); i += 2 * distance)
      out.push_back({rows[i], rows[i + distance], true});
}

class QrFlow final : public ApplicationFlow {
 public:
  QrFlow(ApplicationParameters const& p, TileMap const& map)
      : p_(p), tree_(tree_of(p)), nt_(p.nt), iterations_(computed_iterations(p)), map_(map) {}

  void begin(FlowSink& sink) override {
    std::vector<Kernel> const kernels = qr_kernels(p_);
    for (Kernel const& kernel : kernels) {
      KernelId const id = sink.add_kernel(kernel);
      for (auto const& [name, member] : {std::pair{"geqrt", &geqrt_},
                                         {"unmqr", &unmqr_},
                                         {"tsqrt", &square_.eliminate},
                                         {"tsmqr", &square_.update},
                                         {"ttqrt", &triangle_.eliminate},
                                         {"ttmqr", &triangle_.update}})
        if (kernel.name == name) *member = id;
    }
    for (int m = 0; m < nt_; ++m)
      for (int n = 0; n < nt_; ++n) sink.add_handle({.size = tile_bytes(p_), .m = m, .n = n});
    first_reflectors_.clear();
    int handles = nt_ * nt_;
    for (int k = iterations_.first; k < iterations_.end; ++k) {
      first_reflectors_.push_back(handles);
      for (int const m : reduction_of(k).triangular) {
        sink.add_handle({.size = tile_bytes(p_), .m = m, .n = k});
        ++handles;
      }
    }
  }

  [[nodiscard]] int rounds() const override { return iterations_.count(); }

  void submit_round(FlowSink& sink, int round) override {
    int const k = iterations_.first + round;
    Reduction const reduction = reduction_of(k);
    int reflectors = first_reflectors_[static_cast<std::size_t>(round)];
    for (int const m : reduction.triangular) make_triangular(sink, k, m, HandleId{reflectors++});
    for (Elimination const& e : reduction.eliminations) eliminate(sink, k, e);
    sink.wont_use(tile(k, k));
    for (int i = k; i < nt_; ++i) {
      sink.last_use(tile(i, k));
      if (i > k) sink.last_use(tile(k, i));
    }
  }

 private:
  struct Pair {
    KernelId eliminate, update;
  };

  [[nodiscard]] Reduction reduction_of(int k) const {
    Reduction out;
    if (tree_ == "binary") {
      for (int m = k; m < nt_; ++m) out.triangular.push_back(m);
      eliminate_in_pairs(out.triangular, out.eliminations);
      return out;
    }
    std::vector<NodeId> nodes;  // owners of the triangular rows
    for (int m = k; m < nt_; ++m) {
      NodeId const node = tree_ == "nodes" ? map_.at(m, k) : NodeId{0};
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

  [[nodiscard]] HandleId tile(int m, int n) const { return HandleId{m * nt_ + n}; }

  void make_triangular(FlowSink& sink, int k, int m, HandleId reflectors) {
    sink.submit(geqrt_, 3 * nt_ - (2 * k + m), {k, m, k},
                {{tile(m, k), Access::read_write}, {reflectors, Access::write}});
    sink.last_write(reflectors);
    for (int n = k + 1; n < nt_; ++n) {
      int const priority = m == k ? 3 * nt_ - (2 * k + n) : 3 * nt_ - (k + m + n);
      sink.submit(unmqr_, priority, {k, m, n},
                  {{reflectors, Access::read}, {tile(m, n), Access::read_write}});
    }
    sink.last_use(reflectors);
  }

  void eliminate(FlowSink& sink, int k, Elimination const& e) {
    Pair const& kernels = e.triangles ? triangle_ : square_;
    // The lower tile comes first: the task runs on its owner.
    sink.submit(kernels.eliminate, 3 * nt_ - (2 * k + e.below), {k, e.below, k},
                {{tile(e.below, k), Access::read_write}, {tile(e.above, k), Access::read_write}});
    sink.last_write(tile(e.below, k));
    for (int n = k + 1; n < nt_; ++n) {
      sink.submit(kernels.update, 3 * nt_ - (k + e.below + n), {k, e.below, n},
                  {{tile(e.below, k), Access::read},
                   {tile(e.below, n), Access::read_write},
                   {tile(e.above, n), Access::read_write}});
    }
  }

  ApplicationParameters const& p_;
  std::string const& tree_;
  int nt_;
  IterationRange iterations_;
  TileMap const& map_;
  std::vector<int> first_reflectors_;  // [rounds] handle of the first geqrt
  KernelId geqrt_, unmqr_;
  Pair square_, triangle_;
};

/// The tasks of the flat tree as formulas. Tile (m, n) has a task in each iteration up to min(m, n): in its own row, geqrt or
/// unmqr, below the elimination or update of which it is the lower tile. After that, the tiles of row k, on and right of the
/// diagonal, are passed down their columns by the tasks of the rows below.
class QrFormulas final : public TaskFormulas {
 public:
  explicit QrFormulas(ApplicationParameters const& p) : nt_(p.nt), iterations_(computed_iterations(p)) {}

  [[nodiscard]] std::uint64_t task_count() const override {
    return begin(iterations_.end) - begin(iterations_.first);
  }
  [[nodiscard]] int line_count() const override { return nt_; }
  [[nodiscard]] HandleId updated_tile(int m, int n) const override { return HandleId{m * nt_ + n}; }

  [[nodiscard]] std::uint32_t tasks_of(HandleId tile) const override {
    auto const place = static_cast<int>(tile.value());
    return place < nt_ * nt_ ? iterations_.count_until(std::min(place / nt_, place % nt_)) : 0;
  }

  [[nodiscard]] FormulaTask task(HandleId tile, std::uint32_t version) const override {
    auto const place = static_cast<int>(tile.value());
    int const k = iterations_.first + static_cast<int>(version), m = place / nt_, n = place % nt_;
    bool const in_row = m == k, in_column = n == k;
    FormulaTask out{
        .kernel = static_cast<std::uint16_t>((in_row ? 0 : 2) + (in_column ? 0 : 1)),
        .last = in_row || in_column || k + 1 == iterations_.end,
        .writes_back = in_column && m + 1 == nt_,  // the last task on the diagonal tile
        .priority = 3 * nt_ - (k + m + n),
        .indices = {k, m, n},
        .position = begin(k) - begin(iterations_.first) + count(m - k) * count(nt_ - k) + count(n - k)};
    if (!in_column) {
      out.input_count = 1;
      out.inputs[0] = in_row ? reflectors(k) : updated_tile(m, k);
    }
    if (in_row && !in_column) return out;
    out.passed = in_row ? reflectors(k) : updated_tile(k, n);
    if (in_row)
      out.passed_access = Access::write;
    else
      out.passed_version = version + count32(m - k);
    return out;
  }

  [[nodiscard]] TileReaders readers(HandleId handle, std::uint32_t version) const override {
    auto const place = static_cast<int>(handle.value());
    if (place >= nt_ * nt_)
      return in_row(iterations_.first + place - nt_ * nt_, iterations_.first + place - nt_ * nt_);
    int const m = place / nt_, n = place % nt_, k = std::min(m, n);
    std::uint32_t const own = iterations_.count_until(k);
    if (!iterations_.contains(k) || version < own) return {};
    if (m > n) return in_row(m, k);
    int const next = m + 1 + static_cast<int>(version - own);
    TileReaders out{.version = own - 1};
    if (next < nt_) out.taker = updated_tile(next, n);
    return out;
  }

 private:
  [[nodiscard]] static std::uint32_t count32(int number) { return static_cast<std::uint32_t>(number); }
  /// Returns the tasks of iteration k right of the diagonal in row m.
  [[nodiscard]] TileReaders in_row(int m, int k) const {
    TileReaders out{.version = count32(k - iterations_.first)};
    out.runs[out.run_count++] = {.in_row = true, .line = m, .first = k + 1, .end = nt_};
    return out;
  }
  /// Number of tasks of the iterations before.
  [[nodiscard]] std::uint64_t begin(int k) const {
    return sum_of_squares(count(nt_)) - sum_of_squares(count(nt_ - k));
  }
  [[nodiscard]] HandleId reflectors(int k) const { return HandleId{nt_ * nt_ + k - iterations_.first}; }

  int nt_;
  IterationRange iterations_;
};

std::unique_ptr<TaskFormulas> qr_formulas(ApplicationParameters const& p) {
  return tree_of(p) == "flat" ? std::make_unique<QrFormulas>(p) : nullptr;
}

/// The kernels of the flat tree; their kinds are those of LU.
FactorizationKernels qr_factorization_kernels(ApplicationParameters const& p) {
  return {qr_kernels_of(p.nb, "flat"),
          {TaskKind::diagonal, TaskKind::panel, TaskKind::panel, TaskKind::update}};
}

/// 4 n^3 / 3 with n = nt nb.
Flops qr_flops(ApplicationParameters const& p) {
  return {4 * std::pow(static_cast<double>(p.nt) * p.nb, 3) / 3};
}

double max_qr_tasks(ApplicationParameters const& p) {
  double const n = p.nt;
  return n * (n + 1) * (tree_of(p) == "flat" ? 2 * n + 1 : 4 * n - 1) / 6;
}

}  // namespace

Application qr_application() {
  return {.name = "qr",
          .description = "QR factorization, flat or hierarchical tree of panels",
          .variants = {"chameleon"},
          .keys = qr_keys(),
          .graph = graph_of_flow<QrFlow>,
          .flow = make_flow<QrFlow>,
          .formulas = qr_formulas,
          .kernels = qr_kernels,
          .factorization_kernels = qr_factorization_kernels,
          .total_flops = qr_flops,
          .max_tasks = max_qr_tasks,
          .graph_depends_on_map = true,
          .has_iterations = true};
}

}  // namespace factosim
