#include "simulator/trace/import/job_graph.hpp"

#include <algorithm>

namespace factosim {

JobGraph::JobGraph(StarpuRun const& run) : run_(run), seen_(run.jobs.size(), 0) {
  by_key_.reserve(run.jobs.size());
  for (std::uint32_t i = 0; i < run.jobs.size(); ++i) by_key_.emplace_back(run.jobs[i].name.key(), i);
  std::sort(by_key_.begin(), by_key_.end());
  auto const again = std::unique(by_key_.begin(), by_key_.end(),
                                 [](auto const& a, auto const& b) { return a.first == b.first; });
  repeated_ = static_cast<std::size_t>(by_key_.end() - again);
  by_key_.erase(again, by_key_.end());

  std::vector<std::pair<std::uint32_t, std::uint32_t>> further;  // (task, predecessor)
  for (auto const& [job, before] : run.further_dependencies) {
    std::uint32_t const a = index_of(job), b = index_of(before);
    if (a == none || b == none)
      ++unknown_jobs_;
    else
      further.emplace_back(a, b);
  }
  std::sort(further.begin(), further.end());
  begin_.reserve(run.jobs.size() + 1);
  before_.reserve(run.dependencies.size() + further.size());
  begin_.push_back(0);
  auto extra = further.begin();
  for (std::uint32_t i = 0; i < run.jobs.size(); ++i) {
    StarpuJob const& job = run.jobs[i];
    for (std::uint32_t d = job.first_dependency; d < job.first_dependency + job.dependencies; ++d) {
      std::uint32_t const before = index_of(run.dependencies[d]);
      if (before == none)
        ++unknown_jobs_;
      else
        before_.push_back(before);
    }
    for (; extra != further.end() && extra->first == i; ++extra) before_.push_back(extra->second);
    begin_.push_back(static_cast<std::uint32_t>(before_.size()));
  }
}

std::uint32_t JobGraph::index_of(std::uint64_t key) const {
  auto const found = std::lower_bound(by_key_.begin(), by_key_.end(), std::pair{key, std::uint32_t{0}});
  return found != by_key_.end() && found->first == key ? found->second : none;
}

}  // namespace factosim
