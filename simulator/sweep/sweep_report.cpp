#include "simulator/sweep/sweep_report.hpp"

#include <fmt/format.h>

#include <map>

#include "factosim/version.hpp"
#include "simulator/report/page/sweep_page.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

/// Returns a path as a relative URL, percent-encoded.
std::string address(fs::path const& path) {
  std::string out = "./";
  for (char const c : path.generic_string()) {
    bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '_' || c == '-';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

/// Returns the URLs of the pages of the points of `folder` by point id, relative to the folder `from`.
std::map<std::string, std::string> pages_of_points(fs::path const& folder, fs::path const& from) {
  std::map<std::string, std::string> out;
  std::error_code error;
  for (auto const& entry : fs::directory_iterator(folder / "runs", error))
    if (fs::exists(entry.path() / "report.html", error))
      out[entry.path().filename().string()] =
          address(fs::relative(entry.path() / "report.html", from.empty() ? fs::path(".") : from, error));
  return out;
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

}  // namespace factosim
