// Properties of messages between nodes for random graphs, clusters and options.

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "simulator/tasks/graph/critical_path.hpp"
#include "tests/graph/random_flow.hpp"
#include "tests/runtime/small_cluster.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

constexpr double nic_bandwidth = 1e8;  // of platform_of
constexpr double tie = 1e-9;           // s

template <class T>
T one_of(Random& random, std::vector<T> const& values) {
  return values[static_cast<std::size_t>(random.between(0, static_cast<int>(values.size()) - 1))];
}

RuntimeOptions random_options(Random& random) {
  RuntimeOptions o;
  o.communication_cores = 0;
  o.submission_cost = Seconds{one_of<double>(random, {0, 1e-6, 0.05})};
  o.max_sends_per_node = one_of<int>(random, {1, 2, 10});
  o.sends_by_priority = random.chance(70);
  o.rendezvous = random.chance(50);
  o.pinning_cost = Seconds{one_of<double>(random, {0, 650e-6})};
  o.broadcast = one_of<Broadcast>(
      random, {Broadcast::point_to_point, Broadcast::binomial, Broadcast::ring, Broadcast::cooperative});
  o.unrolling = one_of<Unrolling>(random, {Unrolling::whole, Unrolling::pruned, Unrolling::own});
  o.max_submitted_tasks = one_of<int>(random, {0, 0, 3, 20});
  o.late_receive_buffers = random.chance(30);
  o.parallel_sends = random.chance(30);
  return o;
}

struct RandomRun {
  Simulated simulated;
  int nodes = 0, rams_apart = 0;  // memory nodes from one node's RAM to the next one's
};

/// `threads`: communication threads take time for messages.
RandomRun random_run(Random& random, bool threads = false) {
  RandomRun out;
  out.nodes = random.between(2, 5);
  int const gpus = random.between(0, 2), handles = random.between(3, 12);
  out.rams_apart = 1 + gpus;
  Program program;  // every handle is written before it is read: applications send only outputs of tasks
  for (int h = 0; h < handles; ++h) program.push_back({access(h, Access::write)});
  for (auto const& task : random_factorization_like(random, random.between(5, 80), handles))
    program.push_back(task);
  TaskGraph graph = graph_of(program, handles, tile);
  for (std::int32_t& priority : graph.priority) priority = random.between(0, 5);
  std::vector<NodeId> owner;
  for (int h = 0; h < handles; ++h) owner.emplace_back(random.between(0, out.nodes - 1));
  Platform platform = platform_of(out.nodes, random.between(1, 3), gpus);
  RuntimeOptions const options = random_options(random);
  auto const policy = one_of<std::string>(random, {"dmda", "dmdas", "lws", "prio", "eager"});
  if (threads)
    platform.types[0].communication.per_message = Seconds{one_of<double>(random, {1e-6, 1e-3, 0.1})};
  out.simulated = simulate(std::move(graph), owner, platform, options, policy);
  return out;
}

/// Calls `check(run)` for many random runs.
template <class Check>
void for_random_runs(Check check) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    check(random_run(random));
  }
}

/// Messages of a trace: copies between the RAMs of two nodes.
std::vector<TransferRecord> messages_of(RandomRun const& run) {
  std::vector<TransferRecord> out;
  auto const node = [&](MemoryNodeId m) { return m.value() / static_cast<std::uint32_t>(run.rams_apart); };
  for (TransferRecord const& t : run.simulated.trace.transfers)
    if (node(t.from) != node(t.to)) out.push_back(t);
  return out;
}

NodeId node_of(RandomRun const& run, MemoryNodeId memory) {
  return NodeId{memory.value() / static_cast<std::uint32_t>(run.rams_apart)};
}

}  // namespace

TEST_SUITE("property") {
  // A cooperative broadcast once gave a node another message after the last event of that node.
  TEST_CASE("with threads that take time for messages every task runs") {
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      RandomRun const run = random_run(random, true);
      std::uint64_t ran = 0;
      for (auto const& node : run.simulated.outcome.nodes) ran += node.tasks;
      CHECK(ran == run.simulated.graph.task_count());
    }
  }

  TEST_CASE("messages start after their producer has ended and arrive before their readers start") {
    for_random_runs([](RandomRun const& run) {
      Simulated const& s = run.simulated;
      std::vector<TaskRecord> record(s.graph.task_count());
      for (TaskRecord const& r : s.trace.tasks) record[r.task.index()] = r;
      auto const messages = messages_of(run);
      for (std::uint32_t t = 0; t < s.graph.task_count(); ++t)
        for (TaskId const reader : s.graph.successors_of(TaskId{t})) {
          NodeId const to = s.plan.node_of(reader);
          if (to == s.plan.node_of(TaskId{t})) continue;
          bool const carried = std::ranges::any_of(messages, [&](TransferRecord const& m) {
            return m.handle == s.graph.written_by(TaskId{t}) && node_of(run, m.to) == to &&
                   m.start.value >= record[t].end.value - tie &&
                   m.end.value <= record[reader.index()].start.value + tie;
          });
          CHECK(carried);
        }
    });
  }

  TEST_CASE("sent and received messages are those of the plan") {
    for_random_runs([](RandomRun const& run) {
      Simulated const& s = run.simulated;
      auto const messages = messages_of(run);
      std::uint64_t const planned = count_messages(s.graph, s.plan);
      CHECK(messages.size() == planned);
      CHECK(s.outcome.tiles_sent == planned);
      CHECK(s.outcome.bytes_sent.value == static_cast<std::int64_t>(planned) * tile.value);
      std::vector<std::uint64_t> sent(static_cast<std::size_t>(run.nodes)), received(sent);
      for (TransferRecord const& m : messages) {
        ++sent[node_of(run, m.from).index()];
        ++received[node_of(run, m.to).index()];
      }
      for (std::size_t n = 0; n < sent.size(); ++n) {
        CHECK(s.outcome.nodes[n].tiles_sent == sent[n]);
        CHECK(s.outcome.nodes[n].tiles_received == received[n]);
      }
    });
  }

  TEST_CASE("no NIC exceeds its bandwidth between any two ends of messages") {
    for_random_runs([](RandomRun const& run) {
      for (bool const out : {true, false}) {
        std::map<std::uint32_t, std::vector<TransferRecord>> by_node;
        for (TransferRecord const& m : messages_of(run))
          by_node[node_of(run, out ? m.from : m.to).value()].push_back(m);
        for (auto const& [node, messages] : by_node)
          for (TransferRecord const& first : messages)
            for (TransferRecord const& last : messages) {
              // Bytes of the messages that started and ended in the interval.
              std::int64_t bytes = 0;
              for (TransferRecord const& m : messages)
                if (m.start >= first.start && m.end <= last.end) bytes += m.size.value;
              if (bytes == 0) continue;
              CHECK(static_cast<double>(bytes) <=
                    nic_bandwidth * (last.end.value - first.start.value) * (1 + 1e-9) + 1);
            }
      }
    });
  }

  TEST_CASE("no run is shorter than the longest chain of tasks and messages") {
    for_random_runs([](RandomRun const& run) {
      Simulated const& s = run.simulated;
      double const fastest = run.rams_apart > 1 ? gpu_time : core_time;
      auto const message = [&](TaskId from, TaskId to) {
        return Seconds{
            s.plan.runs_on(to, s.plan.node_of(from)) ? 0.0 : static_cast<double>(tile.value) / nic_bandwidth};
      };
      Seconds const minimum =
          critical_path(s.graph, std::vector<Seconds>(s.graph.task_count(), Seconds{fastest}), message)
              .length;
      CHECK(s.outcome.makespan.value >= minimum.value * (1 - 1e-12));
    });
  }
}
