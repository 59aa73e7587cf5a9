#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "simulator/report/page/page_file.hpp"
#include "simulator/report/page/report_page.hpp"

namespace factosim {

/// What the page's program reads (`factosim-report`, version 1): everything small as JSON; arrays stand there
/// as {"array": place, "type", "length"} and are added to `arrays`, in the order of their places.
[[nodiscard]] nlohmann::ordered_json panels_json(std::vector<ReportedRun> const& runs,
                                                 std::vector<PageArray>& arrays);

}  // namespace factosim
