#include "simulator/studies/search/schedule_lines.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <type_traits>

#include "factosim/error.hpp"
#include "simulator/studies/search/schedule_moves.hpp"

namespace factosim {

namespace {

template <class Value>
void put(std::string& out, std::vector<Value> const& values) {
  static_assert(std::is_trivially_copyable_v<Value>);
  std::size_t const count = values.size();
  out.append(reinterpret_cast<char const*>(&count), sizeof count);
  out.append(reinterpret_cast<char const*>(values.data()), count * sizeof(Value));
}
void put(std::string& out, double value) { out.append(reinterpret_cast<char const*>(&value), sizeof value); }

/// Reads what `put` has written, in the same order.
class Unpacker {
 public:
  explicit Unpacker(std::string const& bytes) : bytes_(bytes) {}
  template <class Value>
  void get(std::vector<Value>& values) {
    std::size_t count = 0;
    copy(&count, sizeof count);
    values.resize(count);
    copy(values.data(), count * sizeof(Value));
  }
  void get(double& value) { copy(&value, sizeof value); }

 private:
  void copy(void* to, std::size_t size) {
    FACTOSIM_ALWAYS(place_ + size <= bytes_.size(), "the answer of a child process is too short");
    if (size > 0) std::memcpy(to, bytes_.data() + place_, size);
    place_ += size;
  }
  std::string const& bytes_;
  std::size_t place_ = 0;
};

void put(std::string& out, ScheduleCandidate const& candidate) {
  put(out, candidate.makespan);
  put(out, candidate.schedule.strict ? 1.0 : 0.0);
  put(out, candidate.schedule.worker);
  put(out, candidate.schedule.position);
  put(out, candidate.schedule.priority);
  put(out, candidate.schedule.start_s);
  put(out, candidate.schedule.end_s);
}

void get(Unpacker& in, ScheduleCandidate& candidate) {
  double strict = 0;
  in.get(candidate.makespan);
  in.get(strict);
  candidate.schedule.strict = strict > 0;
  in.get(candidate.schedule.worker);
  in.get(candidate.schedule.position);
  in.get(candidate.schedule.priority);
  in.get(candidate.schedule.start_s);
  in.get(candidate.schedule.end_s);
}

/// Goes on from the candidate.
void keep_better(SearchLine& line, ScheduleCandidate&& candidate) {
  if (candidate.makespan < line.best.makespan) line.best = candidate;
  line.current = std::move(candidate);
}

/// What guides a policy of the dm family.
struct Guides {
  std::vector<double> ranks;  // [tasks] the priorities have their order
  CoreShares cores{};
};

/// Changes the ranks, the shares of the kernels that are kept to cores, or which tasks of a kernel these are.
void change(Guides& guides, std::span<std::size_t const> kernels, SearchRandom& random) {
  constexpr std::array spreads{0.02, 0.05, 0.1, 0.2, 0.4};
  double const spread = spreads[static_cast<std::size_t>(random.below(spreads.size()))];
  auto const vary = [&](std::vector<double>& values) {
    for (double& value : values) value *= 1 + spread * random.around_zero();
  };
  int const kind = kernels.empty() ? 0 : random.below(4);
  if (kind == 0) return vary(guides.ranks);
  if (kind == 1) vary(guides.cores.slack);
  double& share =
      guides.cores.share[kernels[static_cast<std::size_t>(random.below(static_cast<int>(kernels.size())))]];
  share = std::clamp(share + spread * random.around_zero(), 0., 1.);
}

/// `urgent_first`: transfers have the priority of the order instead of the policy's.
TaskSchedule schedule_of(OrderedSchedule const& order, std::vector<std::int32_t> const& priority,
                         bool urgent_first) {
  TaskSchedule out{
      .worker = order.worker, .position = order.place, .priority = priority, .start_s = {}, .end_s = {}};
  if (urgent_first) {
    out.priority.clear();
    for (std::uint32_t const place : order.place)
      out.priority.push_back(static_cast<std::int32_t>(order.place.size() - place));
  }
  return out;
}

}  // namespace

void vary_guides(SearchLine& line, ScheduleJudge& judge, std::string const& policy,
                 SearchRound const& round) {
  SearchRandom random(round.seed);
  std::vector<std::size_t> const kernels = kernels_of_both_kinds(judge.plan());
  std::uint64_t done = 0;
  for (; !round.over(done); done += 2) {
    Guides guides{line.ranks, {line.shares, line.slacks}};
    for (int i = 1 << random.below(2); i > 0; --i) change(guides, kernels, random);
    ScheduleCandidate next = candidate_of(judge.judge(
        judge.run_policy(policy, priorities_by(guides.ranks), kinds_of(guides.cores, judge.plan()))
            .schedule));
    if (next.makespan >= line.guided * (1 + round.loss)) continue;
    line.guided = next.makespan;
    line.ranks = std::move(guides.ranks);
    line.shares = std::move(guides.cores.share);
    line.slacks = std::move(guides.cores.slack);
    keep_better(line, std::move(next));
  }
  line.simulations = static_cast<double>(done);
}

void change_places(SearchLine& line, ScheduleJudge& judge, bool urgent_first, SearchRound const& round) {
  SearchRandom random(round.seed);
  ScheduleMoves const moves(judge.plan());
  std::vector<std::int32_t> const priority = line.current.schedule.priority;
  auto const judged = [&](OrderedSchedule const& order) {
    return judge.judge(schedule_of(order, priority, urgent_first));
  };
  OrderedSchedule const start = ordered(line.current.schedule);
  JudgedSchedule now = judged(start);
  double current = now.makespan.value;
  RanSchedule run = moves.ran(start, now.dates);
  keep_better(line, candidate_of(std::move(now)));
  std::uint64_t done = 1;
  for (; !round.over(done); ++done) {
    OrderedSchedule changed = run.order;
    for (int i = 1 << random.below(5); i > 0; --i) moves.change(changed, run, random);
    JudgedSchedule next = judged(changed);
    if (next.makespan.value >= current * (1 + round.loss)) continue;
    current = next.makespan.value;
    run = moves.ran(std::move(changed), next.dates);
    keep_better(line, candidate_of(std::move(next)));
  }
  line.simulations = static_cast<double>(done);
}

ScheduleCandidate candidate_of(JudgedSchedule&& judged) {
  return {judged.makespan.value, std::move(judged.schedule)};
}

std::string packed(ScheduleCandidate const& candidate) {
  std::string out;
  put(out, candidate);
  return out;
}

ScheduleCandidate unpacked_candidate(std::string const& bytes) {
  ScheduleCandidate out;
  Unpacker in(bytes);
  get(in, out);
  return out;
}

std::string packed(SearchLine const& line) {
  std::string out;
  put(out, line.best);
  put(out, line.current);
  put(out, line.ranks);
  put(out, line.slacks);
  put(out, line.shares);
  put(out, line.guided);
  put(out, line.simulations);
  return out;
}

SearchLine unpacked_line(std::string const& bytes) {
  SearchLine out;
  Unpacker in(bytes);
  get(in, out.best);
  get(in, out.current);
  in.get(out.ranks);
  in.get(out.slacks);
  in.get(out.shares);
  in.get(out.guided);
  in.get(out.simulations);
  return out;
}

}  // namespace factosim
