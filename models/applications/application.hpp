#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "distributions/factorization_work.hpp"
#include "distributions/multiphase_lp.hpp"
#include "factosim/kernel_model.hpp"
#include "factosim/quantity.hpp"
#include "factosim/task_graph.hpp"
#include "factosim/tile_map.hpp"
#include "models/applications/application_flow.hpp"

namespace factosim {

class TaskFormulas;
struct TileFormats;

using KeyValue = std::variant<bool, std::int64_t, double, std::string>;

/// A key of "application" in a scenario that belongs to one application. The type of the default value is the
/// type of the key: a boolean, an integer from 1 to `maximum`, a positive number, or one of `choices`.
struct ApplicationKey {
  std::string name;
  std::string description;
  KeyValue default_value;
  std::vector<std::string> choices{};
  std::string source{};  // section of a paper
  std::int64_t maximum = std::numeric_limits<std::int32_t>::max();
};

/// Where the simulation has its tasks from.
enum class TaskGraphForm : std::uint8_t {
  automatic,  // formulas for large problems, where they can
  stored,     // all tasks are stored
  formulas    // see TaskFormulas
};

/// Tasks that are replaced by the same computation on parts of their tiles: see nested_flow.cpp.
struct NestedOptions {
  int tile = 0;   // rows of a part; 0: as `split` says
  int split = 0;  // parts of a tile in each direction; 0: as `tile` says

  /// Returns the number of parts of a tile of nb rows in each direction.
  [[nodiscard]] int parts(int nb) const { return split > 0 ? split : nb / tile; }
};

/// Iterations of an application's outermost loop: [first, end).
struct IterationRange {
  int first = 0, end = std::numeric_limits<int>::max();  // an end beyond the last iteration stands for it

  [[nodiscard]] bool contains(int k) const { return k >= first && k < end; }
  [[nodiscard]] int count() const { return end - first; }
  /// Returns the number of those up to k, k included.
  [[nodiscard]] std::uint32_t count_until(int k) const {
    return static_cast<std::uint32_t>(std::max(0, std::min(k + 1, end) - first));
  }
};

/// The problem that an application solves: the keys common to all applications and the values of its own.
struct ApplicationParameters {
  int nt = 0;  // tiles in a row and in a column of the matrix
  int nb = 0;  // rows and columns of a tile
  Precision precision = Precision::double_;
  std::string variant = "starpu";                // selects order of submission and priorities
  std::optional<int> n{};                        // rows of the matrix if its last tiles are smaller than nb
  std::map<std::string, KeyValue> own_values{};  // of the application's own keys; else their defaults
  std::optional<NestedOptions> nested{};         // none: all tasks are on whole tiles
  TaskGraphForm task_graph = TaskGraphForm::automatic;
  /// The iterations whose tasks there are, of an application that `has_iterations`. All data are on their owners before, as
  /// the iterations before leave them.
  IterationRange iterations{};
  /// Precision and rank of each tile, of an application that `may_have_formats`; null: all tiles are full, in `precision`.
  std::shared_ptr<TileFormats const> formats{};

  [[nodiscard]] bool is_nested() const { return nested.has_value(); }
};

/// Returns the value given for a key, or its default.
[[nodiscard]] KeyValue const& value_of(ApplicationParameters const& parameters, ApplicationKey const& key);
/// Returns the value of the key named `name` among `keys`. Throws std::out_of_range if there is no such key.
[[nodiscard]] KeyValue const& value_of(ApplicationParameters const& parameters,
                                       std::span<ApplicationKey const> keys, std::string_view name);

/// Returns the range of iterations within the nt that there are.
[[nodiscard]] IterationRange computed_iterations(ApplicationParameters const& parameters);

/// Rows of the matrix.
[[nodiscard]] std::int64_t matrix_rows(ApplicationParameters const& parameters);
/// Rows of the tiles in row m of tiles: nb, or fewer in the last row.
[[nodiscard]] int rows_of_tile(ApplicationParameters const& parameters, int m);
/// Size of a full tile.
[[nodiscard]] Bytes tile_bytes(ApplicationParameters const& parameters);

/// The kernels of a factorization and the kind of each kernel's tasks.
struct FactorizationKernels {
  std::vector<Kernel> kernels;
  std::vector<TaskKind> kinds;  // [kernels]
};

/// Defaults of runtime options (simulator/tasks/plan/options.hpp) of an application that has others than StarPU.
struct RuntimeDefaults {
  int oversubscribed_workers = 0, reserved_cores = 0;
  Seconds host_alloc_cost;  // per MiB
  bool allocate_at_submission = false, chunk_cache = true, gpus_wait_for_pinning = false;
  bool pinning_waits_for_kernels = false;
  double preallocated_ram = 0;  // share
};

/// What an application is, and which keys of a scenario it heeds.
struct ApplicationTraits {
  std::string name;                   // in scenarios; also selects kernel timings measured inside it
  std::string description{};          // one line about what it computes
  std::vector<std::string> variants;  // values of the key "variant"; the first is the default
  std::vector<std::string>
      variants_in_one_format{};        // those of an application that `may_have_formats` with none
  std::vector<ApplicationKey> keys{};  // keys of its own, in the order in which results list them

  bool lower_only = false;            // only the lower triangle of the matrix is stored
  bool is_product = false;            // C = A B: every iteration updates all tiles
  bool generates_tiles = false;       // it has `phase_steps`
  bool graph_depends_on_map = false;  // tasks or their order depend on the owners of tiles
  bool has_formulas = false;          // `formulas` may return some
  bool counts_tiles_sent = false;     // `tiles_sent` is a closed form
  bool has_partial_tiles = false;     // has the key "n": the last row and column of tiles may be smaller
  /// The tasks are those of a factorization and no others, and `kernels` are, in this order, the kernels of
  /// the diagonal, of the panel, of the rest of the panel (LU) or of the symmetric update (Cholesky), and of
  /// the update. The search for machines then has bounds in closed form.
  bool is_plain_factorization = false;
  /// Has the key "nested": the tasks on smaller tiles are the tasks on whole ones, each of them split; a task's
  /// indices divided by the parts are those of the task that it belongs to.
  bool may_be_nested = false;
  /// Heeds `ApplicationParameters::iterations`: each of nt iterations needs of those before only tiles on their owners.
  bool has_iterations = false;
  bool may_have_layers = false;   // its updates may be on the layers of a map, see on_layers
  bool may_have_formats = false;  // heeds `ApplicationParameters::formats`
};

/// A dense factorization or product on tiles. All that the rest of the program needs to know about one
/// application is here.
class Application : public ApplicationTraits {
 public:
  explicit Application(ApplicationTraits traits) : ApplicationTraits(std::move(traits)) {}
  Application(Application const&) = delete;
  Application& operator=(Application const&) = delete;
  virtual ~Application() = default;

  /// Returns the tasks as a sequence that is not stored: on the layers of the map if it has some, and nested if the
  /// parameters say so. It refers to both arguments. The map is used only if `graph_depends_on_map`, or if it has layers.
  [[nodiscard]] std::unique_ptr<ApplicationFlow> flow(ApplicationParameters const& parameters,
                                                      TileMap const& map) const;
  /// Returns the same tasks as a graph.
  [[nodiscard]] TaskGraph graph(ApplicationParameters const& parameters, TileMap const& map) const;
  /// Returns the kernels of the graph, in its order.
  [[nodiscard]] std::vector<Kernel> kernels(ApplicationParameters const& parameters) const;

  /// Returns the tasks on whole tiles, each of one owner; `plain_kernels`: their kernels.
  [[nodiscard]] virtual std::unique_ptr<ApplicationFlow> plain_flow(ApplicationParameters const& parameters,
                                                                    TileMap const& map) const = 0;
  [[nodiscard]] virtual std::vector<Kernel> plain_kernels(ApplicationParameters const& parameters) const = 0;
  /// Returns the same tasks as formulas, or nothing where the variant has none.
  [[nodiscard]] virtual std::unique_ptr<TaskFormulas> formulas(ApplicationParameters const& parameters) const;
  /// Kernels by which distributions and bounds estimate the work of a node; exactly one is an update.
  [[nodiscard]] virtual FactorizationKernels factorization_kernels(
      ApplicationParameters const& parameters) const = 0;
  /// Operations of the factorization of order nt * nb, leading term: the numerator of GFlop/s.
  [[nodiscard]] virtual Flops total_flops(ApplicationParameters const& parameters) const = 0;
  /// Number of tasks of the graph in closed form, or an upper bound if it depends on the map. A real number,
  /// because it may exceed the integers that a graph can count with.
  [[nodiscard]] virtual double max_tasks(ApplicationParameters const& parameters) const = 0;
  /// Tiles sent between nodes, of an application that `counts_tiles_sent`.
  [[nodiscard]] virtual std::uint64_t tiles_sent(ApplicationParameters const& parameters,
                                                 TileMap const& map) const;
  /// Tasks of the overlapping phases of generation and factorization, of the first kernels of `kernels`,
  /// for nt tiles, of an application that `generates_tiles`.
  [[nodiscard]] virtual PhaseSteps phase_steps(int nt) const;
  /// Returns nothing if the defaults are StarPU's.
  [[nodiscard]] virtual std::optional<RuntimeDefaults> runtime_defaults(
      ApplicationParameters const& parameters) const;

  /// Returns whether tasks, or their order, depend on the owners of tiles.
  [[nodiscard]] bool depends_on_map(ApplicationParameters const& parameters) const;
  /// Returns whether closed forms of a factorization on whole tiles in one precision hold: see `is_plain_factorization`.
  [[nodiscard]] bool is_plain(ApplicationParameters const& parameters) const {
    return is_plain_factorization && !parameters.formats && !parameters.is_nested();
  }
  [[nodiscard]] Factorization factorization() const {
    return lower_only ? Factorization::cholesky : Factorization::lu;
  }
  /// Operations of one update task.
  [[nodiscard]] Flops update_flops(ApplicationParameters const& parameters) const;
};

/// All applications, in the order in which messages list them. Addresses stay valid.
[[nodiscard]] std::vector<std::reference_wrapper<Application const>> applications();
/// Returns the application of that name. Throws std::out_of_range if there is none.
Application const& application(std::string_view name);
[[nodiscard]] std::vector<std::string> application_names();
/// Increases with each change of the registry.
[[nodiscard]] std::size_t registry_revision();

/// Registers an application for the lifetime of this object: for programs that bring their own. Not
/// thread-safe; objects are destroyed in the reverse order of their construction.
class AddedApplication {
 public:
  explicit AddedApplication(std::unique_ptr<Application const> added);
  ~AddedApplication();
  AddedApplication(AddedApplication const&) = delete;
  AddedApplication& operator=(AddedApplication const&) = delete;
};

}  // namespace factosim
