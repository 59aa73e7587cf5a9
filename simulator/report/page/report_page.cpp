#include "simulator/report/page/report_page.hpp"

#include "simulator/report/page/panels_json.hpp"

namespace factosim {

namespace {

std::string title_of(std::vector<ReportedRun> const& runs) {
  std::string out;
  for (ReportedRun const& run : runs) out += (out.empty() ? "" : " | ") + run.panels.name;
  return out;
}

}  // namespace

void write_report_page(TextFile& out, std::vector<ReportedRun> const& runs, std::string_view generator) {
  std::vector<PageArray> arrays;
  nlohmann::ordered_json const json = panels_json(runs, arrays);
  write_page_file(out, title_of(runs), generator, json, arrays);
}

}  // namespace factosim
