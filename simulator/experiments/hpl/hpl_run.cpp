#include "simulator/experiments/hpl/hpl_run.hpp"

#include <cmath>
#include <deque>
#include <unordered_map>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/base/core/id_pool.hpp"
#include "simulator/experiments/hpl/hpl_program.hpp"
#include "simulator/runtime/engine/engine.hpp"

namespace factosim {

namespace {

using Kind = HplAction::Kind;

class MessagesRun final : private EventHandler {
 public:
  MessagesRun(HplSystem const& system, Topology const& topology, std::unique_ptr<Network> network,
              TimeGrid const& grid)
      : system_(system),
        problem_(system.problem()),
        topology_(topology),
        program_(system),
        engine_(std::move(network), grid),
        states_(system.size()) {
    out_.processes.resize(system.size());
  }

  HplOutcome run() {
    for (std::size_t i = 0; i < states_.size(); ++i) go_on(i);
    engine_.run(*this);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      FACTOSIM_ALWAYS(states_[i].step == program_.steps() && states_[i].actions.empty(),
                      "a process of HPL waits for ever");
      out_.processes[i].end = states_[i].end.value;
      out_.makespan = std::max(out_.makespan, states_[i].end);
    }
    return std::move(out_);
  }

 private:
  enum EventKind : std::uint32_t { computed, arrived };

  struct State {
    std::int64_t step = 0;  // the next one
    std::deque<HplAction> actions;
    AwaitedPanel awaited;
    int open = 0;  // messages that it waits for
    Seconds end{};
  };
  struct Message {
    std::size_t from, to;
  };
  using MessageToken = Id<Message>;
  /// Messages from one process to another, along a row or a column: those that only one side is ready for.
  struct Meeting {
    std::deque<double> sends;  // bytes
    int receives = 0;
  };

  void handle(Event event) override {
    if (event.kind == computed) return go_on(event.subject);
    transfer_ended(event.subject);
  }

  void transfer_ended(TransferToken token) override {
    Message const m = messages_[MessageToken{token}];
    messages_.remove(MessageToken{token});
    for (std::size_t const i : {m.from, m.to})
      if (--states_[i].open == 0) go_on(i);
  }

  void go_on(std::size_t i) {
    State& state = states_[i];
    while (true) {
      while (state.actions.empty() && state.step < program_.steps()) {
        auto const p = static_cast<std::size_t>(problem_.p);
        program_.add(state.step++, static_cast<int>(i % p), static_cast<int>(i / p), state.actions,
                     state.awaited);
      }
      if (state.actions.empty()) {
        state.end = engine_.now();
        return;
      }
      HplAction const action = state.actions.front();
      state.actions.pop_front();
      if (begin(i, action)) return;
    }
  }

  /// Returns whether the action takes time.
  bool begin(std::size_t i, HplAction const& action) {
    State& state = states_[i];
    switch (action.kind) {
      case Kind::compute:
        return compute(i, action.seconds);
      case Kind::exchange:
        state.open = (action.out >= 0 ? 1 : 0) + (action.in ? 1 : 0);
        if (action.out >= 0) meet(i, action.partner, action.along_row, &action.out);
        if (action.in) meet(action.partner, i, action.along_row, nullptr);
        return true;
      case Kind::look:
        if (panel_is_there(state, i)) receive_panel(state);
        return false;
      case Kind::wait:
        if (state.awaited.missing) receive_panel(state);
        return false;
      case Kind::update:
        return update(i, action);
    }
    return false;
  }

  bool compute(std::size_t i, double seconds) {
    if (seconds <= 0) return false;
    engine_.after({seconds}, {computed, static_cast<std::uint32_t>(i)});
    return true;
  }

  bool update(std::size_t i, HplAction action) {
    State& state = states_[i];
    std::int64_t columns = action.columns;
    if (columns == 0) return false;
    if (state.awaited.missing) {
      columns = std::min<std::int64_t>(columns, problem_.nb);
      action.columns -= columns;
      state.actions.push_front(action);
      state.actions.push_front({.kind = Kind::look});
    }
    double const seconds =
        program_.update_s(i, static_cast<int>(i % static_cast<std::size_t>(problem_.p)), action, columns);
    out_.processes[i].updating += seconds;
    return compute(i, seconds);
  }

  [[nodiscard]] bool panel_is_there(State const& state, std::size_t i) {
    return state.awaited.missing && !meeting(state.awaited.from, i, true).sends.empty();
  }

  void receive_panel(State& state) {
    AwaitedPanel& panel = state.awaited;
    panel.missing = false;
    for (std::size_t to = panel.to.size(); to-- > 0;)
      state.actions.push_front(
          {.kind = Kind::exchange, .partner = panel.to[to], .out = panel.bytes, .along_row = true});
    state.actions.push_front({.kind = Kind::exchange, .partner = panel.from, .in = true, .along_row = true});
  }

  Meeting& meeting(std::size_t from, std::size_t to, bool along_row) {
    return meetings_[(from * states_.size() + to) * 2 + (along_row ? 1 : 0)];
  }

  /// One side of a message is ready: the sender, with its bytes, or the receiver.
  void meet(std::size_t from, std::size_t to, bool along_row, double const* bytes) {
    Meeting& m = meeting(from, to, along_row);
    if (bytes != nullptr && m.receives > 0) {
      --m.receives;
      start(from, to, *bytes);
    } else if (bytes != nullptr) {
      m.sends.push_back(*bytes);
    } else if (!m.sends.empty()) {
      double const waiting = m.sends.front();
      m.sends.pop_front();
      start(from, to, waiting);
    } else {
      ++m.receives;
    }
  }

  void start(std::size_t from, std::size_t to, double bytes) {
    ++out_.messages;
    std::uint32_t const token = messages_.add({from, to}).value();
    NodeId const a = system_.node_of(from), b = system_.node_of(to);
    if (a != b)
      return engine_.start_transfer(topology_.ram_of(a), topology_.ram_of(b), Bytes{std::llround(bytes)},
                                    token);
    LinkRate const& local = system_.costs_of(from).local;
    engine_.after(local.latency + Seconds{bytes / local.bandwidth.value}, {arrived, token});
  }

  HplSystem const& system_;
  HplProblem const& problem_;
  Topology const& topology_;
  HplProgram program_;
  Engine engine_;
  std::vector<State> states_;                            // [processes]
  std::unordered_map<std::uint64_t, Meeting> meetings_;  // by sender, receiver and direction
  IdPool<MessageToken, Message> messages_;
  HplOutcome out_;
};

double count(HplCollective const& messages, int size) {
  double out = static_cast<double>(messages.rolls) * size;
  for (HplRound const& round : messages.rounds)
    for (HplExchange const& e : round) out += (e.to_a > 0 ? 1 : 0) + (e.to_b > 0 ? 1 : 0);
  return out;
}

}  // namespace

HplOutcome simulate_hpl_messages(HplSystem const& system, Topology const& topology,
                                 std::unique_ptr<Network> network, TimeGrid const& grid) {
  return MessagesRun(system, topology, std::move(network), grid).run();
}

double count_hpl_messages(HplProblem const& problem) {
  HplSwap const swap = problem.swap == HplSwap::binary_exchange ? HplSwap::binary_exchange : HplSwap::long_;
  double const of_panel =
      problem.nb * count(pivot_search(problem.p), problem.p) +
      problem.p *
          (problem.q - 1.0 + (is_long(problem.broadcast) ? count(long_broadcast(problem.q), problem.q) : 0));
  double const of_swaps =
      (problem.q + problem.lookahead) * count(swap_messages(swap, problem.p, 1), problem.p);
  return static_cast<double>(problem.panels()) * (of_panel + of_swaps);
}

}  // namespace factosim
