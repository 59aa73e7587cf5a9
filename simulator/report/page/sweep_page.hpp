#pragma once

#include <map>
#include <string>
#include <string_view>

#include "simulator/analysis/sweep_record.hpp"
#include "simulator/os/text_file.hpp"

namespace factosim {

/// What a sweep's page begins with, and what it leads to.
struct SweepPageOptions {
  std::string source;                          // where the sweep lies, as commands on the page name it
  std::string x, series;                       // columns to show first; "": those of the first plot
  std::map<std::string, std::string> reports;  // addresses of pages of points, by id; relative to the page
};

/// A page of the points of a sweep, failed and missing ones too, by the rules of `write_page_file`.
void write_sweep_page(TextFile& out, SweepRecord const& record, SweepPageOptions const& options,
                      std::string_view generator);

}  // namespace factosim
