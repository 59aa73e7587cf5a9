#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "factosim/platform.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/traces/programs/graph_application.hpp"

namespace factosim {

/// The keys of an "application" of the type "graph".
[[nodiscard]] std::vector<Key> graph_application_keys();

/// Reads an "application" of the type "graph", and the graph. The default placement follows from the scenario and the
/// file. Throws InputError.
[[nodiscard]] GraphApplication read_graph_application(JsonReader const& json, bool has_distribution,
                                                      std::size_t nodes);

/// Returns every option with its value, including defaults, and the size of the graph.
[[nodiscard]] nlohmann::ordered_json effective_graph_application(GraphApplication const& application);

/// Returns the durations of the graph's kernels on the workers of each node type, by the file or by the models, which
/// are those of the platform's kernel files, [types]. The timings have the names that the graph's kernels give them, and
/// the tile size of the options.
[[nodiscard]] std::vector<KernelModel> models_of_graph(GraphApplication const& application,
                                                       Platform const& platform,
                                                       std::vector<KernelModel> of_files);

}  // namespace factosim
