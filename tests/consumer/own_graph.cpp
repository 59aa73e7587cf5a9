// Builds a task graph and a cluster in code, simulates them and prints the result: a Cholesky factorization of
// 8 x 8 tiles on two nodes of four cores: own_graph [FOLDER_OF_THE_RUN]

#include <cstdio>
#include <factosim/graph_simulation.hpp>
#include <factosim/sequential_task_flow.hpp>
#include <initializer_list>
#include <string>
#include <utility>

namespace {

using namespace factosim;

constexpr int nt = 8, nb = 960;

/// Submits the tasks in the order of the sequential program; dependencies follow from what they access.
TaskGraph cholesky() {
  constexpr double n3 = double(nb) * nb * nb;
  SequentialTaskFlow flow;
  KernelId const potrf = flow.add_kernel({.name = "potrf", .flops = {n3 / 3}});
  KernelId const trsm = flow.add_kernel({.name = "trsm", .flops = {n3}});
  KernelId const syrk = flow.add_kernel({.name = "syrk", .flops = {n3}});
  KernelId const gemm = flow.add_kernel({.name = "gemm", .flops = {2 * n3}});

  HandleId tile[nt][nt];
  for (int m = 0; m < nt; ++m)
    for (int n = 0; n <= m; ++n) tile[m][n] = flow.add_handle({.size = {nb * nb * 8}, .m = m, .n = n});

  auto const submit = [&](KernelId kernel, int priority, TaskIndices indices,
                          std::initializer_list<DataAccess> accesses) {
    flow.submit(kernel, priority, indices, {accesses.begin(), accesses.size()});
  };
  for (int k = 0; k < nt; ++k) {
    submit(potrf, 3 * (nt - k), {k, k, k}, {{tile[k][k], Access::read_write}});
    for (int m = k + 1; m < nt; ++m)
      submit(trsm, 2 * (nt - k), {k, m, k}, {{tile[k][k], Access::read}, {tile[m][k], Access::read_write}});
    for (int n = k + 1; n < nt; ++n) {
      submit(syrk, nt - k, {k, n, n}, {{tile[n][k], Access::read}, {tile[n][n], Access::read_write}});
      for (int m = n + 1; m < nt; ++m)
        submit(gemm, nt - k, {k, m, n},
               {{tile[m][k], Access::read}, {tile[n][k], Access::read}, {tile[m][n], Access::read_write}});
    }
  }
  return std::move(flow).finish();
}

/// Returns two equal nodes behind one switch.
Platform cluster() {
  NodeType node;
  node.name = "node";
  node.cores = 4;
  node.nic = {BytesPerSecond{1.25e9}, Seconds{10e-6}};
  Platform platform;
  platform.types = {node};
  platform.nodes = {0, 0};
  return platform;
}

/// Returns durations on one core, for tiles of `nb`.
KernelModel timings() {
  KernelModel model;
  model.machine = "node";
  for (auto const& [kernel, seconds] :
       {std::pair{"potrf", 0.02}, {"trsm", 0.05}, {"syrk", 0.05}, {"gemm", 0.09}}) {
    KernelTiming timing;
    timing.kernel = kernel;
    timing.worker = "cpu";
    timing.nb = nb;
    timing.mean = Seconds{seconds};
    model.timings.push_back(timing);
  }
  return model;
}

}  // namespace

int main(int count, char** arguments) {
  GraphSimulation simulation;
  simulation.name = "own graph";
  simulation.graph = cholesky();
  TileMap rows{.mt = nt, .nt = nt, .owner = {}};  // row-cyclic
  for (int m = 0; m < nt; ++m) rows.owner.insert(rows.owner.end(), nt, NodeId{m % 2});
  simulation.owners = owners_by_map(simulation.graph, rows);
  simulation.platform = cluster();
  simulation.kernels = {timings()};
  simulation.nb = nb;
  simulation.scheduler.type = "lws";
  simulation.network = NetworkModel::maxmin;

  RunControl control;
  if (count > 1) control.out = arguments[1];  // result.json and run.trace, for `factosim report`
  Result const result = simulate(std::move(simulation), control);
  std::printf("%llu tasks in %.3f s, at least %.3f s by the area bound; %llu tiles sent\n",
              static_cast<unsigned long long>(result.tasks), result.makespan.value, result.bounds.abe.value,
              static_cast<unsigned long long>(result.tiles_sent));
  return result.tasks == 120 && result.makespan >= result.bounds.abe ? 0 : 1;
}
