// Random kernels on two GPUs with up to four workers each: SharedGpus against SimGrid, whose actors share a host of one core
// as in StarPU-SimGrid (core/simgrid.c). Not part of CI. With the seed of the case:
//   g++ -std=c++20 -I. -Isimulator/include tests/fidelity/shared_host.cpp
//       simulator/base/core/time_grid.cpp simulator/base/core/error.cpp -lsimgrid -lfmt -o shared_host && ./shared_host 1
// 200 seeds on 2026-11-26: ends differ by at most 1.4e-11 s.
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <vector>

#include "simulator/runtime/node/kernel_times.hpp"

using namespace factosim;
namespace sg4 = simgrid::s4u;

struct Kernel {
  double ready, work, end = 0;
};

int main(int argc, char** argv) {
  sg4::Engine engine(&argc, argv);
  auto const platform = std::filesystem::temp_directory_path() / "shared_host.xml";
  std::ofstream(platform)
      << "<?xml version='1.0'?><!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'><platform "
         "version='4.1'><zone id='z' routing='Full'>"
         "<host id='CUDA0' speed='2000000000f'/><host id='CUDA1' speed='2000000000f'/></zone></platform>";
  engine.load_platform(platform.string());
  std::mt19937 random(static_cast<unsigned>(std::atoi(argv[1])));
  std::size_t const per_gpu = 1 + random() % 4, workers = 2 * per_gpu;
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<std::vector<Kernel>> of_worker(workers);
  for (auto& list : of_worker) {
    double ready = uniform(random);
    for (int i = 0; i < 20; ++i) {
      list.push_back({ready, uniform(random) * 0.3});
      ready += uniform(random) * 0.3;
    }
  }
  auto simgrid = of_worker;
  for (std::size_t w = 0; w < workers; ++w)
    sg4::Actor::create("w", sg4::Host::by_name(w < per_gpu ? "CUDA0" : "CUDA1"), [&, w] {
      for (Kernel& k : simgrid[w]) {
        sg4::this_actor::sleep_until(k.ready);
        sg4::this_actor::execute(k.work * 2e9);
        k.end = sg4::Engine::get_clock();
      }
    });
  engine.run();

  TimeGrid const grid;
  SharedGpus gpus(workers, per_gpu, grid);
  struct Event {
    std::size_t worker;
    bool start;
  };
  std::multimap<double, Event> events;
  std::vector<std::size_t> next(workers, 0);
  auto const post = [&](LocalWorker w, Seconds date) { events.emplace(date.value, Event{w.index(), false}); };
  for (std::size_t w = 0; w < workers; ++w)
    events.emplace(grid.rounded(Seconds{of_worker[w][0].ready}).value, Event{w, true});
  while (!events.empty()) {
    auto const [date, e] = *events.begin();
    events.erase(events.begin());
    LocalWorker const worker{e.worker};
    Kernel& k = of_worker[e.worker][next[e.worker]];
    if (e.start) {
      gpus.start(worker, grid.duration(Seconds{k.work}), 1, Seconds{date}, post);
    } else if (gpus.ends(worker, Seconds{date})) {
      k.end = date;
      gpus.end(worker, Seconds{date}, post);
      if (++next[e.worker] < of_worker[e.worker].size())
        events.emplace(std::max(date, grid.rounded(Seconds{of_worker[e.worker][next[e.worker]].ready}).value),
                       Event{e.worker, true});
    }
  }
  double most = 0;
  for (std::size_t w = 0; w < workers; ++w)
    for (std::size_t i = 0; i < of_worker[w].size(); ++i)
      most = std::max(most, std::abs(of_worker[w][i].end - simgrid[w][i].end));
  std::printf("%zu workers a GPU: largest difference %.3g s\n", per_gpu, most);
  return most < 1e-8 ? 0 : 1;
}
