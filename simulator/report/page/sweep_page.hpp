#pragma once

#include <map>
#include <string>
#include <string_view>

#include "simulator/base/os/text_file.hpp"
#include "simulator/report/analysis/sweep_record.hpp"

namespace factosim {

/// Options of the page of a sweep.
struct SweepPageOptions {
  std::string source;                          // path of the sweep, for the commands on the page
  std::string x, series;                       // columns to show first; "": those of the first plot
  std::map<std::string, std::string> reports;  // relative URLs of the pages of points, by id
};

/// Writes the page of all points of a sweep, including failed and missing ones (see `write_page_file`).
void write_sweep_page(TextFile& out, SweepRecord const& record, SweepPageOptions const& options,
                      std::string_view generator);

}  // namespace factosim
