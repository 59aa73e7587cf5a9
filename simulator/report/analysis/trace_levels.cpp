#include "simulator/report/analysis/trace_levels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>

#include "factosim/error.hpp"
#include "simulator/base/core/compressed_rows.hpp"

namespace factosim {

TimeBins::TimeBins(double end_s, std::size_t intervals)
    : end_(end_s),
      width_(end_s / static_cast<double>(intervals)),
      change_(intervals, 0),
      area_(intervals, 0) {
  FACTOSIM_EXPECT(end_s > 0 && intervals > 0, "there is time to cut");
}

void TimeBins::change(double date_s, double amount) {
  auto const i = std::min(change_.size() - 1, static_cast<std::size_t>(date_s / width_));
  change_[i] += amount;
  area_[i] += amount * (static_cast<double>(i + 1) * width_ - date_s);
}

void TimeBins::add(double from_s, double to_s, double amount) {
  double const from = std::clamp(from_s, 0.0, end_), to = std::clamp(to_s, 0.0, end_);
  if (!(to > from)) return;  // nothing of it, or an unknown date
  change(from, amount);
  change(to, -amount);
}

std::vector<float> TimeBins::averages() const {
  std::vector<float> out;
  out.reserve(area_.size());
  double before = 0, maximum = 0;
  for (std::size_t i = 0; i < area_.size(); ++i) {
    double const average = before + area_[i] / width_;
    before += change_[i];
    maximum = std::max(maximum, average);
    // A sum that should be 0 may differ by rounding.
    out.push_back(average > 1e-9 * maximum ? static_cast<float>(average) : 0.0F);
  }
  return out;
}

std::size_t columns_for(std::size_t rows) {
  constexpr std::size_t max_cells = std::size_t{1} << 20U;
  return std::clamp<std::size_t>(max_cells / std::max<std::size_t>(rows, 1), 64, 1024);
}

CellCounter::CellCounter(std::size_t rows, std::size_t columns, std::size_t colors, double end_s)
    : rows_(rows),
      columns_(columns),
      colors_(colors),
      width_(end_s / static_cast<double>(columns)),
      seconds_(rows * columns * colors, 0) {
  FACTOSIM_EXPECT(colors < CellRows::empty && end_s > 0 && columns > 0,
                  "colours have numbers, time a length");
}

void CellCounter::add(std::size_t row, std::size_t color, double from_s, double to_s) {
  double from = std::max(from_s, 0.0);
  double const end = width_ * static_cast<double>(columns_), to = std::min(to_s, end);
  if (!(to > from)) return;
  auto column = std::min(columns_ - 1, static_cast<std::size_t>(from / width_));
  for (; column < columns_ && from < to; ++column) {
    double const until = column + 1 == columns_ ? to : std::min(to, width_ * static_cast<double>(column + 1));
    seconds_[(row * columns_ + column) * colors_ + color] += static_cast<float>(std::max(0.0, until - from));
    from = std::max(from, until);
  }
}

double CellCounter::seconds_of(std::size_t cell) const {
  auto const first = seconds_.begin() + static_cast<std::ptrdiff_t>(cell * colors_);
  return std::accumulate(first, first + static_cast<std::ptrdiff_t>(colors_), 0.0);
}

double CellCounter::maximum() const {
  double maximum = 0;
  for (std::size_t cell = 0; cell < rows_ * columns_; ++cell) {
    maximum = std::max(maximum, seconds_of(cell) / width_);
  }
  return maximum;
}

CellRows CellCounter::cells(double whole) const {
  CellRows out{.rows = rows_, .columns = columns_};
  out.color.reserve(rows_ * columns_);
  out.share.reserve(rows_ * columns_);
  for (std::size_t cell = 0; cell < rows_ * columns_; ++cell) {
    auto const first = seconds_.begin() + static_cast<std::ptrdiff_t>(cell * colors_);
    auto const last = first + static_cast<std::ptrdiff_t>(colors_);
    double const sum = seconds_of(cell);
    bool const any = sum > 0;
    out.color.push_back(any ? static_cast<std::uint8_t>(std::max_element(first, last) - first)
                            : CellRows::empty);
    double const share = std::min(1.0, sum / (width_ * whole));
    out.share.push_back(any ? static_cast<std::uint8_t>(std::max(1L, std::lround(255 * share))) : 0);
  }
  return out;
}

CoarseSize coarse_size(CellRows const& cells, std::size_t max_rows, std::size_t max_columns) {
  if (cells.rows == 0) return {.rows = 0, .columns = cells.columns};
  CoarseSize out{.high = (cells.rows + max_rows - 1) / max_rows,
                 .wide = (cells.columns + max_columns - 1) / max_columns};
  out.rows = (cells.rows + out.high - 1) / out.high;
  out.columns = (cells.columns + out.wide - 1) / out.wide;
  return out;
}

CellRows coarser(CellRows const& cells, std::size_t max_rows, std::size_t max_columns) {
  if (cells.rows == 0) return cells;
  auto const [rows, columns, high, wide] = coarse_size(cells, max_rows, max_columns);
  CellRows out{.rows = rows, .columns = columns};
  std::array<std::uint32_t, 256> sums{};  // of the shares, by colour
  for (std::size_t row = 0; row < out.rows; ++row)
    for (std::size_t column = 0; column < out.columns; ++column) {
      sums.fill(0);
      std::uint32_t sum = 0, count = 0;
      for (std::size_t r = row * high; r < std::min(cells.rows, (row + 1) * high); ++r)
        for (std::size_t c = column * wide; c < std::min(cells.columns, (column + 1) * wide); ++c) {
          sums[cells.color[cells.at(r, c)]] += cells.share[cells.at(r, c)];
          sum += cells.share[cells.at(r, c)];
          ++count;
        }
      out.color.push_back(sum == 0
                              ? CellRows::empty
                              : static_cast<std::uint8_t>(std::ranges::max_element(sums) - sums.begin()));
      out.share.push_back(static_cast<std::uint8_t>(sum / count));
    }
  return out;
}

namespace {

class LevelCounter {
 public:
  LevelCounter(Causes const& causes, double origin, double end, std::size_t intervals)
      : causes_(causes), trace_(causes.trace()), origin_(origin), end_(end), intervals_(intervals) {}

  std::vector<LevelRows> levels() {
    tasks();
    messages();
    copies();
    std::vector<LevelRows> out;
    for (std::size_t level = 0; level < bins_.size(); ++level)
      if (!bins_[level].empty()) {
        out.push_back({.id = ids[level]});
        for (TimeBins const& b : bins_[level]) out.back().rows.push_back(b.averages());
      }
    return out;
  }

 private:
  enum Level : std::uint8_t {
    submitted,
    ready,
    running,
    gflops,
    sent,
    received,
    nic_out,
    nic_in,
    copied,  // RAM to RAM; RAM to GPU, GPU to RAM and GPU to GPU follow
  };
  static constexpr std::array<char const*, copied + 4> ids{
      "submitted_tasks", "ready_tasks", "running_tasks", "gflops",  "messages_sent", "messages_received",
      "nic_out_Bps",     "nic_in_Bps",  "h2h_Bps",       "h2d_Bps", "d2h_Bps",       "d2d_Bps"};

  void add(std::size_t level, NodeId node, double from, double to, double amount) {
    if (bins_[level].empty()) bins_[level].assign(trace_.nodes.size(), TimeBins(end_, intervals_));
    bins_[level][node.index()].add(from - origin_, to - origin_, amount);
  }

  void tasks() {
    bool const dependencies = !trace_.predecessor_begin.empty();
    for (std::uint32_t t = 0; t < trace_.task_count(); ++t) {
      if (!trace_.ran(TaskId{t})) continue;
      NodeId const node = trace_.node_of(TaskId{t});
      double const start = trace_.start_s[t], end = trace_.end_s[t];
      bool const submission = !std::isnan(trace_.submit_s[t]);
      add(running, node, start, end, 1);
      if (submission) add(submitted, node, trace_.submit_s[t], end, 1);
      if (submission || dependencies) add(ready, node, causes_.ready_s(TaskId{t}), start, 1);
      if (!trace_.flops.empty() && trace_.flops[t] > 0 && end > start)
        add(gflops, node, start, end, trace_.flops[t] / 1e9 / (end - start));
    }
  }

  void messages() {
    for (Trace::Message const& m : trace_.messages) {
      add(sent, m.from, m.start_s, m.end_s, 1);
      add(received, m.to, m.start_s, m.end_s, 1);
      add(nic_out, m.from, m.start_s, m.end_s, rate(m.size, m.start_s, m.end_s));
      add(nic_in, m.to, m.start_s, m.end_s, rate(m.size, m.start_s, m.end_s));
    }
  }

  void copies() {
    std::vector<bool> const on_gpu = trace_.gpu_memories();
    for (Trace::Copy const& c : trace_.copies)
      add(copied + (on_gpu[c.from.index()] ? 2U : 0U) + (on_gpu[c.to.index()] ? 1U : 0U),
          trace_.memory_nodes[c.to.index()].node, c.start_s, c.end_s, rate(c.size, c.start_s, c.end_s));
  }

  [[nodiscard]] static double rate(Bytes size, double start, double end) {
    return end > start && size.value > 0 ? static_cast<double>(size.value) / (end - start) : 0;
  }

  Causes const& causes_;
  Trace const& trace_;
  double origin_, end_;
  std::size_t intervals_;
  std::array<std::vector<TimeBins>, ids.size()> bins_;  // [nodes] each; empty: no data
};

double bytes_of(Trace::Handle const& handle) {
  return static_cast<double>(std::max<std::int64_t>(handle.size.value, 0));
}

/// An arrival or a use of a handle in a memory node.
struct Use {
  double from, to;  // present from the first date, needed until the second
  MemoryNodeId memory;
  bool arrival;  // of a new copy; else a use of the present one
};

class Residencies {
 public:
  explicit Residencies(Trace const& trace)
      : trace_(trace),
        ram_(rams_of(trace)),
        uses_(collect_rows<Use>(trace.handles.size(), [&](auto const& use) { each_use(use); })) {}

  /// Calls `visit(memory node, from, to, bytes)` for each residency. Data stay in the RAM of their owner
  /// for ever.
  template <class Visit>
  void visit(Visit const& visit) {
    for (std::size_t h = 0; h < trace_.handles.size(); ++h) {
      Trace::Handle const& handle = trace_.handles[h];
      double const bytes = bytes_of(handle);
      MemoryNodeId const home = handle.owner.valid() ? ram_[handle.owner.index()] : MemoryNodeId{};
      if (home.valid()) visit(home, -INFINITY, INFINITY, bytes);
      auto use = uses_.items.begin() + uses_.begin[h];
      auto const end = uses_.items.begin() + uses_.begin[h + 1];
      std::sort(use, end, [](Use const& a, Use const& b) {
        return std::tie(a.memory, a.from, b.arrival) < std::tie(b.memory, b.from, a.arrival);
      });
      while (use != end) {
        auto [from, until, memory, arrival] = *use++;
        for (; use != end && use->memory == memory && !use->arrival; ++use) until = std::max(until, use->to);
        if (memory != home) visit(memory, from, until, bytes);
      }
    }
  }

 private:
  /// Calls `use(handle, Use)` for each arrival and use.
  template <class Call>
  void each_use(Call const& use) const {
    auto const add = [&](MemoryNodeId memory, HandleId handle, double from, double to, bool arrival) {
      if (memory.valid() && handle.valid() && !std::isnan(from) && !std::isnan(to))
        use(handle.index(), Use{from, to, memory, arrival});
    };
    for (std::uint32_t t = 0; t < trace_.task_count(); ++t) {
      if (!trace_.worker[t].valid()) continue;
      MemoryNodeId const memory = trace_.workers[trace_.worker[t].index()].memory;
      for (DataAccess const& access : trace_.accesses_of(TaskId{t}))
        add(memory, access.handle(), trace_.start_s[t], trace_.end_s[t], false);
    }
    for (Trace::Copy const& c : trace_.copies) {
      add(c.from, c.handle, c.start_s, c.end_s, false);
      add(c.to, c.handle, c.start_s, c.end_s, true);
    }
    for (Trace::Message const& m : trace_.messages) {
      add(ram_[m.from.index()], m.handle, m.start_s, m.end_s, false);
      add(ram_[m.to.index()], m.handle, m.start_s, m.end_s, true);
    }
  }

  Trace const& trace_;
  std::vector<MemoryNodeId> ram_;  // [nodes]
  CompressedRows<Use> uses_;       // of each handle
};

}  // namespace

std::vector<LevelRows> trace_levels(Causes const& causes, double origin_s, double end_s,
                                    std::size_t intervals) {
  return LevelCounter(causes, origin_s, end_s, intervals).levels();
}

std::vector<LevelRows> memory_levels(Trace const& trace, double origin_s, double end_s,
                                     std::size_t intervals) {
  std::vector<LevelRows> out;
  if (trace.handles.empty() || trace.memory_nodes.empty()) return out;
  auto const level = [&](char const* id, auto const& each_residency) {
    std::vector<TimeBins> bins(trace.memory_nodes.size(), TimeBins(end_s, intervals));
    each_residency([&](MemoryNodeId memory, double from, double to, double bytes) {
      bins[memory.index()].add(from - origin_s, to - origin_s, bytes);
    });
    out.push_back({.id = id});
    for (TimeBins const& b : bins) out.back().rows.push_back(b.averages());
  };
  level("memory_bytes", [&](auto const& add) { Residencies(trace).visit(add); });
  if (trace.places.empty()) return out;
  level("allocated_bytes", [&](auto const& add) {
    for (Trace::Place const& p : trace.places)
      add(p.memory, p.start_s, std::isnan(p.end_s) ? INFINITY : p.end_s,
          bytes_of(trace.handles[p.handle.index()]));
  });
  return out;
}

}  // namespace factosim
