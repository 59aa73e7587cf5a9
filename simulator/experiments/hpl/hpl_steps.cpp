#include "simulator/experiments/hpl/hpl_steps.hpp"

#include <array>
#include <cmath>

#include "simulator/experiments/hpl/hpl_collective.hpp"
#include "simulator/experiments/hpl/hpl_messages.hpp"

namespace factosim {

namespace {

class StepsRun {
 public:
  StepsRun(HplSystem const& system, HplLinks const& links)
      : system_(system),
        links_(links),
        cards_(links),
        problem_(system.problem()),
        forwards_(forwards(problem_.broadcast, problem_.q)),
        date_(system.size()),
        swapped_(system.size()),
        found_(system.size()),
        received_(system.size()),
        done_(system.size()),
        next_(system.size()),
        early_(system.size()),
        factor_(system.size(), 1),
        column_(static_cast<std::size_t>(problem_.p)),
        row_(static_cast<std::size_t>(problem_.q)),
        starts_(row_.size()),
        alone_(row_.size()),
        slow_downs_(row_.size(), 1) {
    out_.processes.resize(system.size());
    pivots_ = pivot_search(problem_.p);
    for (HplSwap const swap : {HplSwap::binary_exchange, HplSwap::long_})
      swaps_.push_back(swap_messages(swap, problem_.p, 1));
    if (is_long(problem_.broadcast))
      long_ = long_broadcast(problem_.broadcast == HplBroadcast::long_modified ? problem_.q - 1 : problem_.q);
  }

  HplOutcome run() {
    std::int64_t const panels = problem_.panels(), depth = std::min<std::int64_t>(problem_.lookahead, panels);
    for (std::int64_t k = 0; k < depth; ++k) {
      factor_panel(k);
      broadcast(k);
      if (k < depth - 1) share_cards(k, k + 1, depth);
      if (k < depth - 1)
        for (int c = 0; c < problem_.q; ++c)
          update_column(c, k, problem_.columns_from(k + 1, c) - problem_.columns_from(depth, c),
                        slow_downs_[static_cast<std::size_t>(c)], problem_.first_update(k));
    }
    for (std::int64_t k = depth; k < panels; ++k) {
      auto const owner = static_cast<int>(k % problem_.q);
      for (std::int64_t u = k - depth; u < k; ++u)
        update_column(owner, u, problem_.width(k), 1, problem_.partial_update(u, k));
      factor_panel(k);
      std::int64_t const updated = k - depth;
      if (depth == 0 || is_long(problem_.broadcast)) {
        broadcast(k);
        share_cards(updated, k + 1, panels);
        for (int c = 0; c < problem_.q; ++c)
          update_column(c, updated, problem_.columns_from(k + 1, c), slow_downs_[static_cast<std::size_t>(c)],
                        problem_.main_update(updated));
      } else {
        broadcast_during_update(k, updated);
      }
    }
    for (std::size_t i = 0; i < date_.size(); ++i) {
      out_.processes[i].end = date_[i];
      out_.makespan = std::max(out_.makespan, Seconds{date_[i]});
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] int row_of_panel(std::int64_t k) const { return static_cast<int>(k % problem_.p); }
  [[nodiscard]] int column_of_panel(std::int64_t k) const { return static_cast<int>(k % problem_.q); }
  /// Rows below the diagonal block of panel k.
  [[nodiscard]] std::int64_t rows_below(std::int64_t k, int r) const { return problem_.rows_from(k + 1, r); }

  /// The column factors the panel together: each pivot needs all of them.
  void factor_panel(std::int64_t k) {
    int const c = column_of_panel(k), width = problem_.width(k);
    double start = 0, compute = 0;
    for (int r = 0; r < problem_.p; ++r) {
      std::size_t const i = system_.number(r, c);
      start = std::max(start, date_[i]);
      compute = std::max(compute, system_.panel_s(i, problem_.rows_from(k, r), width));
    }
    int const root = row_of_panel(k);
    std::fill(column_.begin(), column_.end(), 0.0);
    cards_.advance(column_, pivots_, system_.pivot_bytes(width), 1,
                   [&](int d) { return in_column(d, root, c); });
    double const search = *std::max_element(column_.begin(), column_.end());
    double const end = start + compute + width * search;
    for (int r = 0; r < problem_.p; ++r) {
      std::size_t const i = system_.number(r, c);
      double const copied = end + system_.copy_s(i, static_cast<double>(rows_below(k, r)) * width);
      out_.processes[i].factoring += copied - date_[i];
      date_[i] = copied;
    }
  }

  [[nodiscard]] std::size_t in_column(int distance, int root, int c) const {
    int const r = root + distance;
    return system_.number(r < problem_.p ? r : r - problem_.p, c);
  }
  [[nodiscard]] std::size_t in_row(int distance, int root, int r) const {
    int const c = root + distance;
    return system_.number(r, c < problem_.q ? c : c - problem_.q);
  }

  /// All processes wait for panel k.
  void broadcast(std::int64_t k) {
    if (problem_.q == 1) return;
    int const root = column_of_panel(k);
    for (int r = 0; r < problem_.p; ++r) {
      double const bytes = system_.panel_bytes(rows_below(k, r), problem_.width(k));
      for (int d = 0; d < problem_.q; ++d) row_[static_cast<std::size_t>(d)] = date_[in_row(d, root, r)];
      double const rows_on_node = links_.in_column(in_row(0, root, r));
      for (int d = 0; d < problem_.q; ++d)
        for (int const to : forwards_[static_cast<std::size_t>(d)]) {
          double& sender = row_[static_cast<std::size_t>(d)];
          double& receiver = row_[static_cast<std::size_t>(to)];
          sender = receiver = std::max(sender, receiver) +
                              links_.seconds(in_row(d, root, r), in_row(to, root, r), bytes, rows_on_node);
        }
      if (is_long(problem_.broadcast)) spread_panel(r, root, bytes, rows_on_node);
      for (int d = 0; d < problem_.q; ++d) {
        std::size_t const i = in_row(d, root, r);
        out_.processes[i].broadcasting += row_[static_cast<std::size_t>(d)] - date_[i];
        date_[i] = row_[static_cast<std::size_t>(d)];
      }
    }
  }

  /// Advances `row_` by the long broadcast; its modified form leaves process 1 out.
  void spread_panel(int r, int root, double bytes, double rows_on_node) {
    bool const modified = problem_.broadcast == HplBroadcast::long_modified;
    double const second = row_[1];
    if (modified) row_.erase(row_.begin() + 1);
    cards_.advance(row_, long_, bytes, rows_on_node,
                   [&](int d) { return in_row(modified && d > 0 ? d + 1 : d, root, r); });
    if (modified) row_.insert(row_.begin() + 1, second);
  }

  /// Advances `column_`, dates of a column of processes by distance from panel u's row, by the messages of the swap of
  /// its rows and the broadcast of U, on cards that other columns slow down by that factor.
  void exchange_rows(int c, std::int64_t u, std::int64_t columns, double slow_down) {
    int const root = row_of_panel(u);
    double const elements = static_cast<double>(columns) * problem_.width(u);
    HplCollective const& messages = swaps_[problem_.swap_of(columns) == HplSwap::long_ ? 1 : 0];
    auto const process = [&](int d) { return in_column(d, root, c); };
    cards_.advance(column_, messages, 8 * elements, slow_down, process);
  }

  /// Swaps rows and spreads U in a column of processes: `columns` local columns of panel u's rows.
  void swap(int c, std::int64_t u, std::int64_t columns, double slow_down) {
    if (columns == 0) return;
    int const root = row_of_panel(u);
    for (int d = 0; d < problem_.p; ++d) column_[static_cast<std::size_t>(d)] = date_[in_column(d, root, c)];
    exchange_rows(c, u, columns, slow_down);
    double const elements = static_cast<double>(columns) * problem_.width(u);
    for (int d = 0; d < problem_.p; ++d) {
      std::size_t const i = in_column(d, root, c);
      double const end = column_[static_cast<std::size_t>(d)] + system_.copy_s(i, elements);
      out_.processes[i].swapping += end - date_[i];
      date_[i] = end;
    }
  }

  /// Sets how much the columns slow each other's swaps with panel u down, from what each would take alone. Column c
  /// swaps the columns from block `first` on, less those from block `end` on.
  void share_cards(std::int64_t u, std::int64_t first, std::int64_t end) {
    if (!links_.columns_share_cards()) return;
    for (int c = 0; c < problem_.q; ++c) {
      double start = 0;
      for (int r = 0; r < problem_.p; ++r) {
        std::size_t const i = system_.number(r, c);
        start = std::max(start, early_[i] ? received_[i] : date_[i]);
      }
      std::fill(column_.begin(), column_.end(), 0.0);
      std::int64_t const columns = problem_.columns_from(first, c) - problem_.columns_from(end, c);
      if (columns > 0) exchange_rows(c, u, columns, 1);
      starts_[static_cast<std::size_t>(c)] = start;
      alone_[static_cast<std::size_t>(c)] = *std::max_element(column_.begin(), column_.end());
    }
    slow_downs_ = links_.slow_downs(starts_, alone_);
  }

  [[nodiscard]] double update_s(std::size_t i, int r, std::int64_t u, std::int64_t columns) const {
    return factor_[i] *
           system_.update_s(i, rows_below(u, r), columns, problem_.width(u), r == row_of_panel(u));
  }
  void draw(std::size_t i, std::uint64_t update) {
    if (system_.updates_vary()) factor_[i] = system_.update_factor(i, update);
  }

  void update_column(int c, std::int64_t u, std::int64_t columns, double slow_down, std::uint64_t update) {
    if (columns == 0) return;
    swap(c, u, columns, slow_down);
    for (int r = 0; r < problem_.p; ++r) {
      std::size_t const i = system_.number(r, c);
      draw(i, update);
      double const seconds = update_s(i, r, u, columns);
      date_[i] += seconds;
      out_.processes[i].updating += seconds;
    }
  }

  /// A process's next look for its panel at or after `date`, once it has swapped its rows, and the columns that it has
  /// updated by then.
  struct Look {
    double date;
    std::int64_t columns;
  };
  [[nodiscard]] Look look(std::size_t i, int r, std::int64_t u, std::int64_t columns, double date) const {
    double const since = date - swapped_[i];
    if (since <= 0) return {swapped_[i], 0};
    if (columns == 0) return {date, 0};
    double const piece = update_s(i, r, u, std::min<std::int64_t>(problem_.nb, columns));
    double const pieces = std::ceil(since / piece);
    auto const whole = static_cast<double>(columns / problem_.nb);
    if (pieces <= whole)
      return {swapped_[i] + pieces * piece, static_cast<std::int64_t>(pieces) * problem_.nb};
    double const end = swapped_[i] + whole * piece + update_s(i, r, u, columns % problem_.nb);
    return {std::max(end, date), columns};
  }

  /// Sends panel k from process i, which has it since `ready_`, to those of its receivers that are still to be served.
  void send_late(std::size_t i, int d, int r, std::int64_t k, std::int64_t u, double& ready) {
    int const root = column_of_panel(k);
    double const bytes = system_.panel_bytes(rows_below(k, r), problem_.width(k));
    auto const& receivers = forwards_[static_cast<std::size_t>(d)];
    for (; next_[i] < receivers.size(); ++next_[i]) {
      int const to = receivers[next_[i]];
      std::size_t const j = in_row(to, root, r);
      int const c = (root + to) % problem_.q;
      Look const found = look(j, r, u, problem_.columns_from(k + 1, c), ready);
      found_[j] = found.date;
      done_[j] = found.columns;
      ready = received_[j] = found.date + links_.seconds(i, j, bytes, links_.in_column(i));
    }
  }

  /// All columns update with panel u while panel k makes its way along the rows.
  void broadcast_during_update(std::int64_t k, std::int64_t u) {
    int const root = column_of_panel(k);
    receive_early(k);
    share_cards(u, k + 1, problem_.panels());
    // From the last column of the ring back: a process that sends before its swap waits for later columns only.
    for (int d = problem_.q - 1; d >= 0; --d) {
      int const c = (root + d) % problem_.q;
      for (int r = 0; r < problem_.p; ++r) {
        std::size_t const i = system_.number(r, c);
        draw(i, problem_.main_update(u));
        if (d > 0 && !early_[i]) continue;
        double ready = received_[i];
        send_late(i, d, r, k, u, ready);
        out_.processes[i].broadcasting += ready - date_[i];
        date_[i] = ready;
      }
      swap(c, u, problem_.columns_from(k + 1, c), slow_downs_[static_cast<std::size_t>(c)]);
      for (int r = 0; r < problem_.p; ++r) {
        std::size_t const i = system_.number(r, c);
        swapped_[i] = date_[i];
      }
    }
    for (int d = 0; d < problem_.q; ++d) {
      int const c = (root + d) % problem_.q;
      std::int64_t const columns = problem_.columns_from(k + 1, c);
      for (int r = 0; r < problem_.p; ++r) finish_update(system_.number(r, c), d, r, k, u, columns);
    }
  }

  /// Finds the processes that have panel k before they swap rows: it is there when they look first.
  void receive_early(std::int64_t k) {
    int const root = column_of_panel(k);
    std::fill(early_.begin(), early_.end(), char{0});
    std::fill(next_.begin(), next_.end(), std::size_t{0});
    for (int r = 0; r < problem_.p; ++r) {
      double const bytes = system_.panel_bytes(rows_below(k, r), problem_.width(k));
      for (int d = 0; d < problem_.q; ++d) {
        std::size_t const i = in_row(d, root, r);
        if (d == 0) received_[i] = date_[i];
        if (d > 0 && !early_[i]) continue;
        auto const& receivers = forwards_[static_cast<std::size_t>(d)];
        for (; next_[i] < receivers.size(); ++next_[i]) {
          std::size_t const j = in_row(receivers[next_[i]], root, r);
          if (date_[j] < received_[i]) break;  // it has begun to swap
          received_[i] = received_[j] = date_[j] + links_.seconds(i, j, bytes, links_.in_column(i));
          early_[j] = 1;
        }
      }
    }
  }

  void finish_update(std::size_t i, int d, int r, std::int64_t k, std::int64_t u, std::int64_t columns) {
    if (d == 0 || early_[i]) {
      double const seconds = update_s(i, r, u, columns);
      date_[i] = swapped_[i] + seconds;
      out_.processes[i].updating += seconds;
      return;
    }
    double ready = received_[i];
    send_late(i, d, r, k, u, ready);
    double const rest = update_s(i, r, u, columns - done_[i]);
    date_[i] = ready + rest;
    // Until it found the panel it updated, except for a wait at the end.
    double const before = done_[i] < columns ? found_[i] - swapped_[i] : update_s(i, r, u, columns);
    out_.processes[i].updating += before + rest;
    out_.processes[i].broadcasting += date_[i] - swapped_[i] - before - rest;
  }

  HplSystem const& system_;
  HplLinks const& links_;
  HplCollectiveDates cards_;
  HplProblem const& problem_;
  std::vector<std::vector<int>> forwards_;  // [q]
  HplCollective pivots_, long_;
  std::vector<HplCollective> swaps_;  // of one row: binary exchange, long

  // [processes]; dates in seconds
  std::vector<double> date_;          // until which the process is simulated
  std::vector<double> swapped_;       // when it has swapped the rows of this step
  std::vector<double> found_;         // when it found its panel
  std::vector<double> received_;      // when it had received it
  std::vector<std::int64_t> done_;    // columns that it had updated when it found its panel
  std::vector<std::size_t> next_;     // its next receiver
  std::vector<char> early_;           // whether it received its panel before it swapped
  std::vector<double> factor_;        // of the current update
  std::vector<double> column_, row_;  // dates of one collective operation, by distance from its root
  // [q], of the swaps of a step
  std::vector<double> starts_, alone_, slow_downs_;
  HplOutcome out_;
};

}  // namespace

HplOutcome simulate_hpl_steps(HplSystem const& system, HplLinks const& links) {
  return StepsRun(system, links).run();
}

}  // namespace factosim
