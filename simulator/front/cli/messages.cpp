#include "simulator/front/cli/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "simulator/base/core/plain_names.hpp"
#include "simulator/report/text/progress_bar.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

/// Options of the whole process, as its standard error is.
struct MessageOptions {
  bool quiet = false, verbose = false;
  std::string color = "auto";
};
MessageOptions message_options;

constexpr std::string_view red = "\033[1;31m", yellow = "\033[33m", plain = "\033[0m";

/// Returns whether colours are wanted: NO_COLOR (no-color.org) and dumb terminals have none, unless asked for.
bool colored() {
  if (message_options.color != "auto") return message_options.color == "always";
  char const* const none = std::getenv("NO_COLOR");
  char const* const terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && (none == nullptr || *none == '\0') && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

/// Prints a message whose first `marked` characters are in a colour.
void print_line(std::string_view text, std::size_t marked, std::string_view color) {
  std::string line = on_one_line(text) + '\n';
  if (marked > 0 && colored()) {
    line.insert(marked, plain);
    line.insert(0, color);
  }
  std::fputs(line.c_str(), stderr);  // no exception: standard error may be closed
}

/// Returns the folder that holds all files; empty if they have none in common.
fs::path common_folder(std::vector<Finding> const& findings) {
  fs::path common = fs::path(findings.front().file).parent_path();
  for (Finding const& finding : findings) {
    fs::path const folder = fs::path(finding.file).parent_path();
    auto const [end, other] = std::mismatch(common.begin(), common.end(), folder.begin(), folder.end());
    fs::path shared;
    for (auto part = common.begin(); part != end; ++part) shared /= *part;
    common = std::move(shared);
  }
  return common;
}

std::string place_of(Finding const& finding, fs::path const& folder) {
  std::string out = fs::path(finding.file).lexically_relative(folder.empty() ? "." : folder).string();
  if (out.empty() || out == ".") out = finding.file;
  return finding.line > 0 ? fmt::format("{}#line {}", out, finding.line) : out;
}

/// Returns a text in which every word with a digit is "#".
std::string without_numbers(std::string const& text) {
  std::string out, word;
  bool digit = false;
  for (char const c : text + ' ') {
    bool const inside = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
    digit = digit || (inside && std::isdigit(static_cast<unsigned char>(c)) != 0);
    if (inside) {
      word += c;
      continue;
    }
    out += digit ? "#" : word;
    out += c;
    word.clear();
    digit = false;
  }
  return out;
}

/// Findings that differ in their places and numbers only.
struct FindingGroup {
  std::string message;  // of the first
  std::vector<std::string> places;
  bool differ = false;  // in their numbers

  [[nodiscard]] std::string text() const {
    constexpr std::size_t max_places = 3;
    std::size_t const shown = std::min(places.size(), max_places);
    return fmt::format("{}{}: {}{}",
                       fmt::join(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                       places.size() > shown ? fmt::format(" and {} more", places.size() - shown) : "",
                       message, differ ? " (the first; --verbose shows all)" : "");
  }
};

std::vector<FindingGroup> groups_of(std::vector<Finding> const& findings, fs::path const& folder) {
  std::vector<FindingGroup> groups;
  std::map<std::string, std::size_t> group_of;
  for (Finding const& finding : findings) {
    auto const [known, is_new] = group_of.try_emplace(without_numbers(finding.message), groups.size());
    if (is_new) groups.push_back({.message = finding.message, .places = {}});
    FindingGroup& group = groups[known->second];
    group.places.push_back(place_of(finding, folder));
    group.differ = group.differ || group.message != finding.message;
  }
  return groups;
}

}  // namespace

void add_message_options(CLI::App& command) {
  constexpr char const* group = "Messages";
  auto* const quiet = command.add_flag_callback(
      "-q,--quiet",
      [] {
        message_options.quiet = true;
        hide_progress();
      },
      "Print no warnings, notes or progress; results keep their findings");
  quiet->group(group);
  command
      .add_flag("--verbose", message_options.verbose,
                "Print more: all figures of a run or comparison; each warning on its own, with whole paths")
      ->group(group)
      ->excludes(quiet);
  command.add_option("--color", message_options.color, "Colours of messages: auto, always or never")
      ->check(one_of({"auto", "always", "never"}))
      ->group(group);
}

bool is_verbose() { return message_options.verbose; }

void print_error(std::string_view text) { print_line(text, text.starts_with("factosim:") ? 9 : 0, red); }

void print_warning(std::string_view text) {
  if (!message_options.quiet) print_line(fmt::format("warning: {}", text), 8, yellow);
}

void print_note(std::string_view text) {
  if (!message_options.quiet) print_line(text, 0, {});
}

void warn_of(std::vector<Finding> const& findings) {
  if (findings.empty() || message_options.quiet) return;
  if (message_options.verbose || findings.size() == 1) {
    for (Finding const& finding : findings) print_warning(finding.text());
  } else {
    fs::path const folder = common_folder(findings);
    if (!folder.empty()) print_warning(fmt::format("in {}:", folder.string()));
    for (FindingGroup& group : groups_of(findings, folder)) print_warning(group.text());
  }
  print_note(fmt::format("{} finding{}: check them before you trust results", findings.size(),
                         findings.size() == 1 ? "" : "s"));
}

}  // namespace factosim
