#include <fmt/format.h>

#include <simgrid/version.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <memory>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>

#include "factosim/error.hpp"
#include "simulator/runtime/engine/event_heap.hpp"
#include "simulator/runtime/engine/path_chooser.hpp"
#include "simulator/runtime/engine/simgrid.hpp"

namespace factosim {

namespace sg = simgrid;

namespace {

// SimGrid 4 has a root zone from the start, and new names for what adds to a zone: the old ones go after 4.2.
#if SIMGRID_VERSION_MAJOR >= 4
sg::s4u::NetZone* root_zone(sg::s4u::Engine const& engine) { return engine.get_netzone_root(); }
sg::s4u::Link* add_link(sg::s4u::NetZone& zone, std::string const& name, double bandwidth) {
  return zone.add_link(name, bandwidth);
}
sg::s4u::Host* add_host(sg::s4u::NetZone& zone, std::string const& name) { return zone.add_host(name, 1.0); }
#else
sg::s4u::NetZone* root_zone(sg::s4u::Engine const&) { return sg::s4u::create_full_zone("factosim"); }
sg::s4u::Link* add_link(sg::s4u::NetZone& zone, std::string const& name, double bandwidth) {
  return zone.create_link(name, bandwidth);
}
sg::s4u::Host* add_host(sg::s4u::NetZone& zone, std::string const& name) {
  return zone.create_host(name, 1.0);
}
#endif

/// Creates the engine and restores the signal handlers that SimGrid replaces.
sg::s4u::Engine* make_engine() {
  constexpr std::array taken_over{SIGINT, SIGSEGV, SIGBUS};
  std::array<struct sigaction, taken_over.size()> before{};
  for (std::size_t i = 0; i < taken_over.size(); ++i) ::sigaction(taken_over[i], nullptr, &before[i]);
  std::string program = "factosim";
  std::string quiet = "--log=root.thres:critical";
  std::array arguments{program.data(), quiet.data(), static_cast<char*>(nullptr)};
  int count = 2;
  auto* const engine = new sg::s4u::Engine(&count, arguments.data());
  for (std::size_t i = 0; i < taken_over.size(); ++i) ::sigaction(taken_over[i], &before[i], nullptr);
  return engine;
}

/// One zone with all memory nodes. It takes routes from the topology, so that SimGrid stores none.
class MemoryZone final : public sg::kernel::routing::NetZoneImpl {
 public:
  MemoryZone(std::string const& name, Topology const& topology, Topology::Path const& path)
      : NetZoneImpl(name), topology_(topology), path_(path) {}

  /// In the order of the topology's links.
  void add_link(sg::s4u::Link const* link) { links_.push_back(link->get_impl()); }

 private:
  // Memory nodes were added in order, so that SimGrid's ids equal theirs.
  void get_local_route(sg::kernel::routing::NetPoint const* from, sg::kernel::routing::NetPoint const* to,
                       sg::kernel::routing::Route* into, double* /*latency*/) override {
    Topology::RouteBuffer scratch;
    auto const memory = [](auto const* point) {
      return MemoryNodeId{static_cast<std::uint32_t>(point->id())};
    };
    for (std::uint32_t const link : topology_.way_back(memory(to), memory(from), scratch, path_))
      into->link_list_.push_back(links_[link]);
  }

  Topology const& topology_;
  Topology::Path const& path_;
  std::vector<sg::kernel::resource::StandardLinkImpl*> links_;
};

/// Creates a host of SimGrid for each memory node of `topology` and returns them, [memory nodes].
/// `topology` must outlive the engine. The links have no latency: it would cost SimGrid one more
/// event per flow. `path` is that of the flow that SimGrid starts; it must outlive the engine's use too.
std::vector<sg::s4u::Host*> build_simgrid_platform(sg::s4u::Engine const& engine, Topology const& topology,
                                                   Topology::Path const& path) {
  auto* const root = root_zone(engine);
  auto* const memory = new MemoryZone("memory", topology, path);  // SimGrid deletes it
  sg::s4u::NetZone* const zone = memory->get_iface();
  memory->set_parent(root->get_impl());
  for (std::uint32_t l = 0; l < topology.links().size(); ++l) {
    LinkSpec const& spec = topology.links()[l];
    sg::s4u::Link* const link =
        add_link(*zone, fmt::format("link:{}:{}", l, spec.name), spec.rate.bandwidth.value);
    link->set_latency(0);
    if (!topology.is_shared(l)) link->set_sharing_policy(sg::s4u::Link::SharingPolicy::FATPIPE);
    link->seal();
    memory->add_link(link);
  }

  std::vector<sg::s4u::Host*> hosts;
  for (std::uint32_t m = 0; m < topology.memory_node_count(); ++m)
    hosts.push_back(add_host(*zone, "memory:" + topology.name_of(MemoryNodeId{m}))->seal());
  zone->seal();
  root->seal();
  return hosts;
}

/// Returns a power of two that scales the penalties of flows around 1. SimGrid adds and subtracts their inverses on each
/// link and takes what is left below its precision of 1e-9 for zero: sums of inverses above 1e6, of bus latencies
/// below a microsecond, keep a larger error, and SimGrid 3.32 crashes. A power of two changes no rate.
double penalty_unit(Topology const& topology) {
  double highest = std::max(1.0, topology.message_weight()),
         lowest = std::min(1.0, topology.message_weight());
  for (LinkSpec const& link : topology.links()) {
    double const latency = link.rate.latency.value;
    if (latency <= 0) continue;
    highest = std::max(highest, 1 / latency);
    lowest = std::min(lowest, 1 / latency);
  }
  return std::exp2(std::round((std::log2(highest) + std::log2(lowest)) / 2));
}

/// One of SimGrid's models: SimGrid's loop asks it for the date of its next event, and it answers with the
/// engine's events. SimGrid asks it after the other models (as it does for ns-3), so that flows are updated once
/// per step.
class FlowModel final : public sg::kernel::resource::Model {
 public:
  FlowModel(Topology const& topology, NetworkOptions const& options)
      : Model("factosim"), topology_(topology), paths_(topology), penalty_unit_(penalty_unit(topology)) {
    static bool exists = false;
    FACTOSIM_ALWAYS(!exists, "a second SimGrid network in one process: SimGrid keeps static state");
    exists = true;
    engine_ = make_engine();
    for (auto const& [name, value] : simgrid_settings(options))
      sg::s4u::Engine::set_config(fmt::format("{}:{}", name, value));
    hosts_ = build_simgrid_platform(*engine_, topology, path_);
    // Called with an Activity by SimGrid 3, with a Comm by SimGrid 4.
    sg::s4u::Comm::on_completion_cb([this](auto const& activity) {
      auto const& comm = static_cast<sg::s4u::Comm const&>(activity);
      flow_ended(static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(comm.get_data<void>()) - 1));
    });
  }

  /// After an error there are flows in flight: SimGrid prints its stack for each one that is destroyed, so they stay.
  ~FlowModel() override {
    for (Slot& slot : slots_) slot.comm.detach();
  }

  [[nodiscard]] Topology::Path path_of(TransferToken token) const { return paths_.path_of(token); }

  void start(Seconds since, MemoryNodeId from, MemoryNodeId to, Bytes size, TransferToken token) {
    Topology::RouteBuffer scratch;
    Seconds const latency = topology_.route(from, to, scratch, paths_.start(from, to, token)).latency;
    waiting_.push(since + latency, {from, to, topology_.carried(from, to, size), token, started_++,
                                    penalty(from, to, latency)});
  }

  void run(std::shared_ptr<Model> const& self, EventSource& events, TransferListener& listener) {
    if (events_ == nullptr) engine_->add_model(self);
    events_ = &events;
    listener_ = &listener;
    for (Model* const model : engine_->get_all_models())
      if (model->get_name().starts_with("Network")) network_ = model;
    FACTOSIM_ALWAYS(network_ != nullptr, "SimGrid has no network model");
    engine_->run();
    slots_.clear();
    free_slots_.clear();
  }

  [[nodiscard]] std::uint64_t solves() const { return solves_; }

  /// False: SimGrid asks the other models first and passes their answer to this one.
  bool next_occurring_event_is_idempotent() override { return false; }

  /// Returns the seconds from SimGrid's date to the next start of a flow, or -1. `flows`: seconds to the end of
  /// the first flow, or -1. Handles the events before.
  double next_occurring_event(double flows) override {
    Seconds const now{engine_->get_clock()};
    ++solves_;
    if (!ended_.empty()) {
      if (flows >= 0 && now + Seconds{flows} <= first_end_ + events_->tie())
        return -1;  // ends at the same time as the next one
      deliver_ended();
    }
    Seconds const flow_end = flows < 0 ? EventSource::never : now + Seconds{flows};
    while (true) {
      Seconds const start = waiting_.empty() ? EventSource::never : waiting_.next_date();
      Seconds const stop = std::min(flow_end, start);
      if (events_->next_date() <= stop && events_->next_date() != EventSource::never) {
        events_->advance(stop);  // returns early if an event starts a transfer
        continue;
      }
      return start <= flow_end && start != EventSource::never ? std::max(0.0, (start - now).value) : -1;
    }
  }

  /// Called when SimGrid's clock reaches `now`: starts the flows that are due.
  void update_actions_state(double now, double) override {
    Seconds const reached{now + 4e-16 * now};  // the date was converted to a difference and back
    while (!waiting_.empty() && waiting_.next_date() <= reached) begin(waiting_.pop());
  }

 private:
  struct Waiting {
    MemoryNodeId from, to;
    Bytes size;
    TransferToken token;
    std::uint64_t order;
    double penalty;
  };
  struct Slot {  // a flow in flight
    sg::s4u::CommPtr comm;
    TransferToken token = 0;
    std::uint64_t order = 0;  // in the order of starts
  };

  /// SimGrid shares the links of a bus in inverse proportion to the latencies of the routes over them.
  [[nodiscard]] double penalty(MemoryNodeId from, MemoryNodeId to, Seconds latency) const {
    if (!topology_.same_node(from, to)) return penalty_unit_ / topology_.message_weight();
    return penalty_unit_ * (latency.value > 0 ? latency.value : 1);
  }

  void begin(Waiting const& waiting) {
    std::uint32_t slot = static_cast<std::uint32_t>(slots_.size());
    if (free_slots_.empty()) {
      slots_.emplace_back();
    } else {
      slot = free_slots_.back();
      free_slots_.pop_back();
    }
    slots_[slot].token = waiting.token;
    slots_[slot].order = waiting.order;
    if (waiting.size.value == 0) return flow_ended(slot);  // no flow needed
    auto const comm = sg::s4u::Comm::sendto_init();
    comm->set_payload_size(static_cast<std::uint64_t>(waiting.size.value));
    // SimGrid keeps a pointer for its user; here it is a number. NOLINTNEXTLINE(performance-no-int-to-ptr)
    comm->set_data(reinterpret_cast<void*>(static_cast<std::uintptr_t>(slot) + 1));
    slots_[slot].comm = comm;
    path_ = paths_.path_of(waiting.token);
    comm->set_source(hosts_[waiting.from.index()]);
    comm->set_destination(hosts_[waiting.to.index()]);  // starts it
    if (waiting.penalty != 1) network_->get_started_action_set()->back().set_sharing_penalty(waiting.penalty);
  }

  void flow_ended(std::uint32_t slot) {
    if (ended_.empty()) first_end_ = {engine_->get_clock()};
    ended_.push_back(slot);
  }

  void deliver_ended() {
    std::sort(ended_.begin(), ended_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return slots_[a].order < slots_[b].order; });
    events_->set_now(first_end_);
    for (std::uint32_t const slot : ended_) paths_.end(slots_[slot].token);
    // A delivery may start transfers, which only wait at this date; no flow ends meanwhile.
    for (std::uint32_t const slot : ended_) {
      slots_[slot].comm = nullptr;
      free_slots_.push_back(slot);
      listener_->transfer_ended(slots_[slot].token);
    }
    ended_.clear();
  }

  Topology const& topology_;
  PathChooser paths_;
  double penalty_unit_;
  Topology::Path path_ = Topology::any_path;  // of the flow that starts
  sg::s4u::Engine* engine_;                   // destroyed, with its models, by SimGrid's exit handler
  std::vector<sg::s4u::Host*> hosts_;         // [memory nodes]
  Model* network_ = nullptr;
  EventSource* events_ = nullptr;
  TransferListener* listener_ = nullptr;
  EventHeap<Waiting> waiting_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<std::uint32_t> ended_;  // slots of flows that have ended but are not delivered yet
  Seconds first_end_{0};              // SimGrid's date of the first of them
  std::uint64_t started_ = 0;
  std::uint64_t solves_ = 0;
};

/// Transfers as flows of SimGrid (model CM02 without corrections: latency + size / bandwidth, max-min
/// sharing). No actors: SimGrid steps only when a flow starts or ends; the engine's events in between are
/// handled inside its loop.
///
/// Links have no latency in SimGrid: the latency passes before the flow starts, which halves the number of times
/// SimGrid shares the links. Inside a node, where SimGrid weighs flows by 1 / latency, the weight of the flow is
/// set instead.
///
/// SimGrid keeps static state: a process can have one SimGridNetwork. A second one throws ContractError.
class SimGridNetwork final : public Network {
 public:
  SimGridNetwork(Topology const& topology, NetworkOptions const& options)
      : model_(std::make_shared<FlowModel>(topology, options)) {}

  void start(Seconds since, MemoryNodeId from, MemoryNodeId to, Bytes size, TransferToken token) override {
    model_->start(since, from, to, size, token);
  }
  void run(EventSource& events, TransferListener& listener) override {
    model_->run(model_, events, listener);
  }
  [[nodiscard]] Topology::Path path_of(TransferToken token) const override { return model_->path_of(token); }
  [[nodiscard]] std::uint64_t solves() const override { return model_->solves(); }

 private:
  std::shared_ptr<FlowModel> model_;  // shared with SimGrid
};

}  // namespace

std::unique_ptr<Network> make_simgrid_network(Topology const& topology, NetworkOptions const& options) {
  return std::make_unique<SimGridNetwork>(topology, options);
}

}  // namespace factosim
