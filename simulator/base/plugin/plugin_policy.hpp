#pragma once

#include <memory>

#include "factosim/scheduler.hpp"
#include "simulator/base/plugin/plugin.hpp"

namespace factosim {

/// Returns options whose policy a plug-in makes, after the plug-in has checked the values. Throws InputError.
[[nodiscard]] SchedulerOptions policy_of_plugin(std::shared_ptr<PolicyPlugin const> plugin,
                                                std::vector<OptionValue> values);

}  // namespace factosim
