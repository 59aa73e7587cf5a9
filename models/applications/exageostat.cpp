#include "models/applications/exageostat.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "factosim/sequential_task_flow.hpp"

namespace factosim {

namespace {

constexpr std::size_t factorization_placement = 0, generation_placement = 1;

class ExageostatFlow {
 public:
  ExageostatFlow(ApplicationParameters const& p, TileMap const& map)
      : p_(p), options_(p.exageostat), map_(map), nt_(p.nt) {
    std::vector<Kernel> const kernels = exageostat_kernels(p);
    auto kernel = kernels.begin();
    for (KernelId* const id :
         {&dcmg_, &potrf_, &trsm_, &syrk_, &gemm_, &mdet_, &trsv_, &gemv_, &geadd_, &dot_})
      *id = flow_.add_kernel(*kernel++);
    std::int64_t const element = element_bytes(p.precision);
    for (int m = 0; m < nt_; ++m)
      for (int n = 0; n <= m; ++n)
        flow_.add_handle({.size = Bytes{element * rows_of_tile(p, m) * rows_of_tile(p, n)}, .m = m, .n = n});
    first_vector_ = nt_ * (nt_ + 1) / 2;
    for (int m = 0; m < nt_; ++m)
      flow_.add_handle({.size = Bytes{element * rows_of_tile(p, m)},
                        .m = m,
                        .n = 0,
                        .owner = map.at(m, 0),
                        .data = DataKind::vector});
    if (options_.local_solve) add_accumulators();
    add_scalars();
  }

  TaskGraph build() && {
    for (int i = 0; i < options_.iterations; ++i) {
      if (i > 0) flow_.barrier();
      generate();
      if (options_.synchronisation != Synchronisation::never) flow_.barrier();
      factorize();
      if (options_.synchronisation == Synchronisation::every_phase) flow_.barrier();
      determinant();
      if (options_.synchronisation != Synchronisation::never) flow_.barrier();
      flow_.flush_cache();
      flow_.begin_phase({"solve", factorization_placement});
      options_.local_solve ? solve_locally() : solve();
      if (options_.synchronisation == Synchronisation::every_phase) flow_.barrier();
      dot();
    }
    return std::move(flow_).finish();
  }

 private:
  [[nodiscard]] static HandleId tile(int m, int n) { return HandleId{m * (m + 1) / 2 + n}; }
  [[nodiscard]] HandleId z(int m) const { return HandleId{first_vector_ + m}; }
  [[nodiscard]] int priority(int by_equation, int original) const {
    return options_.all_priorities ? by_equation : original;
  }

  /// An accumulator of row m for each owner of tiles left of the diagonal.
  void add_accumulators() {
    accumulator_.resize(static_cast<std::size_t>(nt_));
    for (int m = 1; m < nt_; ++m)
      for (int k = 0; k < m; ++k) {
        auto& of_row = accumulator_[static_cast<std::size_t>(m)];
        NodeId const owner = map_.at(m, k);
        if (std::any_of(of_row.begin(), of_row.end(), [&](Accumulator const& a) { return a.node == owner; }))
          continue;
        of_row.push_back({owner, flow_.add_handle({.size = Bytes{static_cast<std::int64_t>(
                                                       element_bytes(p_.precision) * rows_of_tile(p_, m))},
                                                   .m = m,
                                                   .n = k,
                                                   .owner = owner,
                                                   .data = DataKind::accumulator})});
      }
  }

  void add_scalars() {
    for (int k = 0; k < nt_; ++k)
      for (NodeId const node : {map_.at(k, k), map_.at(k, 0)}) {
        if (node.index() >= scalar_.size()) scalar_.resize(node.index() + 1);
        for (HandleId& handle : scalar_[node.index()])
          if (!handle.valid())
            handle = flow_.add_handle({.size = Bytes{8}, .owner = node, .data = DataKind::scalar});
      }
  }

  void generate() {
    flow_.begin_phase({"generation", generation_placement});
    std::vector<TaskIndices> order;
    for (int n = 0; n < nt_; ++n)
      for (int m = n; m < nt_; ++m) order.push_back({0, m, n});
    if (options_.ordered_generation)
      std::stable_sort(order.begin(), order.end(),
                       [](TaskIndices a, TaskIndices b) { return a.m + a.n < b.m + b.n; });
    for (TaskIndices const i : order) {
      std::array const accesses{DataAccess{tile(i.m, i.n), Access::write}};
      flow_.submit(dcmg_, priority(3 * nt_ - (i.n + i.m) / 2, 0), i, accesses);
    }
  }

  void factorize() {
    flow_.begin_phase({"factorization", factorization_placement});
    for (int k = 0; k < nt_; ++k) {
      int const base = 3 * (nt_ - k), original = 2 * nt_ - 2 * k;
      std::array const diagonal{DataAccess{tile(k, k), Access::read_write}};
      flow_.submit(potrf_, priority(base, original), {k, k, k}, diagonal);
      for (int m = k + 1; m < nt_; ++m) {
        std::array const accesses{DataAccess{tile(k, k), Access::read},
                                  DataAccess{tile(m, k), Access::read_write}};
        flow_.submit(trsm_, priority(base - (m - k), original - m), {k, m, k}, accesses);
      }
      flow_.wont_use(tile(k, k));
      for (int n = k + 1; n < nt_; ++n) {
        std::array const symmetric{DataAccess{tile(n, k), Access::read},
                                   DataAccess{tile(n, n), Access::read_write}};
        flow_.submit(syrk_, priority(base - 2 * (n - k), original - n), {k, n, n}, symmetric);
        for (int m = n + 1; m < nt_; ++m) {
          std::array const accesses{DataAccess{tile(m, k), Access::read},
                                    DataAccess{tile(n, k), Access::read},
                                    DataAccess{tile(m, n), Access::read_write}};
          flow_.submit(gemm_, priority(base - (n - k) - (m - k), original - m - n), {k, m, n}, accesses);
        }
        flow_.wont_use(tile(n, k));
      }
    }
  }

  void determinant() {
    flow_.begin_phase({"determinant", factorization_placement});
    for (int k = 0; k < nt_; ++k) {
      std::array const accesses{DataAccess{tile(k, k), Access::read},
                                DataAccess{scalar_[map_.at(k, k).index()][0], Access::read_write}};
      flow_.submit(mdet_, 0, {nt_, k, k}, accesses);
    }
  }

  void solve_diagonal(int k) {
    std::array const accesses{DataAccess{tile(k, k), Access::read}, DataAccess{z(k), Access::read_write}};
    flow_.submit(trsv_, priority(2 * (nt_ - k), 0), {nt_, k, k}, accesses);
  }

  /// Chameleon's: where z(m) lies.
  void solve() {
    for (int k = 0; k < nt_; ++k) {
      solve_diagonal(k);
      for (int m = k + 1; m < nt_; ++m) {
        std::array const accesses{DataAccess{tile(m, k), Access::read}, DataAccess{z(k), Access::read},
                                  DataAccess{z(m), Access::read_write}};
        flow_.submit(gemv_, priority(2 * (nt_ - k) - m, 0), {nt_, m, k}, accesses);
      }
    }
  }

  /// Algorithm 1: where M(m,k) lies.
  void solve_locally() {
    for (auto& of_row : accumulator_)
      for (Accumulator& a : of_row) a.started = false;
    for (int k = 0; k < nt_; ++k) {
      solve_diagonal(k);
      for (int m = k + 1; m < nt_; ++m) {
        auto& of_row = accumulator_[static_cast<std::size_t>(m)];
        auto const own = std::find_if(of_row.begin(), of_row.end(),
                                      [&](Accumulator const& a) { return a.node == map_.at(m, k); });
        std::array const accesses{DataAccess{tile(m, k), Access::read}, DataAccess{z(k), Access::read},
                                  DataAccess{own->handle, own->started ? Access::read_write : Access::write}};
        own->started = true;
        flow_.submit(gemv_, priority(2 * (nt_ - k) - m, 0), {nt_, m, k}, accesses);
      }
      if (k + 1 == nt_) break;
      for (Accumulator const& a : accumulator_[static_cast<std::size_t>(k) + 1]) {
        std::array const accesses{DataAccess{a.handle, Access::read},
                                  DataAccess{z(k + 1), Access::read_write}};
        flow_.submit(geadd_, priority(2 * (nt_ - k), 0), {nt_, k + 1, k}, accesses);
      }
    }
  }

  void dot() {
    flow_.begin_phase({"dot", factorization_placement});
    for (int k = 0; k < nt_; ++k) {
      std::array const accesses{DataAccess{z(k), Access::read},
                                DataAccess{scalar_[map_.at(k, 0).index()][1], Access::read_write}};
      flow_.submit(dot_, 0, {nt_, k, k}, accesses);
    }
  }

  struct Accumulator {
    NodeId node;
    HandleId handle;
    bool started = false;  // in this iteration
  };

  ApplicationParameters const& p_;
  ExageostatOptions const& options_;
  TileMap const& map_;
  int nt_;
  int first_vector_ = 0;
  SequentialTaskFlow flow_;
  KernelId dcmg_, potrf_, trsm_, syrk_, gemm_, mdet_, trsv_, gemv_, geadd_, dot_;
  std::vector<std::vector<Accumulator>> accumulator_;  // [nt][owners left of the diagonal]
  std::vector<std::array<HandleId, 2>> scalar_;        // [nodes] determinant, dot product
};

/// Half odd numbers have a closed form, all others need a Bessel function, whole ones no less than the rest.
char const* generation_timing(double nu) {
  return 2 * nu == std::floor(2 * nu) && nu != std::floor(nu) ? "dcmg" : "dcmg_bessel";
}

}  // namespace

int rows_of_tile(ApplicationParameters const& p, int m) {
  return p.n > 0 && m == p.nt - 1 ? p.n - (p.nt - 1) * p.nb : p.nb;
}

TaskGraph build_exageostat(ApplicationParameters const& p, TileMap const& factorization) {
  return ExageostatFlow(p, factorization).build();
}

TaskGraph build_exageostat_on_one_node(ApplicationParameters const& p) {
  auto const tiles = static_cast<std::size_t>(p.nt) * static_cast<std::size_t>(p.nt);
  return build_exageostat(p, {.mt = p.nt, .nt = p.nt, .owner = std::vector<NodeId>(tiles, NodeId{0})});
}

std::vector<Kernel> exageostat_kernels(ApplicationParameters const& p) {
  double const nb = p.nb;
  double const square = nb * nb, cube = square * nb;
  return {{.name = "dcmg",
           .flops = {square},  // one value of the covariance function each
           .timing = generation_timing(p.exageostat.nu),
           .on_spare_workers = false},
          {.name = "potrf", .flops = {cube / 3}, .asynchronous_on_gpu = false},
          {.name = "trsm", .flops = {cube}},
          {.name = "syrk", .flops = {cube}},
          {.name = "gemm", .flops = {2 * cube}},
          {.name = "mdet", .flops = {nb}},
          {.name = "trsv", .flops = {square}},
          {.name = "gemv", .flops = {2 * square}},
          {.name = "geadd", .flops = {nb}},
          {.name = "dot", .flops = {2 * nb}}};
}

std::int64_t exageostat_rows(ApplicationParameters const& p) {
  return p.n > 0 ? p.n : std::int64_t{p.nt} * p.nb;
}

Flops exageostat_flops(ApplicationParameters const& p) {
  return {std::pow(static_cast<double>(exageostat_rows(p)), 3) / 3 * p.exageostat.iterations};
}

}  // namespace factosim
