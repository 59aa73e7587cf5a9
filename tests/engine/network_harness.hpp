#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <type_traits>

#include "factosim/platform.hpp"
#include "platforms/topology.hpp"
#include "simulator/runtime/engine/engine.hpp"
#include "simulator/runtime/engine/network_factory.hpp"
#include "tests/prelude.hpp"

namespace factosim::testing {

struct NamedNetwork {
  std::string name;
  NetworkOptions options;
};
inline NamedNetwork const constant_network{"constant", {.model = NetworkModel::constant}};
inline NamedNetwork const maxmin_network{"maxmin", {.model = NetworkModel::maxmin}};
inline NamedNetwork const simgrid_network{"simgrid", {.model = NetworkModel::simgrid}};
// Without the networks of SimGrid if factosim was built without it.
using NamedNetworks = std::vector<NamedNetwork>;
inline NamedNetworks const simgrid_networks =
    FACTOSIM_SIMGRID != 0 ? NamedNetworks{simgrid_network} : NamedNetworks{};
inline NamedNetworks simgrid_networks_and(NamedNetworks others) {
  others.insert(others.end(), simgrid_networks.begin(), simgrid_networks.end());
  return others;
}
inline NamedNetworks const every_network = simgrid_networks_and({constant_network, maxmin_network});
inline NamedNetworks const sharing_networks = simgrid_networks_and({maxmin_network});

inline constexpr int nothing = -1;

struct PlannedTransfer {
  std::uint32_t from, to;  // memory nodes
  std::int64_t size;
  double start = 0;     // date; not read when `after` names a transfer
  int after = nothing;  // starts when that transfer ends
};

/// The transfers and events of a test; each is named by its index.
struct Plan {
  std::vector<PlannedTransfer> transfers;
  std::vector<double> events = {};  // dates
};

/// One thing that the engine delivered.
struct Delivery {
  enum class Kind : std::uint32_t { event, end_of_transfer };
  double date;
  Kind kind;
  std::uint32_t subject;
};
using Log = std::vector<Delivery>;

/// Carries out a plan and writes down what the engine delivers.
class PlanRunner final : private EventHandler {
 public:
  PlanRunner(NetworkOptions const& options, Platform const& platform, Plan const& plan)
      : topology_(platform), plan_(plan), engine_(make_network(options, topology_)) {}

  Log run() {
    for (std::uint32_t e = 0; e < plan_.events.size(); ++e) engine_.at({plan_.events[e]}, {own, e});
    for (std::uint32_t t = 0; t < plan_.transfers.size(); ++t)
      if (plan_.transfers[t].after == nothing) engine_.at({plan_.transfers[t].start}, {start_of_transfer, t});
    engine_.run(*this);
    return log_;
  }

 private:
  enum : std::uint32_t { own, start_of_transfer };

  void handle(Event event) override {
    if (event.kind == start_of_transfer) return start(event.subject);
    log_.push_back({engine_.now().value, Delivery::Kind::event, event.subject});
  }
  void transfer_ended(TransferToken token) override {
    log_.push_back({engine_.now().value, Delivery::Kind::end_of_transfer, token});
    for (std::uint32_t t = 0; t < plan_.transfers.size(); ++t)
      if (plan_.transfers[t].after == static_cast<int>(token)) start(t);
  }
  void start(std::uint32_t t) {
    PlannedTransfer const& transfer = plan_.transfers[t];
    engine_.start_transfer(MemoryNodeId{transfer.from}, MemoryNodeId{transfer.to}, Bytes{transfer.size}, t);
  }

  Topology topology_;
  Plan const& plan_;
  Engine engine_;
  Log log_;
};

/// Returns what `work` returns, computed in a child process: SimGrid keeps static state.
template <class Work>
auto in_child(Work const& work) {
  using Items = std::invoke_result_t<Work const&>;
  using Item = typename Items::value_type;
  static_assert(std::is_trivially_copyable_v<Item>);
  preload_network_models();  // once, not in each child
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe to a child process");
  std::cout.flush();  // or the child would write it again
  std::fflush(nullptr);
  pid_t const child = fork();
  if (child < 0) throw std::runtime_error("no child process");
  if (child == 0) {
    close(ends[0]);
    int status = 0;
    try {
      Items const items = work();
      auto const* data = reinterpret_cast<char const*>(items.data());
      std::size_t left = items.size() * sizeof(Item);
      while (left > 0 && status == 0) {
        ssize_t const written = write(ends[1], data, left);
        if (written <= 0) {
          status = 1;
        } else {
          data += written;
          left -= static_cast<std::size_t>(written);
        }
      }
    } catch (std::exception const& error) {
      std::fprintf(stderr, "in a child process: %s\n", error.what());
      status = 1;
    } catch (...) {
      status = 1;
    }
    _exit(status);
  }
  close(ends[1]);
  std::vector<char> received;
  std::array<char, 4096> chunk;
  for (ssize_t count = 0; (count = read(ends[0], chunk.data(), chunk.size())) > 0;)
    received.insert(received.end(), chunk.begin(), chunk.begin() + count);
  close(ends[0]);
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error("a child process failed");
  Items items;
  for (std::size_t at = 0; at + sizeof(Item) <= received.size(); at += sizeof(Item)) {
    std::array<char, sizeof(Item)> bytes;
    std::copy_n(received.begin() + static_cast<std::ptrdiff_t>(at), sizeof(Item), bytes.begin());
    items.push_back(std::bit_cast<Item>(bytes));
  }
  return items;
}

inline Log run(NamedNetwork const& network, Platform const& platform, Plan const& plan) {
  auto const work = [&] { return PlanRunner(network.options, platform, plan).run(); };
  return network.options.model == NetworkModel::simgrid ? in_child(work) : work();
}

/// [transfers] the date at which each ended; -1 for one that did not.
inline std::vector<double> ends_in(Log const& log, std::size_t transfers) {
  std::vector<double> ends(transfers, -1);
  for (Delivery const& delivery : log)
    if (delivery.kind == Delivery::Kind::end_of_transfer) ends.at(delivery.subject) = delivery.date;
  return ends;
}

inline std::vector<double> ends_of(NamedNetwork const& network, Platform const& platform, Plan const& plan) {
  return ends_in(run(network, platform, plan), plan.transfers.size());
}

/// Equal up to rounding, relative to the date: by default doctest adds 1 to the scale.
inline doctest::Approx close_to(double expected, double relative = 1e-9) {
  return doctest::Approx(expected).epsilon(relative).scale(0);
}

/// A node with `gpus` GPUs and no route yet.
inline NodeType node_type(int gpus, LinkRate nic, std::string subnet = {}) {
  NodeType type;
  type.name = "test";
  type.cores = 1 + gpus;
  type.gpus.assign(static_cast<std::size_t>(gpus), {"gpu", Bytes{1'000'000'000}});
  type.nic = nic;
  type.subnet = std::move(subnet);
  auto const memories = static_cast<std::size_t>(gpus + 1);
  if (gpus > 0) {
    type.bus.routes.resize(memories * memories);
    type.bus.predicted.resize(memories * memories, {BytesPerSecond{1}, Seconds{0}});
  }
  return type;
}

/// The links that a copy inside a node of this type crosses, to be set.
inline std::vector<std::uint32_t>& route_between(NodeType& type, std::size_t from, std::size_t to) {
  return type.bus.routes[from * (type.gpus.size() + 1) + to];
}

/// A fat tree of one level of switches under its top.
inline FatTree leaves_of(std::uint32_t nodes, std::uint32_t uplinks, LinkRate uplink) {
  return {.levels = {{.down = nodes, .up = uplinks, .uplink = uplink}}};
}

/// One node of each type.
inline Platform platform_with(std::vector<NodeType> types, NetworkSpec network = {}) {
  Platform platform;
  platform.types = std::move(types);
  for (std::uint32_t t = 0; t < platform.types.size(); ++t) platform.nodes.push_back(t);
  platform.network = std::move(network);
  return platform;
}

}  // namespace factosim::testing
