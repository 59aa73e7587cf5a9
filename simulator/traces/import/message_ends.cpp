#include "simulator/traces/import/completion.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace factosim {

namespace {

/// Resolution of clocks and printed dates.
constexpr double rounding_s = 1e-6;

struct Users {
  std::vector<std::uint32_t> writers, readers;  // tasks by their end; tasks by their start
};

std::uint64_t key(NodeId node, HandleId handle) {
  return std::uint64_t{node.value()} << 32U | handle.value();
}

/// Collects the tasks that write and read the handles of `users` where they run.
void find_users(Trace const& trace, std::unordered_map<std::uint64_t, Users>& users) {
  for (std::uint32_t t = 0; t < trace.task_count(); ++t) {
    NodeId const node = trace.node_of(TaskId{t});
    if (!node.valid()) continue;
    for (DataAccess const& access : trace.accesses_of(TaskId{t})) {
      auto const place = users.find(key(node, access.handle()));
      if (place == users.end()) continue;
      if (writes(access.mode())) place->second.writers.push_back(t);
      if (reads(access.mode())) place->second.readers.push_back(t);
    }
  }
  for (auto& [place, u] : users) {
    std::stable_sort(u.writers.begin(), u.writers.end(),
                     [&](auto a, auto b) { return trace.end_s[a] < trace.end_s[b]; });
    std::stable_sort(u.readers.begin(), u.readers.end(),
                     [&](auto a, auto b) { return trace.start_s[a] < trace.start_s[b]; });
  }
}

}  // namespace

void find_message_ends(Trace& trace, std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  std::vector<Trace::Message>& messages = trace.messages;
  std::vector<std::uint32_t> open;  // messages without ends, by arrival
  std::unordered_map<std::uint64_t, Users> users;
  for (std::uint32_t i = 0; i < messages.size(); ++i) {
    Trace::Message const& m = messages[i];
    if (m.producer.valid() || !m.handle.valid()) continue;
    open.push_back(i);
    users[key(m.from, m.handle)];
    users[key(m.to, m.handle)];
  }
  if (open.empty() || trace.access_begin.empty()) return;
  find_users(trace, users);
  std::stable_sort(open.begin(), open.end(),
                   [&](auto a, auto b) { return messages[a].end_s > messages[b].end_s; });
  std::unordered_map<std::uint64_t, double> next_arrival;
  for (std::uint32_t const i : open) {  // latest arrival first
    Trace::Message& m = messages[i];
    auto const& writers = users[key(m.from, m.handle)].writers;
    auto const after = std::partition_point(writers.begin(), writers.end(), [&](std::uint32_t t) {
      return trace.end_s[t] <= m.start_s + rounding_s;
    });
    if (after != writers.begin()) m.producer = TaskId{*std::prev(after)};
    double& until =
        next_arrival.try_emplace(key(m.to, m.handle), std::numeric_limits<double>::infinity()).first->second;
    auto const& readers = users[key(m.to, m.handle)].readers;
    auto reader = std::partition_point(readers.begin(), readers.end(), [&](std::uint32_t t) {
      return trace.start_s[t] < m.end_s - rounding_s;
    });
    for (; reader != readers.end() && trace.start_s[*reader] < until; ++reader) {
      if (!m.consumer.valid()) m.consumer = TaskId{*reader};
      if (m.producer.valid()) edges.emplace_back(*reader, m.producer.value());
    }
    until = m.end_s;
  }
}

}  // namespace factosim
