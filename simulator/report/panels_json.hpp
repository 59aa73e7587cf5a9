#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simulator/report/report_page.hpp"

namespace factosim {

/// What the page's program reads (`factosim-report`, version 1): everything small as JSON; arrays stand there
/// as {"array": place, "type", "length"} and are added to `arrays`, each as `packed` text.
[[nodiscard]] nlohmann::ordered_json panels_json(std::vector<ReportedRun> const& runs,
                                                 std::vector<std::string>& arrays);

}  // namespace factosim
