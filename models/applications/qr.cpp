#include <algorithm>
#include <cmath>
#include <utility>

#include "models/applications/application.hpp"

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
  static std::vector<ApplicationKey> const keys{
      {"tree",
       "`flat`: geqrt, then tsqrt down the column; `binary`: geqrt of all, then ttqrt of "
       "neighbours; `nodes`: flat on each node, then binary between nodes",
       "flat",
       {"flat", "binary", "nodes"}}};
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

/// Returns the operations of iteration k of tile QR with the tree. The map is used for the tree "nodes"; an empty one stands
/// for one node.
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
      for (int const m : reduction_of(tree_, nt_, map_, k).triangular) {
        sink.add_handle({.size = tile_bytes(p_), .m = m, .n = k});
        ++handles;
      }
    }
  }

  [[nodiscard]] int rounds() const override { return iterations_.count(); }

  void submit_round(FlowSink& sink, int round) override {
    int const k = iterations_.first + round;
    Reduction const reduction = reduction_of(tree_, nt_, map_, k);
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

class Qr final : public Application {
 public:
  Qr()
      : Application({.name = "qr",
                     .description = "QR factorization, flat or hierarchical tree of panels",
                     .variants = {"chameleon"},
                     .keys = qr_keys(),
                     .graph_depends_on_map = true,
                     .has_iterations = true}) {}

  std::unique_ptr<ApplicationFlow> plain_flow(ApplicationParameters const& p,
                                              TileMap const& map) const override {
    return std::make_unique<QrFlow>(p, map);
  }
  std::vector<Kernel> plain_kernels(ApplicationParameters const& p) const override { return qr_kernels(p); }
  /// The kernels of the flat tree; their kinds are those of LU.
  FactorizationKernels factorization_kernels(ApplicationParameters const& p) const override {
    return {qr_kernels_of(p.nb, "flat"),
            {TaskKind::diagonal, TaskKind::panel, TaskKind::panel, TaskKind::update}};
  }
  /// 4 n^3 / 3 with n = nt nb.
  Flops total_flops(ApplicationParameters const& p) const override {
    return {4 * std::pow(static_cast<double>(p.nt) * p.nb, 3) / 3};
  }
  double max_tasks(ApplicationParameters const& p) const override {
    double const n = p.nt;
    return n * (n + 1) * (tree_of(p) == "flat" ? 2 * n + 1 : 4 * n - 1) / 6;
  }
};

}  // namespace

std::unique_ptr<Application const> qr_application() { return std::make_unique<Qr>(); }

}  // namespace factosim
