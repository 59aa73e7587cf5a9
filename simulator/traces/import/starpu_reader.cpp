#include <fmt/format.h>

#include <set>
#include <type_traits>
#include <utility>

#include "simulator/traces/import/read_trace.hpp"
#include "simulator/traces/import/record_fields.hpp"

namespace factosim {

namespace {

/// Reads lines `Key: value` with a blank line after each record.
template <class Record>
void read_records(std::filesystem::path const& file, StarpuRun& run) {
  constexpr bool of_tasks = std::is_same_v<Record, RecordedTask>;
  LineReader lines(file);
  std::set<std::string, std::less<>> unknown_keys;  // of tasks
  Record record{};
  bool open = false;
  auto const end = [&] {
    if (std::exchange(open, false)) add_record(lines, run, std::exchange(record, {}));
  };
  std::string_view line;
  while (lines.next(line)) {
    if (trimmed(line).empty()) {
      end();
      continue;
    }
    if (line.front() == '#' || line.front() == '%') continue;
    std::size_t const colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0 || line.find(' ') < colon)
      lines.fail(
          "is no \"Key: value\" (nor a blank line between records). Was the file cut or damaged here?");
    if (lines.unfinished())
      lines.fail("has no line end (the file was cut here). Copy it again or write the trace again");
    std::string_view const key = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
    auto const* const field = field_named<Record>(key);
    if (of_tasks && field == nullptr && unknown_keys.size() < 20 && unknown_keys.emplace(key).second)
      run.findings.push_back(
          {lines.file(), lines.line_number(), fmt::format("field {} is not known: left out", key)});
    if (field != nullptr && (of_tasks || !value.empty())) field->set(record, lines, value);
    open = true;
  }
  if (open)
    run.findings.push_back({lines.file(), lines.line_number(),
                            "no blank line ends the last record: the file may have been cut"});
  end();
}

/// Returns whether a line of that form may begin a tasks.rec.
bool begins_records(std::string_view first) {
  std::size_t const colon = first.find(':');
  return colon != std::string_view::npos && first.find(' ') > colon &&
         (first.starts_with("%rec") || field_named<RecordedTask>(first.substr(0, colon)) != nullptr);
}

/// Reads a tasks.rec and the files beside it.
Trace read_starpu(TraceSource const& source) {
  auto const tasks = source.is_folder ? plain_or_gzipped(source.path, "tasks.rec") : source.path;
  StarpuRun run = read_starpu_records(tasks);
  std::filesystem::path const folder = tasks.parent_path();
  if (auto const comms = plain_or_gzipped(folder, "comms.rec"); !comms.empty())
    read_records<StarpuRun::Message>(comms, run);
  if (auto const paje = plain_or_gzipped(folder, "paje.trace"); !paje.empty() && !run.tasks.empty())
    add_paje(paje, run);
  return assemble(std::move(run));
}

}  // namespace

StarpuRun read_starpu_records(std::filesystem::path const& tasks) {
  StarpuRun run;
  run.source = tasks.string();
  run.format = "starpu-rec";
  if (auto const data = plain_or_gzipped(tasks.parent_path(), "data.rec"); !data.empty())
    read_records<StarpuRun::Handle>(data, run);
  read_records<RecordedTask>(tasks, run);
  return run;
}

/// The output of `starpu_fxt_tool` in GNU recutils form, plain or gzipped: lines `Key: value`, records separated by
/// blank lines. tasks.rec (tasks, their dependencies and accesses, hints), and beside it data.rec, comms.rec, paje.trace.
TraceReader const starpu_reader{.recognises =
                                    [](TraceSource const& s) {
                                      return s.is_folder ? !plain_or_gzipped(s.path, "tasks.rec").empty()
                                                         : begins_records(s.first_line);
                                    },
                                .read = read_starpu};

}  // namespace factosim
