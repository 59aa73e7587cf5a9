#include "models/applications/qr.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "factosim/sequential_task_flow.hpp"

namespace factosim {

namespace {

/// Row `below` is eliminated by row `above`; the two tiles are triangular, or the lower one is square.
struct Elimination {
  int above, below;
  bool triangles;
};

/// What one iteration does to its column, in this order.
struct Reduction {
  std::vector<int> triangular;  // rows that geqrt works on, first
  std::vector<Elimination> eliminations;
};

/// Neighbours, neighbours among those left, ...
void eliminate_in_pairs(std::vector<int> const& rows, std::vector<Elimination>& out) {
  for (std::size_t distance = 1; distance < rows.size(); distance *= 2)
    for (std::size_t i = 0; i + distance < rows.size(); i += 2 * distance)
      out.push_back({rows[i], rows[i + distance], true});
}

class QrFlow {
 public:
  QrFlow(ApplicationParameters const& p, TileMap const* map) : p_(p), nt_(p.nt), map_(map) {
    std::vector<Kernel> const kernels = qr_kernels(p);
    for (Kernel const& kernel : kernels) {
      KernelId const id = flow_.add_kernel(kernel);
      for (auto const& [name, member] : {std::pair{"geqrt", &geqrt_},
                                         {"unmqr", &unmqr_},
                                         {"tsqrt", &square_.eliminate},
                                         {"tsmqr", &square_.update},
                                         {"ttqrt", &triangle_.eliminate},
                                         {"ttmqr", &triangle_.update}})
        if (kernel.name == name) *member = id;
    }
    for (int m = 0; m < nt_; ++m)
      for (int n = 0; n < nt_; ++n) flow_.add_handle({.size = tile_bytes(p), .m = m, .n = n});
  }

  TaskGraph build() && {
    for (int k = 0; k < nt_; ++k) {
      Reduction const reduction = reduction_of(k);
      for (int const m : reduction.triangular) make_triangular(k, m);
      for (Elimination const& e : reduction.eliminations) eliminate(k, e);
      flow_.wont_use(tile(k, k));
    }
    return std::move(flow_).finish();
  }

 private:
  struct Pair {
    KernelId eliminate, update;
  };

  [[nodiscard]] Reduction reduction_of(int k) const {
    Reduction out;
    if (p_.tree == "binary") {
      for (int m = k; m < nt_; ++m) out.triangular.push_back(m);
      eliminate_in_pairs(out.triangular, out.eliminations);
      return out;
    }
    std::vector<NodeId> nodes;  // of the heads
    for (int m = k; m < nt_; ++m) {
      NodeId const node = p_.tree == "nodes" && map_ != nullptr ? map_->at(m, k) : NodeId{0};
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

  void make_triangular(int k, int m) {
    HandleId const reflectors = flow_.add_handle({.size = tile_bytes(p_), .m = m, .n = k});
    std::array const panel{DataAccess{tile(m, k), Access::read_write}, DataAccess{reflectors, Access::write}};
    flow_.submit(geqrt_, 3 * nt_ - (2 * k + m), {k, m, k}, panel);
    for (int n = k + 1; n < nt_; ++n) {
      std::array const row{DataAccess{reflectors, Access::read}, DataAccess{tile(m, n), Access::read_write}};
      int const priority = m == k ? 3 * nt_ - (2 * k + n) : 3 * nt_ - (k + m + n);
      flow_.submit(unmqr_, priority, {k, m, n}, row);
    }
  }

  void eliminate(int k, Elimination const& e) {
    Pair const& kernels = e.triangles ? triangle_ : square_;
    // The lower tile first: it decides where the task runs.
    std::array const panel{DataAccess{tile(e.below, k), Access::read_write},
                           DataAccess{tile(e.above, k), Access::read_write}};
    flow_.submit(kernels.eliminate, 3 * nt_ - (2 * k + e.below), {k, e.below, k}, panel);
    for (int n = k + 1; n < nt_; ++n) {
      std::array const rows{DataAccess{tile(e.below, k), Access::read},
                            DataAccess{tile(e.below, n), Access::read_write},
                            DataAccess{tile(e.above, n), Access::read_write}};
      flow_.submit(kernels.update, 3 * nt_ - (k + e.below + n), {k, e.below, n}, rows);
    }
  }

  ApplicationParameters const& p_;
  int nt_;
  TileMap const* map_;  // null: one node
  SequentialTaskFlow flow_;
  KernelId geqrt_, unmqr_;
  Pair square_, triangle_;
};

}  // namespace

TaskGraph build_qr(ApplicationParameters const& p, TileMap const& map) { return QrFlow(p, &map).build(); }

TaskGraph build_qr_on_one_node(ApplicationParameters const& p) { return QrFlow(p, nullptr).build(); }

std::vector<Kernel> qr_kernels(ApplicationParameters const& p) {
  double const nb3 = std::pow(p.nb, 3);
  std::vector<Kernel> kernels{{.name = "geqrt", .flops = {4 * nb3 / 3}, .asynchronous_on_gpu = false},
                              {.name = "unmqr", .flops = {2 * nb3}}};
  if (p.tree != "binary") {
    kernels.push_back({.name = "tsqrt", .flops = {2 * nb3}});
    kernels.push_back({.name = "tsmqr", .flops = {4 * nb3}});
  }
  if (p.tree != "flat" && !p.tree.empty()) {
    kernels.push_back({.name = "ttqrt", .flops = {2 * nb3 / 3}});
    kernels.push_back({.name = "ttmqr", .flops = {2 * nb3}});
  }
  return kernels;
}

Flops qr_flops(ApplicationParameters const& p) {
  return {4 * std::pow(static_cast<double>(p.nt) * p.nb, 3) / 3};
}

std::vector<std::string> qr_trees() { return {"flat", "binary", "nodes"}; }

}  // namespace factosim
