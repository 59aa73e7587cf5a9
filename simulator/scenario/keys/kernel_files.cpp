#include "simulator/scenario/keys/kernel_files.hpp"

#include <fmt/format.h>

#include "factosim/error.hpp"
#include "models/applications/estimated_timings.hpp"
#include "models/kernel_model_json.hpp"

namespace factosim {

KernelModel read_model(NodeType const& type, std::string const& file) {
  if (type.kernels_file.empty())
    throw InputError(
        file + "#/platform",
        fmt::format("the node type \"{}\" has neither \"kernels\" nor \"cycle_time_s\" (the durations "
                    "of its kernels are not known). Give it one of them, or use another "
                    "platform",
                    type.name));
  return read_kernel_model(type.kernels_file);
}

std::vector<KernelModel> read_models(Platform const& platform, Application const& application,
                                     ApplicationParameters const& parameters, std::string const& file) {
  std::vector<Kernel> const kernels = application.kernels(parameters);
  std::vector<KernelModel> models;
  for (NodeType const& type : platform.types)
    models.push_back(type.cycle_time.value > 0
                         ? cycle_time_model(type.name, type.cycle_time, kernels, parameters)
                         : read_model(type, file));
  if (parameters.formats)
    for (KernelModel& model : models) add_format_timings(model, application.name, kernels, parameters);
  return models;
}

}  // namespace factosim
