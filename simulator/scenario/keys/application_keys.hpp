#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "factosim/platform.hpp"
#include "models/applications/application.hpp"
#include "models/applications/tile_formats.hpp"
#include "simulator/base/core/fields.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/scenario/replay/replay.hpp"
#include "simulator/traces/programs/task_program.hpp"

namespace factosim {

/// A factorization or a product on tiles.
struct TiledApplication {
  Application const* definition = nullptr;  // never null; in the registry
  ApplicationParameters parameters;
};

/// Returns all values of an application's "type", with one line about each.
[[nodiscard]] std::vector<DescribedName> application_types();

/// The keys of "application". Valid until the registry of applications changes.
[[nodiscard]] ObjectKeys const& application_table();
/// Returns what a file may have in the place of an application: for JsonReader::by.
[[nodiscard]] ValueRules application_rules();

/// Reads the key "application" of a scenario: the keys common to all applications, then the application's
/// own. Throws InputError.
[[nodiscard]] TiledApplication read_application(JsonReader const& json);

/// Return every option with its value, including defaults; of a graph its size too.
[[nodiscard]] nlohmann::ordered_json effective_application(TiledApplication const& application);
[[nodiscard]] nlohmann::ordered_json effective_application(TraceApplication const& application);
[[nodiscard]] nlohmann::ordered_json effective_application(GraphApplication const& application);

/// The keys of an "application" of the type "trace".
[[nodiscard]] std::vector<Key> trace_application_keys();

/// Reads an "application" of the type "trace", and the trace. The default mapping follows from other keys of
/// the scenario: Mapping::distribution with a distribution, else Mapping::nodes with a scheduler. Throws
/// InputError.
[[nodiscard]] TraceApplication read_trace_application(JsonReader const& json, bool has_distribution,
                                                      bool has_scheduler);

/// The keys of an "application" of the type "graph".
[[nodiscard]] std::vector<Key> graph_application_keys();

/// Reads an "application" of the type "graph", and the graph. The default placement follows from the scenario and the
/// file. `graph`: instead of the file; null: it is read. Throws InputError.
[[nodiscard]] GraphApplication read_graph_application(JsonReader const& json, bool has_distribution,
                                                      std::size_t nodes,
                                                      std::shared_ptr<TaskProgram const> const& graph);

/// Returns the durations of the graph's kernels on the workers of each node type, by the file or by the models, which
/// are those of the platform's kernel files, [types]. The timings have the names that the graph's kernels give them, and
/// the tile size of the options.
[[nodiscard]] std::vector<KernelModel> models_of_graph(GraphApplication const& application,
                                                       Platform const& platform,
                                                       std::vector<KernelModel> of_files);

/// The keys of "tile_formats" of an application.
[[nodiscard]] Object<TileFormats> const& object_of(TileFormats const* any);

/// Reads "tile_formats". `parameters` have all keys common to applications. Throws InputError.
[[nodiscard]] TileFormats read_tile_formats(JsonReader const& json, ApplicationParameters const& parameters);

}  // namespace factosim
