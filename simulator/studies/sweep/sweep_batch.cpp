#include "simulator/studies/sweep/sweep_batch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "factosim/error.hpp"
#include "simulator/base/core/plain_names.hpp"
#include "simulator/base/os/atomic_file.hpp"
#include "simulator/base/os/process_pool.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

/// Throws InputError if the word would take more than one line of a script.
void require_one_line(std::string_view what, std::string const& word) {
  if (std::ranges::any_of(word, is_control))
    throw InputError(word + "#", fmt::format("is a {} with control characters (a script with it would have "
                                             "other lines). Rename or rewrite it on one line",
                                             what));
}

/// Returns the folder for sbatch --output, in which it replaces %j, say. Throws InputError if it has a
/// backslash, which would turn off the numbers of the logs.
std::string output_pattern(fs::path const& folder) {
  std::string out;
  for (char const c : folder.string()) {
    if (c == '\\')
      throw InputError(folder.string() + "#",
                       "has a backslash (Slurm would give one name to all logs). Give another folder");
    out += c == '%' ? "%%" : std::string(1, c);
  }
  return out;
}

/// Formats chunk numbers for sbatch --array: "0-3,7".
std::string array_of(std::vector<PointRange> const& chunks, std::size_t chunk) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < chunks.size();) {
    std::size_t const first = chunks[i].first / chunk;
    std::size_t last = first;
    while (++i < chunks.size() && chunks[i].first / chunk == last + 1) ++last;
    out.push_back(first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last));
  }
  return fmt::format("{}", fmt::join(out, ","));
}

/// A requeued task must run the same points, so its chunk is computed from its number. Names and values appear
/// only as quoted words of the command.
std::string job_script(Sweep const& sweep, BatchCommand const& command, std::size_t chunk) {
  return fmt::format(
      "#!/bin/bash\n"
      "# Points of a sweep in pieces of {}; made by factosim sweep --engine slurm.\n"
      "first=$((SLURM_ARRAY_TASK_ID * {}))\n"
      "last=$((first + {} < {} ? first + {} : {}))\n"
      "exec {}\n",
      chunk, chunk, chunk - 1, sweep.points.size() - 1, chunk - 1, sweep.points.size() - 1,
      command.text("\"$first:$last\""));
}

}  // namespace

std::string shell_quoted(std::string const& word) {
  static std::string const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string out = "'";
  for (char const c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

void BatchCommand::require_lines() const {
  for (fs::path const& file : {program, sweep, out}) require_one_line("file name", file.string());
  for (std::string const& setting : settings) require_one_line("setting", setting);
  for (std::string const& filter : filters) require_one_line("filter", filter);
}

std::string BatchCommand::text(std::string const& points) const {
  std::string text =
      fmt::format("{} sweep {} --out {} --resume --points {} --max-points {}", shell_quoted(program.string()),
                  shell_quoted(sweep.string()), shell_quoted(out.string()), points, max_points);
  if (!jobs.empty()) text += " --jobs " + jobs;
  if (force_large) text += " --force-large";
  for (std::string const& setting : settings) text += " --set " + shell_quoted(setting);
  if (replicas > 0) text += fmt::format(" --replicas {}", replicas);
  for (std::string const& filter : filters) text += " --filter " + shell_quoted(filter);
  return text;
}

std::vector<PointRange> open_chunks(Sweep const& sweep, PointStore const& store, std::size_t chunk) {
  std::vector<PointRange> out;
  std::size_t const points = sweep.points.size();
  for (std::size_t first = 0; first < points; first += chunk) {
    std::size_t const last = std::min(points, first + chunk) - 1;
    auto const begin = sweep.points.begin() + static_cast<std::ptrdiff_t>(first);
    auto const end = sweep.points.begin() + static_cast<std::ptrdiff_t>(last) + 1;
    if (std::any_of(begin, end, [&](SweepPoint const& p) { return !store.find(p.id).settled(); }))
      out.push_back({first, last});
  }
  return out;
}

std::string submit_to_slurm(Sweep const& sweep, PointStore const& store, BatchCommand const& command,
                            SlurmOptions const& options) {
  auto const chunks = open_chunks(sweep, store, options.chunk);
  if (chunks.empty()) return "";
  fs::path const folder = command.out / "slurm";
  std::error_code error;
  fs::create_directories(folder, error);
  fs::path const script = folder / "job.sh";
  write_file_atomically(script, job_script(sweep, command, options.chunk));
  std::string text =
      fmt::format("sbatch --parsable --requeue --job-name={} --array={} --output={}",
                  shell_quoted("factosim-" + sweep.file.stem().string()), array_of(chunks, options.chunk),
                  shell_quoted(output_pattern(folder) + "/%A_%a.log"));
  for (std::string const& option : options.sbatch_options) text += " " + shell_quoted(option);
  if (options.wait) text += " --wait";
  std::string const said =
      run_program({"sh", "-c", text + " " + shell_quoted(script.string()) + " 2>&1"}, "").out;
  std::string job = said.substr(0, said.find_first_of("\n;"));
  if (job.empty() || job.find_first_not_of("0123456789") != std::string::npos)
    throw InputError(
        "--engine slurm",
        fmt::format("sbatch submitted nothing (it said: {}). Check that Slurm runs, and --sbatch",
                    said.empty() ? "nothing" : said.substr(0, said.find_last_not_of('\n') + 1)));
  return job;
}

}  // namespace factosim
