#include "simulator/traces/import/chrome_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "factosim/error.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/input_limits.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/traces/import/line_reader.hpp"
#include "simulator/traces/import/read_trace.hpp"

namespace factosim {

namespace {

std::string text_of(std::filesystem::path const& file) {
  if (file.extension() != ".gz") return read_input_text(file);
  std::string text;
  LineReader lines(file);
  for (std::string_view line; lines.next(line);) (text += line) += '\n';
  return text;
}

}  // namespace

std::vector<std::filesystem::path> chrome_files(std::filesystem::path const& folder) {
  std::vector<std::filesystem::path> out;
  for (auto const& entry : std::filesystem::directory_iterator(folder)) {
    std::string const name = entry.path().filename();
    if (entry.is_regular_file() && (name.ends_with(".json") || name.ends_with(".json.gz")) &&
        text_of(entry.path()).find("\"ph\"") != std::string::npos)
      out.push_back(entry.path());
  }
  std::ranges::sort(out);
  return out;
}

nlohmann::json chrome_document(std::filesystem::path const& file) {
  std::string text = text_of(file);
  std::size_t const last = text.find_last_not_of(" \t\r\n,");
  std::size_t const first = text.find_first_not_of(" \t\r\n");
  if (last != std::string::npos && first != std::string::npos && text[first] == '[' && text[last] != ']') {
    text.resize(last + 1);
    text += ']';  // a program that was interrupted leaves it out
  }
  check_json(text, file.string() + "#");
  try {
    return nlohmann::json::parse(text);
  } catch (nlohmann::json::exception const& error) {
    throw InputError(file.string() + "#",
                     fmt::format("is not valid JSON ({}). Correct the syntax there", plain_text(error)));
  }
}

std::vector<std::string> join_chrome_files(std::vector<ChromeFile>& files) {
  std::vector<std::string> findings;
  std::map<std::string, std::string> of_rank;
  for (ChromeFile const& file : files)
    if (auto const [other, first] = of_rank.try_emplace(file.rank, file.path); !first && !file.rank.empty())
      throw InputError(file.path + "#/distributedInfo/rank",
                       fmt::format("is {}, as in {} (a rank is one process). Keep one of them in the folder",
                                   file.rank, other->second));
  if (of_rank.contains("") && of_rank.size() > 1)
    throw InputError(of_rank[""] + "#",
                     "has no rank in \"distributedInfo\", and other files of its folder have. Add it, or "
                     "remove the file");
  if (of_rank.contains(""))
    findings.push_back("files without ranks: their processes are nodes in order of names");
  std::size_t undated = 0;
  std::int64_t earliest_ns = INT64_MAX;
  for (ChromeFile& file : files) {
    bool const has_tasks = file.first_s < INFINITY;
    if (!has_tasks) file.first_s = 0;
    file.is_dated = has_tasks && file.is_dated;
    undated += has_tasks && !file.is_dated;
    if (file.is_dated) earliest_ns = std::min(earliest_ns, file.base_ns);
  }
  if (undated > 0)
    findings.push_back(fmt::format(
        "{} of {} files have no \"baseTimeNanoseconds\": all begin at the same date", undated, files.size()));
  for (ChromeFile& file : files)
    file.shift_s = undated > 0     ? -file.first_s
                   : file.is_dated ? 1e-9 * static_cast<double>(file.base_ns - earliest_ns)
                                   : 0;
  return findings;
}

bool is_chrome_trace(std::filesystem::path const& file) {
  std::string const text = text_of(file);
  return text.find('[') < text.find('{') || text.find("\"traceEvents\"") != std::string::npos;
}

}  // namespace factosim
