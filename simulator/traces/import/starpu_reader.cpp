#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "simulator/base/core/plain_names.hpp"
#include "simulator/traces/import/starpu_records.hpp"
#include "simulator/traces/import/task_fields.hpp"
#include "simulator/traces/import/trace_readers.hpp"

namespace factosim {

namespace {

/// Calls `field(key, value)` for each line and `end()` after each record.
template <class Field, class End>
void for_each_record(LineReader& lines, StarpuRun& run, Field field, End end) {
  bool open = false;
  std::string_view line;
  while (lines.next(line)) {
    if (trimmed(line).empty()) {
      if (open) end();
      open = false;
      continue;
    }
    if (line.front() == '#' || line.front() == '%') continue;
    std::size_t const colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0 || line.find(' ') < colon)
      lines.fail(
          "is no \"Key: value\" (nor a blank line between records). Was the file cut or damaged here?");
    if (lines.unfinished())
      lines.fail("has no line end (the file was cut here). Copy it again or write the trace again");
    field(line.substr(0, colon), trimmed(line.substr(colon + 1)));
    open = true;
  }
  if (!open) return;
  run.findings.push_back(
      {lines.file(), lines.line_number(), "no blank line ends the last record: the file may have been cut"});
  end();
}

}  // namespace

void read_tasks_rec(std::filesystem::path const& file, StarpuRun& run) {
  LineReader lines(file);
  TaskFields task(run);
  std::set<std::string, std::less<>> unknown_keys;
  for_each_record(
      lines, run,
      [&](std::string_view key, std::string_view value) {
        TaskFields::Field const field = TaskFields::field(key);
        if (field == nullptr && unknown_keys.size() < 20 && unknown_keys.emplace(key).second)
          run.findings.push_back(
              {lines.file(), lines.line_number(), fmt::format("field {} is not known: left out", key)});
        task.set(lines, field, value);
      },
      [&] { task.finish(lines); });
}

void set_handle_field(LineReader const& at, StarpuRun::Handle& h, std::string_view key,
                      std::string_view value) {
  constexpr std::int64_t maximum = std::numeric_limits<std::int32_t>::max();
  if (value.empty()) return;
  if (key == "Handle") h.address = hexadecimal(at, value, "a handle");
  if (key == "MPIRank")
    h.node = static_cast<std::uint32_t>(
        std::max<std::int64_t>(0, integer(at, value, -1, max_nodes - 1, "a rank")));
  if (key == "Size") h.size = integer(at, value, 0, std::int64_t{1} << 50, "a size in bytes");
  if (key == "Description") h.shape = name_of_line(value);
  if (key == "MPIOwner") h.owner = static_cast<std::int32_t>(integer(at, value, -1, max_nodes - 1, "a rank"));
  if (key == "MPITag") h.tag = integer(at, value, -1, std::numeric_limits<std::int64_t>::max(), "a tag");
  if (key == "Coordinates") {
    std::vector<std::string_view> words;
    split_words(value, words);
    if (words.size() == 2) {
      h.m = static_cast<std::int32_t>(integer(at, words[0], 0, maximum, "a coordinate"));
      h.n = static_cast<std::int32_t>(integer(at, words[1], 0, maximum, "a coordinate"));
    }
  }
}

void read_data_rec(std::filesystem::path const& file, StarpuRun& run) {
  LineReader lines(file);
  StarpuRun::Handle handle{};
  for_each_record(
      lines, run,
      [&](std::string_view key, std::string_view value) { set_handle_field(lines, handle, key, value); },
      [&] { run.handles.push_back(std::exchange(handle, {})); });
}

void MessageFields::set(LineReader const& at, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  auto const rank = [&] {
    return static_cast<std::uint32_t>(integer(at, value, 0, max_nodes - 1, "a rank"));
  };
  if (key == "Src") message.from = rank(), has_from = true;
  if (key == "Dst") message.to = rank(), has_to = true;
  if (key == "Tag") message.tag = integer(at, value, -1, std::numeric_limits<std::int64_t>::max(), "a tag");
  if (key == "SendTime") message.send_s = milliseconds(at, value, "when the message was sent");
  if (key == "RecvTime") message.receive_s = milliseconds(at, value, "when the message came");
  if (key == "SendHandle") message.send_address = hexadecimal(at, value, "a handle");
  if (key == "RecvHandle") message.receive_address = hexadecimal(at, value, "a handle");
  if (key == "SendJobId") message.send_task = task_name(at, value, 0).number;
  if (key == "RecvJobId") message.receive_task = task_name(at, value, 0).number;
  if (key == "Size") message.size = integer(at, value, 0, std::int64_t{1} << 50, "a size in bytes");
}

void MessageFields::finish(LineReader const& at, StarpuRun& run) {
  if (!has_from || !has_to || message.send_s != message.send_s || message.receive_s != message.receive_s)
    at.fail("the message that ends here has not all of Src, Dst, SendTime and RecvTime. Complete it");
  run.messages.push_back(message);
  *this = {};
}

void read_comms_rec(std::filesystem::path const& file, StarpuRun& run) {
  LineReader lines(file);
  MessageFields fields;
  for_each_record(
      lines, run, [&](std::string_view key, std::string_view value) { fields.set(lines, key, value); },
      [&] { fields.finish(lines, run); });
}

StarpuRun read_starpu_records(std::filesystem::path const& tasks) {
  StarpuRun run;
  run.source = tasks.string();
  run.format = "starpu-rec";
  if (auto const data = plain_or_gzipped(tasks.parent_path(), "data.rec"); !data.empty())
    read_data_rec(data, run);
  read_tasks_rec(tasks, run);
  return run;
}

namespace {

/// Returns whether a line of that form may begin a tasks.rec.
bool begins_records(std::string_view first) {
  std::size_t const colon = first.find(':');
  return colon != std::string_view::npos && first.find(' ') > colon &&
         (first.starts_with("%rec") || TaskFields::field(first.substr(0, colon)) != nullptr);
}

/// Reads a tasks.rec and the files beside it.
Trace read_starpu(TraceSource const& source) {
  auto const tasks = source.is_folder ? plain_or_gzipped(source.path, "tasks.rec") : source.path;
  StarpuRun run = read_starpu_records(tasks);
  std::filesystem::path const folder = tasks.parent_path();
  if (auto const comms = plain_or_gzipped(folder, "comms.rec"); !comms.empty()) read_comms_rec(comms, run);
  if (auto const paje = plain_or_gzipped(folder, "paje.trace"); !paje.empty() && !run.tasks.empty())
    add_paje(paje, run);
  return assemble(std::move(run));
}

}  // namespace

/// The output of `starpu_fxt_tool` in GNU recutils form, plain or gzipped: lines `Key: value`, records separated by
/// blank lines. tasks.rec (tasks, their dependencies and accesses, hints), and beside it data.rec, comms.rec, paje.trace.
TraceReader const starpu_reader{.recognises =
                                    [](TraceSource const& s) {
                                      return s.is_folder ? !plain_or_gzipped(s.path, "tasks.rec").empty()
                                                         : begins_records(s.first_line);
                                    },
                                .read = read_starpu};

}  // namespace factosim
