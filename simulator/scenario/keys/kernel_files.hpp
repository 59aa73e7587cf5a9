#pragma once

#include <string>
#include <vector>

#include "factosim/kernel_model.hpp"
#include "factosim/platform.hpp"
#include "models/applications/application.hpp"

namespace factosim {

/// Returns the timings in the kernel file of the node type. Throws InputError at the platform of `file` if it has none.
[[nodiscard]] KernelModel read_model(NodeType const& type, std::string const& file);

/// Returns the timings of all node types; those with a cycle time need no file.
[[nodiscard]] std::vector<KernelModel> read_models(Platform const& platform, Application const& application,
                                                   ApplicationParameters const& parameters,
                                                   std::string const& file);

}  // namespace factosim
