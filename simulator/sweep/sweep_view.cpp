#include "simulator/sweep/sweep_view.hpp"

#include <fmt/format.h>

#include <map>
#include <sstream>

#include "factosim/error.hpp"
#include "simulator/report/figures/picture_file.hpp"
#include "simulator/report/page/sweep_page.hpp"
#include "factosim/version.hpp"
#include "simulator/sweep/sweep_report.hpp"
#include "simulator/sweep/sweep_table.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

/// A path as an address within a page: no byte of it has a meaning there.
std::string address(fs::path const& path) {
  std::string out = "./";
  for (char const c : path.generic_string()) {
    bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '_' || c == '-';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

/// Pages of the points of `folder`, from a page in the folder `from`.
std::map<std::string, std::string> pages_of_points(fs::path const& folder, fs::path const& from) {
  std::map<std::string, std::string> out;
  std::error_code error;
  for (auto const& entry : fs::directory_iterator(folder / "runs", error))
    if (fs::exists(entry.path() / "report.html", error))
      out[entry.path().filename().string()] =
          address(fs::relative(entry.path() / "report.html", from.empty() ? fs::path(".") : from, error));
  return out;
}

void check_columns(Table const& table, SweepColumns const& columns) {
  if (!columns.x.empty()) require_column(table, "--x#", columns.x);
  if (!columns.lines.empty()) require_column(table, "--lines#", columns.lines);
}

}  // namespace

void write_sweep_report(fs::path const& output, fs::path const& folder, SweepRecord const& record,
                        SweepColumns const& columns) {
  check_columns(record.table, columns);
  TextFile out(output);
  write_sweep_page(out, record,
                   {.source = folder.string(),
                    .x = columns.x,
                    .series = columns.lines,
                    .reports = pages_of_points(folder, output.parent_path())},
                   fmt::format("factosim {} ({})", version(), git_revision()));
  out.commit();
}

void draw_sweep_figure(fs::path const& output, SweepRecord const& record, std::string const& results,
                       SweepColumns const& columns) {
  check_picture_name(output);
  check_columns(record.table, columns);
  auto const known = plots_of(record);
  std::string const x = !columns.x.empty() ? columns.x : known.empty() ? "" : known.front().x;
  if (x.empty())
    throw InputError("--x#",
                     "is not given (no number varies in this sweep that could be the axis). Name a column");
  std::string lines = columns.lines;
  if (lines.empty() && !known.empty() && known.front().series != x) lines = known.front().series;
  std::vector<SweepPlot> plots;
  std::istringstream list(results);
  for (std::string name; std::getline(list, name, ',');) plots.push_back({x, name, lines, false});
  write_picture(output, sweep_figure(record, plots));
}

}  // namespace factosim
