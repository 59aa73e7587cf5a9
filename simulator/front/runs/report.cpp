#include "factosim/report.hpp"

#include <fmt/format.h>

#include <utility>

#include "factosim/error.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/front/runs/run_files.hpp"
#include "simulator/report/figures/figures.hpp"

namespace factosim {

namespace {

constexpr std::size_t max_runs = 4;

void check_count(std::vector<std::filesystem::path> const& runs) {
  if (runs.empty() || runs.size() > max_runs)
    throw InputError("report#", fmt::format("has {} runs (one to {} are shown). Give fewer or more of them",
                                            runs.size(), max_runs));
}

}  // namespace

void write_report_page(std::vector<std::filesystem::path> const& runs, std::filesystem::path const& page) {
  check_count(runs);
  std::vector<RunView> shown;
  for (std::filesystem::path const& path : runs) shown.push_back(read_run_files(path, true).view);
  write_page(page, shown);
}

std::string figure_json(std::vector<std::filesystem::path> const& runs,
                        std::vector<std::string> const& panels) {
  check_count(runs);
  if (panels.empty()) throw InputError("panels#", "are none (a figure has one at least). Name panels");
  check_panels(panels, runs.size(), "panels#");
  std::vector<RunView> views;
  for (std::filesystem::path const& path : runs) {
    views.push_back(read_run_files(path, false).view);
    check_data(views.back(), path, panels, "panels#");
  }
  return json_text(figure_of_runs(views, panels).content);
}

std::vector<std::string> figure_panels() { return figure_names(); }

}  // namespace factosim
