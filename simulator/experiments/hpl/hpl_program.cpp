#include "simulator/experiments/hpl/hpl_program.hpp"

#include <algorithm>

namespace factosim {

namespace {

using Kind = HplAction::Kind;

/// Adds the part of process `self` in a collective operation. `number(i)` is the process with number i of the
/// operation, `unit` the bytes of its unit.
template <class Number>
void add_collective(HplCollective const& messages, int self, double unit, bool along_row, bool looks,
                    Number const& number, std::deque<HplAction>& actions) {
  auto const exchange = [&](int partner, double out, bool sends, bool receives) {
    actions.push_back({.kind = Kind::exchange,
                       .partner = number(partner),
                       .out = sends ? out * unit : -1,
                       .in = receives,
                       .along_row = along_row});
    if (looks) actions.push_back({.kind = Kind::look});
  };
  for (HplRound const& round : messages.rounds)
    for (HplExchange const& e : round) {
      if (e.to_a == 0 && e.to_b == 0) continue;
      if (e.a == self) exchange(e.b, e.to_b, e.to_b > 0, e.to_a > 0);
      if (e.b == self) exchange(e.a, e.to_a, e.to_a > 0, e.to_b > 0);
    }
  for (int k = 0; k < messages.rolls; ++k)
    exchange(rolling_partner(self, k, messages.rolls + 1), messages.rolled, true, true);
}

int distance(int from, int to, int size) { return (to - from + size) % size; }

}  // namespace

HplProgram::HplProgram(HplSystem const& system)
    : system_(system),
      problem_(system.problem()),
      depth_(std::min<std::int64_t>(problem_.lookahead, problem_.panels())),
      forwards_(forwards(problem_.broadcast, problem_.q)) {}

double HplProgram::update_s(std::size_t process, int r, HplAction const& update, std::int64_t columns) const {
  return system_.update_factor(process, update.draw) *
         system_.update_s(process, problem_.rows_from(update.panel + 1, r), columns,
                          problem_.width(update.panel), update.panel % problem_.p == r);
}

void HplProgram::add(std::int64_t step, int r, int c, Actions& actions, AwaitedPanel& awaited) const {
  if (step < depth_) {  // the first panels, before there is anything to overlap them with
    add_panel(step, r, c, actions);
    add_broadcast(step, r, c, true, actions, awaited);
    if (step < depth_ - 1)
      add_update(step, problem_.columns_from(step + 1, c) - problem_.columns_from(depth_, c),
                 problem_.first_update(step), r, c, actions);
    return;
  }
  std::int64_t const k = step;
  if (k >= problem_.panels()) return;
  if (k % problem_.q == c)
    for (std::int64_t u = k - depth_; u < k; ++u)
      add_update(u, problem_.width(k), problem_.partial_update(u, k), r, c, actions);
  add_panel(k, r, c, actions);
  add_broadcast(k, r, c, depth_ == 0, actions, awaited);
  add_update(k - depth_, problem_.columns_from(k + 1, c), problem_.main_update(k - depth_), r, c, actions);
  actions.push_back({.kind = Kind::wait});
}

void HplProgram::add_panel(std::int64_t k, int r, int c, Actions& actions) const {
  if (k % problem_.q != c) return;
  int const width = problem_.width(k), root = static_cast<int>(k % problem_.p);
  std::size_t const self = system_.number(r, c);
  double const column_s = system_.panel_s(self, problem_.rows_from(k, r), width) / width;
  HplCollective const search = pivot_search(problem_.p);
  for (int j = 0; j < width; ++j) {
    actions.push_back({.kind = Kind::compute, .seconds = column_s});
    add_collective(
        search, distance(root, r, problem_.p), system_.pivot_bytes(width), false, false,
        [&](int i) { return system_.number((root + i) % problem_.p, c); }, actions);
  }
  double const below = static_cast<double>(problem_.rows_from(k + 1, r));
  actions.push_back({.kind = Kind::compute, .seconds = system_.copy_s(self, below * width)});
}

void HplProgram::add_broadcast(std::int64_t k, int r, int c, bool waits, Actions& actions,
                               AwaitedPanel& awaited) const {
  int const q = problem_.q, root = static_cast<int>(k % q), d = distance(root, c, q);
  awaited = {};
  awaited.bytes = system_.panel_bytes(problem_.rows_from(k + 1, r), problem_.width(k));
  for (int const to : forwards_[static_cast<std::size_t>(d)])
    awaited.to.push_back(system_.number(r, (root + to) % q));
  for (int from = 0; from < q; ++from)
    for (int const to : forwards_[static_cast<std::size_t>(from)])
      if (to == d) {
        awaited.missing = true;
        awaited.from = system_.number(r, (root + from) % q);
      }
  if (d == 0)
    for (std::size_t const to : awaited.to)
      actions.push_back({.kind = Kind::exchange, .partner = to, .out = awaited.bytes, .along_row = true});
  if (is_long(problem_.broadcast)) {
    actions.push_back({.kind = Kind::wait});
    return add_long_broadcast(k, r, c, actions);
  }
  actions.push_back({.kind = waits ? Kind::wait : Kind::look});
}

void HplProgram::add_long_broadcast(std::int64_t k, int r, int c, Actions& actions) const {
  int const q = problem_.q, root = static_cast<int>(k % q);
  bool const skips = problem_.broadcast == HplBroadcast::long_modified;
  int d = distance(root, c, q);
  if (q == 1 || (skips && (d == 1 || q == 2))) return;
  if (skips && d > 0) --d;
  double const bytes = system_.panel_bytes(problem_.rows_from(k + 1, r), problem_.width(k));
  add_collective(
      long_broadcast(skips ? q - 1 : q), d, bytes, true, false,
      [&](int i) { return system_.number(r, (root + (skips && i > 0 ? i + 1 : i)) % q); }, actions);
}

void HplProgram::add_update(std::int64_t u, std::int64_t columns, std::uint64_t draw, int r, int c,
                            Actions& actions) const {
  if (columns > 0) {
    add_swap(u, columns, r, c, actions);
    actions.push_back({.kind = Kind::look});
    actions.push_back({.kind = Kind::update, .columns = columns, .panel = u, .draw = draw});
  }
}

void HplProgram::add_swap(std::int64_t u, std::int64_t columns, int r, int c, Actions& actions) const {
  int const root = static_cast<int>(u % problem_.p), width = problem_.width(u);
  add_collective(
      swap_messages(problem_.swap_of(columns), problem_.p, width), distance(root, r, problem_.p),
      8 * static_cast<double>(columns), false, true,
      [&](int i) { return system_.number((root + i) % problem_.p, c); }, actions);
  actions.push_back({.kind = Kind::compute,
                     .seconds = system_.copy_s(system_.number(r, c), static_cast<double>(columns) * width)});
}

}  // namespace factosim
