#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <tuple>

#include "simulator/audit/rules/checks.hpp"

namespace factosim::audit {

namespace {

struct Transfer {
  Routes::Route route;
  double start, end, bytes;
  std::string what;
};

/// Demand of one transfer on a link.
struct Job {
  double release, deadline, seconds;  // seconds: time on the link
  std::uint32_t transfer;
};

class LinkCheck {
 public:
  LinkCheck(RunView const& view, AuditReport& report)
      : view_(view), bandwidth_(report.check("bandwidth")), links_(report.check("links")) {}

  void check() {
    if (view_.run.runtime.recorded_messages)
      for (Check* const c : {&bandwidth_, &links_})
        c->skip("a replay on its own machine: transfers take what they took in the recorded run");
    if (view_.run.runtime.sharing == RuntimeModel::Sharing::none)
      links_.skip("the network model \"constant\" lets transfers share nothing");
    collect();
    if (bandwidth_.skipped.empty())
      for (Transfer const& t : transfers_) check_speed(t);
    if (links_.skipped.empty()) check_sums();
  }

 private:
  void collect() {
    Trace const& trace = *view_.run.trace;
    for (Trace::Message const& m : trace.messages)
      transfers_.push_back({view_.route_of(m), m.start_s, m.end_s,
                            static_cast<double>(view_.carried(m.size).value),
                            fmt::format("message from node {} to node {}", m.from.value(), m.to.value())});
    for (Trace::Copy const& c : trace.copies) {
      NodeId const node = view_.memory_owner(c.from);
      bool const inside = node == view_.memory_owner(c.to);
      transfers_.push_back(
          {inside ? view_.routes.inside(node, view_.local_memory(c.from), view_.local_memory(c.to))
                  : Routes::Route{},
           c.start_s, c.end_s, static_cast<double>(c.size.value),
           fmt::format("copy from {} to {}", view_.name_of_memory(c.from), view_.name_of_memory(c.to))});
    }
  }

  void check_speed(Transfer const& t) {
    ++bandwidth_.cases;
    if (t.route.links.empty()) {
      bandwidth_.add({"goes where no link leads", t.what, "a route", TaskId{}, t.start});
      return;
    }
    double const minimum = t.route.latency_s + t.bytes / t.route.bandwidth_Bps;
    if (t.end - t.start < minimum * (1 - flow_round_off) - view_.tie_s)
      bandwidth_.add({fmt::format("takes {:.9g} s for {:.0f} bytes", t.end - t.start, t.bytes), t.what,
                      fmt::format("at least {:.9g} s", minimum), TaskId{}, t.start});
  }

  void check_sums() {
    std::vector<std::vector<Job>> jobs(view_.routes.links().size());
    for (std::uint32_t i = 0; i < transfers_.size(); ++i) {
      Transfer const& t = transfers_[i];
      for (std::uint32_t const link : t.route.links)
        if (view_.routes.links()[link].shared)
          jobs[link].push_back(
              {t.start + t.route.latency_s, t.end, t.bytes / view_.routes.links()[link].bandwidth_Bps, i});
    }
    for (std::size_t link = 0; link < jobs.size(); ++link) check_link(link, std::move(jobs[link]));
  }

  /// Serves the jobs earliest deadline first; a late job proves a span of time with too many bytes.
  void check_link(std::size_t link, std::vector<Job> jobs) {
    std::ranges::sort(jobs, {}, [](Job const& j) { return std::tuple(j.release, j.deadline, j.transfer); });
    auto const later = [](Job const& a, Job const& b) {
      return std::tuple(a.deadline, a.transfer) > std::tuple(b.deadline, b.transfer);
    };
    std::priority_queue<Job, std::vector<Job>, decltype(later)> waiting(later);
    double now = 0, busy_since = 0;
    std::size_t next = 0, served = 0;  // since the link was last idle
    while (next < jobs.size() || !waiting.empty()) {
      if (waiting.empty()) now = busy_since = std::max(now, jobs[next].release), served = 0;
      while (next < jobs.size() && jobs[next].release <= now) waiting.push(jobs[next++]);
      Job job = waiting.top();
      waiting.pop();
      double const until = next < jobs.size() ? jobs[next].release : now + job.seconds;
      if (now + job.seconds > until) {  // the next job is released meanwhile
        job.seconds -= until - now;
        now = until;
        waiting.push(job);
        continue;
      }
      now += job.seconds;
      ++links_.cases;
      ++served;
      double const slack =
          flow_round_off * (job.deadline - busy_since) + view_.tie_s * static_cast<double>(1 + served);
      if (now > job.deadline + slack) report_overload(link, job, now, busy_since);
    }
  }

  void report_overload(std::size_t link, Job const& job, double now, double busy_since) {
    links_.add({fmt::format("carries more than it can between {:.9g} and {:.9g} s", busy_since, job.deadline),
                fmt::format("{}, {}", view_.routes.links()[link].name, transfers_[job.transfer].what),
                fmt::format("not all of it before {:.9g} s", now), TaskId{}, job.deadline});
  }

  RunView const& view_;
  Check& bandwidth_;
  Check& links_;
  std::vector<Transfer> transfers_;
};

/// Checks the number of messages in flight, per sender and in total.
void check_concurrent(RunView const& view, AuditReport& report) {
  Check& check = report.check("sends");
  auto const& runtime = view.run.runtime;
  if (runtime.max_sends_per_node <= 0 && runtime.max_sends <= 0) return;
  struct Change {
    double date;
    int by;  // at equal dates, ends come before starts
    NodeId from;
  };
  std::vector<Change> changes;
  for (Trace::Message const& m : view.run.trace->messages) {
    changes.push_back({m.start_s, 1, m.from});
    changes.push_back({std::max(m.start_s, m.end_s), -1, m.from});
  }
  std::ranges::stable_sort(changes, {}, [](Change const& c) { return std::pair(c.date, c.by); });
  std::vector<int> of_node(view.run.platform.nodes.size(), 0);
  int all = 0;
  for (Change const& c : changes) {
    all += c.by;
    int const own = of_node[c.from.index()] += c.by;
    if (c.by < 0) continue;
    ++check.cases;
    if (runtime.max_sends_per_node > 0 && own > runtime.max_sends_per_node)
      check.add({fmt::format("sends {} messages at once", own), fmt::format("node {}", c.from.value()),
                 fmt::format("at most {}", runtime.max_sends_per_node), TaskId{}, c.date});
    if (runtime.max_sends > 0 && all > runtime.max_sends)
      check.add({fmt::format("{} messages are under way at once", all), "all nodes",
                 fmt::format("at most {}", runtime.max_sends), TaskId{}, c.date});
  }
}

/// Checks that the messages of each pair of nodes follow each other, in the order of their starts on a FIFO
/// wire.
void check_wire(RunView const& view, AuditReport& report) {
  Wire const wire = view.run.platform.network.wire;
  if (wire == Wire::shared) return;
  Check& check = report.check("wire");
  if (view.run.runtime.recorded_messages)
    return check.skip("a replay on its own machine: messages take what they took in the recorded run");
  std::vector<Trace::Message> const messages = view.messages_by_pair();
  for (std::size_t i = 1; i < messages.size(); ++i) {
    Trace::Message const &before = messages[i - 1], &m = messages[i];
    if (before.from != m.from || before.to != m.to) continue;
    ++check.cases;
    Routes::Route const route = view.route_of(m);
    double const first_byte = std::max(before.end_s, m.start_s + route.latency_s);
    double const earliest =
        first_byte + static_cast<double>(view.carried(m.size).value) / route.bandwidth_Bps;
    std::string const where = fmt::format("message from node {} to node {}", m.from.value(), m.to.value());
    if (m.end_s < earliest - flow_round_off * (earliest - first_byte) - view.tie_s)
      check.add({fmt::format("ends at {:.9g} s, beside the one that ends at {:.9g} s", m.end_s, before.end_s),
                 where, fmt::format("not before {:.9g} s", earliest), TaskId{}, m.start_s});
    if (wire == Wire::fifo && m.start_s < before.start_s - view.tie_s)
      check.add({fmt::format("was posted at {:.9g} s and overtaken", m.start_s), where,
                 fmt::format("before the one posted at {:.9g} s", before.start_s), TaskId{}, m.start_s});
  }
}

}  // namespace

void check_links(RunView const& view, AuditReport& report) {
  LinkCheck(view, report).check();
  check_concurrent(view, report);
  check_wire(view, report);
}

}  // namespace factosim::audit
