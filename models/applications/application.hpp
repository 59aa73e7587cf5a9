#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "factosim/kernel_model.hpp"
#include "factosim/quantity.hpp"
#include "factosim/task_graph.hpp"
#include "factosim/tile_map.hpp"
#include "models/applications/exageostat_options.hpp"

namespace factosim {

/// What an application is asked to compute.
struct ApplicationParameters {
  int nt = 0;  // tiles in a row and in a column
  int nb = 0;  // rows and columns of a tile
  Precision precision = Precision::double_;
  std::string variant = "starpu";  // order of submission and priorities, see the application
  std::string tree = "flat";       // qr: who meets whom in a column
  int n = 0;                       // rows of the matrix, where its last tiles are smaller; 0: nt nb
  ExageostatOptions exageostat{};
};

/// A factorization, or a product, as a task graph on tiles.
struct Application {
  std::string name;                   // as in a scenario; also selects kernel timings measured inside it
  std::vector<std::string> variants;  // the first is the default
  TaskGraph (*build)(ApplicationParameters const&);
  /// Where tasks depend on who owns which tile of the matrix: the graph for that map. Else null.
  TaskGraph (*build_on)(ApplicationParameters const&, TileMap const&) = nullptr;
  /// Its kinds of tasks, in the order of the graph's.
  std::vector<Kernel> (*kernels)(ApplicationParameters const&);
  /// Operations of the whole factorization of order nt * nb, leading term: what GFlop/s are counted with.
  Flops (*total_flops)(ApplicationParameters const&);
  bool lower_only = false;  // only the lower triangle of the matrix is stored
  bool is_product = false;  // C = A B: no factorization, every iteration updates all tiles

  [[nodiscard]] TaskGraph graph(ApplicationParameters const& parameters, TileMap const& map) const {
    return build_on != nullptr ? build_on(parameters, map) : build(parameters);
  }
};

/// The one place that knows which applications exist.
std::vector<Application> const& applications();
/// Throws std::out_of_range for a name that is not listed.
Application const& application(std::string_view name);
std::vector<std::string> application_names();

/// Size of one tile.
[[nodiscard]] Bytes tile_bytes(ApplicationParameters const& parameters);

}  // namespace factosim
