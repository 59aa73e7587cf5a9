#include "simulator/report/analysis/run_summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/tasks/graph/area_bound.hpp"
#include "simulator/tasks/graph/graph_order.hpp"

namespace factosim {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Returns the time during which at least one transfer is in flight, from starts and ends.
double in_use(std::vector<std::pair<double, double>> spans) {
  std::ranges::sort(spans, {}, &std::pair<double, double>::first);
  double total = 0, until = -infinity;
  for (auto const& [start, end] : spans) {
    total += std::max(0.0, end - std::max(start, until));
    until = std::max(until, end);
  }
  return total;
}

struct Carried {
  RunSummary::Link link;
  std::vector<std::pair<double, double>> spans;  // start, end
  void add(double start, double end, Bytes size) {
    ++link.transfers;
    link.bytes += std::max<std::int64_t>(size.value, 0);
    if (std::isnan(start) || std::isnan(end)) return;
    link.duration_s += end - start;
    spans.emplace_back(start, end);
  }
};

template <class Key>
std::vector<RunSummary::Link> links(std::map<Key, Carried>& carried) {
  std::vector<RunSummary::Link> out;
  for (auto& [key, c] : carried) {
    c.link.in_use_s = in_use(std::move(c.spans));
    out.push_back(std::move(c.link));
  }
  return out;
}

class Summarizer {
 public:
  Summarizer(Causes const& causes, bool by_type, RunStart start)
      : trace_(causes.trace()), causes_(causes), resource_(resources_of(trace_, by_type)), start_(start) {
    s_.by_type = by_type;
  }

  RunSummary summary() {
    s_.source = trace_.source;
    s_.format = trace_.format;
    s_.findings = texts_of(trace_.findings);
    s_.workers = trace_.workers.size();
    dates();
    kernels();
    nodes();
    iterations();
    transfers();
    add_bounds();
    ready();
    return std::move(s_);
  }

 private:
  [[nodiscard]] double duration(std::size_t t) const { return trace_.end_s[t] - trace_.start_s[t]; }

  void dates() {
    double first = infinity, last = -infinity;
    for (std::uint32_t t = 0; t < trace_.task_count(); ++t) {
      if (!trace_.ran(TaskId{t})) continue;
      ran_.push_back(t);
      first = std::min(first, trace_.start_s[t]);
      last = std::max(last, trace_.end_s[t]);
    }
    if (ran_.empty())
      throw InputError(
          trace_.source + "#",
          "has no task that ran (a task needs a worker, a start and an end). Give another trace");
    s_.tasks = ran_.size();
    s_.origin_s = start_ == RunStart::own && trace_.format == "factosim" ? 0 : first;
    s_.makespan_s = last - s_.origin_s;
  }

  void kernels() {
    std::map<KernelOn, std::vector<double>> durations;
    std::map<std::pair<std::uint16_t, std::string>, std::vector<double>*> known;
    for (std::uint32_t const t : ran_) {
      auto const [place, is_new] =
          known.try_emplace({trace_.kernel[t], resource_[trace_.worker[t].index()]}, nullptr);
      if (is_new)
        place->second = &durations[{timing_name(trace_.kernels[trace_.kernel[t]]), place->first.second}];
      place->second->push_back(duration(t));
    }
    for (auto& [kernel, values] : durations) s_.kernels[kernel] = summarize(std::move(values));
  }

  void nodes() {
    for (Trace::Node const& n : trace_.nodes)
      s_.nodes.push_back({.name = n.name, .type = n.type, .first_task_s = unknown, .last_task_s = unknown});
    for (Trace::Worker const& w : trace_.workers) ++s_.nodes[w.node.index()].workers;
    for (std::uint32_t const t : ran_) {
      RunSummary::Node& n = s_.nodes[trace_.node_of(TaskId{t}).index()];
      ++n.tasks;
      n.busy_s += duration(t);
      n.first_task_s = std::fmin(n.first_task_s, trace_.start_s[t] - s_.origin_s);
      n.last_task_s = std::fmax(n.last_task_s, trace_.end_s[t] - s_.origin_s);
    }
    for (RunSummary::Node& n : s_.nodes) n.idle_s = static_cast<double>(n.workers) * s_.makespan_s - n.busy_s;
  }

  void iterations() {
    if (trace_.indices.empty()) return;
    std::map<std::int32_t, std::pair<double, std::vector<double>>> by_k;  // first start, ends
    for (std::uint32_t const t : ran_) {
      std::int32_t const k = trace_.indices[t].k;
      if (k < 0) continue;
      auto& [start, ends] = by_k.try_emplace(k, infinity, std::vector<double>()).first->second;
      start = std::min(start, trace_.start_s[t] - s_.origin_s);
      ends.push_back(trace_.end_s[t] - s_.origin_s);
    }
    for (auto& [k, of] : by_k) {
      auto& [start, ends] = of;
      std::ranges::sort(ends);
      s_.iterations.push_back({.k = k,
                               .tasks = ends.size(),
                               .first_start_s = start,
                               .first_end_s = ends.front(),
                               .median_end_s = median(ends),
                               .last_end_s = ends.back()});
    }
  }

  void transfers() {
    std::map<std::pair<NodeId, NodeId>, Carried> messages;
    for (Trace::Message const& m : trace_.messages) {
      Carried& c = messages[{m.from, m.to}];
      if (c.link.name.empty())
        c.link.name = std::to_string(m.from.value()) + " to " + std::to_string(m.to.value());
      c.add(m.start_s, m.end_s, m.size);
    }
    s_.messages = links(messages);
    std::vector<bool> const on_gpu = trace_.gpu_memories();
    std::map<std::string, Carried> copies;
    for (Trace::Copy const& copy : trace_.copies) {
      std::string const name =
          std::string(on_gpu[copy.from.index()] ? "d2" : "h2") + (on_gpu[copy.to.index()] ? "d" : "h");
      copies[name].link.name = name;
      copies[name].add(copy.start_s, copy.end_s, copy.size);
    }
    s_.copies = links(copies);
  }

  // ---- bounds ----

  /// Computes the area bound of tasks on classes of workers, from the mean duration of each kernel on each
  /// class.
  class Area {
   public:
    void add_worker(std::string const& worker_class) { ++classes_[worker_class].count; }
    void add_task(std::string const& worker_class, std::size_t kernel, double seconds) {
      auto& sums = classes_[worker_class].sums;
      if (sums.size() <= kernel) sums.resize(kernel + 1);
      sums[kernel].first += seconds;
      ++sums[kernel].second;
      if (tasks_.size() <= kernel) tasks_.resize(kernel + 1, 0);
      ++tasks_[kernel];
    }
    [[nodiscard]] double bound() const {
      std::vector<WorkerClass> classes;
      for (auto const& [name, c] : classes_) {
        WorkerClass out{c.count, std::vector<double>(tasks_.size(), infinity)};
        for (std::size_t k = 0; k < c.sums.size(); ++k)
          if (c.sums[k].second > 0)
            out.durations[k] = c.sums[k].first / static_cast<double>(c.sums[k].second);
        classes.push_back(std::move(out));
      }
      return tasks_.empty() ? 0 : area_bound(tasks_, classes).makespan.value;
    }

   private:
    struct Class {
      std::uint32_t count = 0;
      std::vector<std::pair<double, std::uint64_t>> sums;  // [kernels] seconds, tasks
    };
    std::map<std::string, Class> classes_;
    std::vector<std::uint64_t> tasks_;  // [kernels]
  };

  void add_bounds() {
    Area all;
    std::vector<Area> of_node(trace_.nodes.size());
    for (std::size_t w = 0; w < trace_.workers.size(); ++w) {
      all.add_worker(resource_[w]);
      of_node[trace_.workers[w].node.index()].add_worker(resource_[w]);
    }
    for (std::uint32_t const t : ran_) {
      std::string const& on = resource_[trace_.worker[t].index()];
      all.add_task(on, trace_.kernel[t], duration(t));
      of_node[trace_.node_of(TaskId{t}).index()].add_task(on, trace_.kernel[t], duration(t));
    }
    s_.abe_s = all.bound();
    for (std::size_t n = 0; n < of_node.size(); ++n) s_.nodes[n].abe_s = of_node[n].bound();
    measured_critical_path();
  }

  void measured_critical_path() {
    s_.critical_path_s = unknown;
    if (trace_.predecessor_begin.empty()) return;
    TaskGraph graph;
    graph.kernel = trace_.kernel;
    TaskRows successors = transpose(trace_.predecessor_begin, trace_.predecessors);
    graph.successor_begin = std::move(successors.begin);
    graph.successors = std::move(successors.items);
    std::vector<Seconds> durations(trace_.task_count());
    for (std::uint32_t const t : ran_) durations[t] = Seconds{duration(t)};
    CriticalPath const path = critical_path(graph, durations);
    s_.critical_path_s = path.length.value;
    s_.critical_path_tasks = path.tasks.size();
  }

  // ---- ready tasks ----

  void ready() {
    bool const known =
        !trace_.predecessor_begin.empty() ||
        std::any_of(ran_.begin(), ran_.end(), [&](auto t) { return !std::isnan(trace_.submit_s[t]); });
    if (!known || s_.makespan_s <= 0) return;
    constexpr std::size_t intervals = 50;
    double const width = s_.makespan_s / static_cast<double>(intervals);
    std::vector<double> area(intervals, 0);
    for (std::uint32_t const t : ran_) {
      double from = std::max(0.0, causes_.ready_s(TaskId{t}) - s_.origin_s);
      double const to = trace_.start_s[t] - s_.origin_s;
      while (from < to) {
        auto const i = std::min(intervals - 1, static_cast<std::size_t>(from / width));
        double const until = i + 1 == intervals ? to : std::min(to, width * static_cast<double>(i + 1));
        area[i] += until - from;
        if (until <= from) break;  // at the very edge of an interval, rounded
        from = until;
      }
    }
    for (double const a : area) {
      s_.ready_tasks.push_back(a / width);
      s_.ready_mean += a / s_.makespan_s;
      s_.ready_most = std::max(s_.ready_most, a / width);
    }
  }

  Trace const& trace_;
  Causes const& causes_;
  std::vector<std::string> resource_;  // [workers]
  RunStart start_;
  std::vector<std::uint32_t> ran_;  // tasks that ran
  RunSummary s_;
};

}  // namespace

double RunSummary::busy_s() const {
  double sum = 0;
  for (Node const& n : nodes) sum += n.busy_s;
  return sum;
}

double RunSummary::mean_transfer_s(std::vector<Link> const& links) {
  double const transfers = total(links, &Link::transfers);
  return transfers > 0 ? total(links, &Link::duration_s) / transfers : 0;
}

std::vector<std::string> resources_of(Trace const& trace, bool by_type) {
  std::vector<std::string> out;
  for (Trace::Worker const& w : trace.workers) {
    out.emplace_back(w.device == Trace::Device::gpu ? "gpu" : "cpu");
    if (by_type) out.back().insert(0, trace.nodes[w.node.index()].type + " ");
  }
  return out;
}

RunSummary summarize_run(Causes const& causes, bool by_type, RunStart start) {
  return Summarizer(causes, by_type, start).summary();
}

}  // namespace factosim
