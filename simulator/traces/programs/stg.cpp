#include <fmt/format.h>

#include <cmath>

#include "simulator/traces/import/fields.hpp"
#include "simulator/traces/programs/graph_readers.hpp"
#include "simulator/traces/programs/program_builder.hpp"

namespace factosim {

namespace {

constexpr std::int64_t most = 1'000'000'000;

/// A row: number, time, number of predecessors, predecessors. With costs of communication, the predecessors follow one
/// a line, each with its cost. The first number of the file counts the tasks, with or without the entry and the exit:
/// rows are read to their end. A second number counts processors.
TaskProgram read_stg(std::filesystem::path const& file, GraphUnits units) {
  LineReader lines(file);
  ProgramBuilder builder(file);
  std::string_view line;
  std::vector<std::string_view> words;
  std::int64_t announced = -1;
  std::int64_t missing = 0;  // predecessors that the next lines give
  ProgramTask task;
  auto const cost = [&](std::string_view word) {
    double const bytes = number(lines, word, "a cost of communication") * units.bytes;
    if (!(bytes >= 0) || bytes > 1e15)
      lines.fail("has a cost of communication beyond 0 to 10^15 bytes. Correct it");
    return static_cast<std::int64_t>(std::llround(bytes));
  };
  while (lines.next(line)) {
    if (trimmed(line).empty()) continue;
    if (trimmed(line).front() == '#') continue;
    split_words(line, words);
    if (announced < 0) {
      if (words.size() > 2) lines.fail("is not the number of tasks (an STG file begins with it). Correct it");
      announced = integer(lines, words[0], 0, most, "the number of tasks");
      if (words.size() == 2)
        builder.note(lines.line_number(),
                     fmt::format("{} processors: left out, the platform has the workers",
                                 integer(lines, words[1], 0, most, "the number of processors")));
      continue;
    }
    if (missing > 0) {
      if (words.size() != 2) lines.fail("is no predecessor with its cost. Give two numbers");
      task.after.push_back({.before = std::string(words[0]), .bytes = cost(words[1])});
    } else {
      if (words.size() < 3)
        lines.fail(
            "is not a task of an STG file (its number, processing time, number of predecessors, "
            "predecessors). Complete it");
      (void)integer(lines, words[0], 0, most, "the number of a task");
      double const time = number(lines, words[1], "a time") * units.seconds;
      if (!(time >= 0)) lines.fail("has a time below 0. Give 0 or more");
      auto const count = integer(lines, words[2], 0, most, "a number of predecessors");
      task = {.id = std::string(words[0]), .kernel = "task", .line = lines.line_number()};
      task.seconds = {{"cpu", time}, {"cuda", time}};
      if (time == 0) task.kernel = "empty";
      missing = words.size() == 3 && count > 0 ? count + 1 : 0;
      if (missing == 0 && static_cast<std::int64_t>(words.size()) - 3 != count)
        lines.fail(fmt::format("says {} predecessors and names {}. Correct it", count, words.size() - 3));
      for (std::size_t w = 3; w < words.size(); ++w) task.after.push_back({.before = std::string(words[w])});
    }
    if (missing > 0) --missing;
    if (missing == 0) builder.add_task(std::move(task));
  }
  if (missing > 0)
    builder.fail(lines.line_number(), "ends before all predecessors of a task. Was the file cut?");
  auto const rows = static_cast<std::int64_t>(builder.task_count());
  if (rows != announced && rows != announced + 2)
    builder.fail(
        0,
        fmt::format(
            "announces {} tasks and has {} rows (with an entry and an exit, two more are usual). Was it cut?",
            announced, rows));
  builder.note(0, fmt::format("a unit of time is {} s (\"time_unit_s\")", units.seconds));
  builder.program().format = "stg";
  return std::move(builder).finish();
}

}  // namespace

/// Kasahara's Standard Task Graph Set, also with costs of communication.
GraphReader const stg_program{.name = "stg",
                              .recognises =
                                  [](GraphSource const& s) {
                                    return !s.first_line.empty() && s.first_line.find_first_not_of(
                                                                        "0123456789 \t") == std::string::npos;
                                  },
                              .read = [](GraphSource const& s) { return read_stg(s.path, s.units); }};

}  // namespace factosim
