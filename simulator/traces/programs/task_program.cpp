#include "simulator/traces/programs/task_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "factosim/error.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/base/os/text_file.hpp"
#include "simulator/traces/import/line_reader.hpp"

namespace factosim {

namespace {

/// A value of a column: a text, or a number or boolean as both formats write it; empty: not written.
struct Cell {
  std::string_view column;
  std::string value;
  bool is_text = false;
};
using Row = std::vector<Cell>;

std::string_view mode_name(Access mode) {
  return mode == Access::read ? "R" : mode == Access::write ? "W" : "RW";
}

/// Returns the text as one line of CSV needs it.
std::string quoted(std::string const& text) {
  if (text.find_first_of(",\"\n\r ") == std::string::npos) return text;
  std::string out = "\"";
  for (char const c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

/// The rows of a program, the same for both formats.
class ProgramRows {
 public:
  explicit ProgramRows(TaskProgram const& program) : program_(program), graph_(program.graph) {
    for (Kernel const& k : graph_.kernels) {
      auto const [place, is_new] = first_.try_emplace(k.name, described_.size());
      if (is_new) described_.push_back(static_cast<std::uint32_t>(&k - graph_.kernels.data()));
    }
    before_.resize(graph_.task_count());
    for (auto const& [before, after] : program.explicit_edges) before_[after.index()].push_back(before);
    for (ProgramTiming const& timing : program.timings) workers_.insert(timing.worker);
    if (std::ranges::any_of(graph_.kernels, &Kernel::is_free)) workers_.insert("cpu");  // lasts 0 s there
    timings_.resize(graph_.kernels.size());
    for (ProgramTiming const& timing : program.timings) timings_[timing.kernel].push_back(&timing);
  }

  /// Kernels, one for each name.
  [[nodiscard]] std::vector<std::uint32_t> const& kernels() const { return described_; }

  [[nodiscard]] Row kernel(std::uint32_t k) const {
    Kernel const& kernel = graph_.kernels[k];
    Row row{{"kernel", kernel.name, true},
            {"flops", kernel.flops.value > 0 ? fmt::format("{}", kernel.flops.value) : ""},
            {"timing", kernel.timing, true},
            {"precision", kernel.precision ? std::string(name_of(*kernel.precision)) : "", true},
            {"nb", kernel.nb > 0 ? fmt::format("{}", kernel.nb) : ""},
            {"memory_bound", kernel.memory_bound ? "true" : ""},
            {"asynchronous_on_gpu", fmt::format("{}", kernel.asynchronous_on_gpu)},
            {"on_spare_workers", fmt::format("{}", kernel.on_spare_workers)},
            {"free", kernel.is_free && graph_.weights.empty() ? "true" : ""}};
    for (ProgramTiming const* const timing : timings_[k])
      if (graph_.weights.empty()) row.push_back({timing->worker, fmt::format("{}", timing->seconds)});
    return row;
  }

  [[nodiscard]] Row datum(std::uint32_t h) const {
    HandleInfo const& info = graph_.handles[h];
    auto const number = [](std::int64_t value) {
      return value >= 0 ? fmt::format("{}", value) : std::string();
    };
    return {{"data", fmt::format("d{}", h), true},
            {"bytes", fmt::format("{}", info.size.value)},
            {"m", number(info.m)},
            {"n", number(info.n)},
            {"owner", info.owner.valid() ? fmt::format("{}", info.owner.value()) : ""},
            {"kind", info.data == DataKind::tile ? "" : name_of(info.data), true}};
  }

  /// The fields of a task, without its accesses and dependencies.
  [[nodiscard]] Row task(std::uint32_t t) const {
    Kernel const& kernel = graph_.kernels[graph_.kernel[t]];
    double const usual = graph_.kernels[described_[first_.find(kernel.name)->second]].flops.value;
    TaskIndices const& i = graph_.indices[t];
    auto const flag = [](bool set) { return std::string(set ? "true" : ""); };
    NodeId const node = program_.node_of_task.empty() ? NodeId{} : program_.node_of_task[t];
    std::string const& phase = graph_.phases.empty() ? none_ : graph_.phases[graph_.phase[t]].name;
    Row row{{"task", id(TaskId{t}), true},
            {"kernel", kernel.name, true},
            {"priority", graph_.priority[t] != 0 ? fmt::format("{}", graph_.priority[t]) : ""},
            {"k", fmt::format("{}", i.k)},
            {"m", fmt::format("{}", i.m)},
            {"n", fmt::format("{}", i.n)},
            {"node", node.valid() ? fmt::format("{}", node.value()) : ""},
            {"flops", kernel.flops.value != usual ? fmt::format("{}", kernel.flops.value) : ""},
            {"phase", phase, true},
            {"wont_use", flag(graph_.writes_back[t])},
            {"flush_inputs", flag(graph_.flushes(TaskId{t}))},
            {"barrier", flag(std::ranges::binary_search(graph_.barriers, t))},
            {"flush_cache", flag(std::ranges::binary_search(graph_.cache_flushes, t))}};
    for (auto const& worker : workers_)  // without weights those of its kernel, to the last digit
      if (!graph_.weights.empty()) row.push_back({worker, seconds(t, worker)});
    return row;
  }

  [[nodiscard]] std::string id(TaskId t) const {
    return program_.id.empty() ? fmt::format("{}", t.value()) : program_.id[t.index()];
  }
  [[nodiscard]] std::vector<TaskId> const& before(std::uint32_t t) const { return before_[t]; }

 private:
  [[nodiscard]] std::string seconds(std::uint32_t t, std::string const& worker) const {
    if (graph_.kernels[graph_.kernel[t]].is_free) return worker == "cpu" ? "0" : "";
    for (ProgramTiming const* const timing : timings_[graph_.kernel[t]])
      if (timing->worker == worker)
        return fmt::format("{}", timing->seconds * graph_.weight(TaskId{t}, worker != "cpu"));
    return {};
  }

  TaskProgram const& program_;
  TaskGraph const& graph_;
  std::map<std::string, std::size_t> first_;  // of each name: index into described_
  std::vector<std::uint32_t> described_;
  std::vector<std::vector<TaskId>> before_;                 // [tasks] explicit dependencies
  std::set<std::string> workers_;                           // with durations in the file
  std::vector<std::vector<ProgramTiming const*>> timings_;  // [kernels]
  std::string none_;
};

bool is_worker(std::string_view column) { return column == "cpu" || column.starts_with("cuda"); }

void put_json(TextFile& out, Row const& row, std::string_view further = {}) {
  char const* before = "{";
  for (Cell const& cell : row) {
    if (cell.value.empty()) continue;
    out.put("{}\"{}{}\":{}", before, cell.column, is_worker(cell.column) ? "_s" : "",
            cell.is_text ? json_text(std::string_view(cell.value)) : cell.value);
    before = ",";
  }
  out.put("{}}}\n", further);
}

void put_table(std::filesystem::path const& file, std::size_t rows, auto const& row_of) {
  TextFile out(file);
  for (std::size_t r = 0; r < rows; ++r) {
    std::string names, values;
    for (Cell const& cell : row_of(static_cast<std::uint32_t>(r))) {
      names += fmt::format(",{}{}", cell.column, is_worker(cell.column) ? "_s" : "");
      values += "," + quoted(cell.value);
    }
    if (r == 0) out.put("{}\n", names.substr(1));
    out.put("{}\n", values.substr(1));
  }
  out.commit();
}

}  // namespace

void write_graph_lines(std::filesystem::path const& file, TaskProgram const& program) {
  TextFile out(file);
  if (program.recorded.is_there) {
    LineReader lines(program.source);
    for (std::string_view line; lines.next(line);) out.put("{}\n", line);
    return out.commit();
  }
  ProgramRows const rows(program);
  TaskGraph const& graph = program.graph;
  Row head{{"format", "factosim-graph", true},
           {"version", "1"},
           {"name", program.name, true},
           {"application", program.application, true},
           {"precision", program.precision ? std::string(name_of(*program.precision)) : "", true},
           {"nb", program.nb ? fmt::format("{}", *program.nb) : ""}};
  put_json(out, head);
  for (std::uint32_t const k : rows.kernels()) put_json(out, rows.kernel(k));
  for (std::uint32_t h = 0; h < graph.handles.size(); ++h) put_json(out, rows.datum(h));
  std::string lists;
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
    lists = ",\"accesses\":[";
    for (DataAccess const a : graph.accesses_of(TaskId{t}))
      lists += fmt::format("{}[\"d{}\",\"{}\"]", lists.back() == '[' ? "" : ",", a.handle().value(),
                           mode_name(a.mode()));
    lists += "]";
    if (!rows.before(t).empty()) {
      lists += ",\"depends_on\":[";
      for (TaskId const before : rows.before(t))
        lists +=
            fmt::format("{}{}", lists.back() == '[' ? "" : ",", json_text(std::string_view(rows.id(before))));
      lists += "]";
    }
    put_json(out, rows.task(t), lists);
  }
  out.commit();
}

void write_graph_tables(std::filesystem::path const& folder, TaskProgram const& program) {
  if (program.recorded.is_there)
    throw InputError(program.source + "#",
                     "is of version 2 (tables have no place for its keys). Use graph-jsonl");
  ProgramRows const rows(program);
  TaskGraph const& graph = program.graph;
  put_table(folder / "kernels.csv", rows.kernels().size(),
            [&](std::uint32_t k) { return rows.kernel(rows.kernels()[k]); });
  put_table(folder / "data.csv", graph.handles.size(), [&](std::uint32_t h) { return rows.datum(h); });
  put_table(folder / "tasks.csv", graph.task_count(), [&](std::uint32_t t) {
    Row row = rows.task(t);
    std::string accesses, before;
    for (DataAccess const a : graph.accesses_of(TaskId{t}))
      accesses +=
          fmt::format("{}d{}:{}", accesses.empty() ? "" : " ", a.handle().value(), mode_name(a.mode()));
    for (TaskId const b : rows.before(t)) before += (before.empty() ? "" : " ") + rows.id(b) + ":";
    row.push_back({"accesses", accesses, true});
    row.push_back({"depends_on", before, true});
    return row;
  });
}

}  // namespace factosim
