#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "factosim/error.hpp"
#include "factosim/graph_simulation.hpp"
#include "factosim/sequential_task_flow.hpp"
#include "simulator/front/python/bindings.hpp"

namespace factosim::python {

namespace {

[[noreturn]] void fail(std::string const& where, std::string const& message) {
  throw InputError("TaskFlow#/" + where, message);
}

Access access_of(std::string_view mode) {
  if (mode == "r") return Access::read;
  if (mode == "w") return Access::write;
  if (mode == "rw") return Access::read_write;
  fail("accesses",
       "have the mode \"" + std::string(mode) + "\" (a task reads or writes). Use \"r\", \"w\" or \"rw\"");
}

/// A SequentialTaskFlow that checks numbers.
class TaskFlow {
 public:
  std::uint32_t add_kernel(std::string const& name, double flops, bool asynchronous_on_gpu,
                           std::string const& timing, bool on_spare_workers, bool is_free) {
    if (!(flops >= 0) || std::isinf(flops))
      fail("kernels", "do " + std::to_string(flops) + " operations (" + name + "). Give a number from 0 on");
    if (!kernels_.insert({name, timing}).second)
      fail("kernels", "have \"" + name + "\" already. Use its number, or another \"timing\"");
    if (kernels_.size() > std::numeric_limits<std::uint16_t>::max())
      fail("kernels", "are more than 65535. Give tasks of like durations one kernel");
    return flow_
        .add_kernel({.name = name,
                     .flops = {flops},
                     .asynchronous_on_gpu = asynchronous_on_gpu,
                     .timing = timing,
                     .on_spare_workers = on_spare_workers,
                     .is_free = is_free})
        .value();
  }

  std::uint32_t add_handle(std::int64_t bytes, std::int32_t m, std::int32_t n, std::int64_t owner) {
    if (bytes < 0) fail("handles", "have a negative size. Give bytes");
    written_.push_back(false);
    return flow_.add_handle({.size = {bytes}, .m = m, .n = n, .owner = owner < 0 ? NodeId{} : NodeId{owner}})
        .value();
  }

  std::uint32_t submit(std::uint32_t kernel, py::args const& accesses, std::int32_t priority, std::int32_t k,
                       std::int32_t m, std::int32_t n) {
    if (kernel >= kernels_.size())
      fail("kernels", "have no number " + std::to_string(kernel) + ". Add the kernel first");
    accesses_.clear();
    for (py::handle const access : accesses) {
      try {
        auto const [handle, mode] = access.cast<std::pair<std::int64_t, std::string>>();
        check_handle(handle);
        accesses_.emplace_back(HandleId{handle}, access_of(mode));
        if (writes(accesses_.back().mode())) written_[static_cast<std::size_t>(handle)] = true;
      } catch (py::cast_error const&) {
        fail("accesses", "are pairs of the number of a handle and a mode, such as (tile, \"rw\")");
      }
    }
    ++tasks_;
    return flow_.submit(KernelId{kernel}, priority, {k, m, n}, accesses_).value();
  }

  void wont_use(std::int64_t handle) {
    check_handle(handle);
    if (!written_[static_cast<std::size_t>(handle)])
      fail("handles", "that no task writes have no last writer. Submit a writer first");
    flow_.wont_use(HandleId{handle});
  }
  void flush_inputs(std::uint32_t task) {
    if (task >= tasks_) fail("tasks", "have no number " + std::to_string(task) + ". Submit the task first");
    flow_.flush_inputs(TaskId{task});
  }
  void begin_phase(std::string const& name) { flow_.begin_phase({.name = name}); }
  void barrier() { flow_.barrier(); }
  void flush_cache() { flow_.flush_cache(); }
  TaskGraph finish() {
    tasks_ = 0;
    kernels_.clear();
    written_.clear();
    return std::exchange(flow_, {}).finish();
  }

 private:
  void check_handle(std::int64_t handle) const {
    if (handle < 0 || handle >= static_cast<std::int64_t>(written_.size()))
      fail("handles", "have no number " + std::to_string(handle) + ". Add the handle first");
  }

  SequentialTaskFlow flow_;
  std::vector<DataAccess> accesses_;
  std::vector<bool> written_;                              // [handles]
  std::set<std::pair<std::string, std::string>> kernels_;  // names and timings
  std::uint32_t tasks_ = 0;
};

/// Returns a read-only column of the graph, without a copy: `count` elements of `Element`, `stride` bytes apart.
template <class Element>
py::array column(py::object const& graph, void const* data, std::size_t count,
                 std::size_t stride = sizeof(Element)) {
  py::array out(py::dtype::of<Element>(), {static_cast<py::ssize_t>(count)},
                {static_cast<py::ssize_t>(stride)}, data, graph);
  py::detail::array_proxy(out.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return out;
}

template <class Element, class Vector>
auto column_of(Vector TaskGraph::*member) {
  return [member](py::object const& self) {
    auto const& values = self.cast<TaskGraph const&>().*member;
    return column<Element>(self, values.data(), values.size());
  };
}

auto indices_of(std::size_t offset) {
  return [offset](py::object const& self) {
    auto const& values = self.cast<TaskGraph const&>().indices;
    auto const* const data = reinterpret_cast<char const*>(values.data());
    return column<std::int32_t>(self, data + offset, values.size(), sizeof(TaskIndices));
  };
}

void bind_graph(py::module_& m) {
  py::class_<TaskGraph, std::shared_ptr<TaskGraph>>(
      m, "TaskGraph",
      "Tasks, their accesses and dependencies. Its arrays are read-only views: of tasks in the order of "
      "submission, and of the tasks after each, as compressed rows.")
      .def("__len__", &TaskGraph::task_count, "The number of tasks.")
      .def_property_readonly("edge_count", &TaskGraph::edge_count, "The number of dependencies.")
      .def_property_readonly(
          "handle_count", [](TaskGraph const& g) { return g.handles.size(); }, "The number of handles.")
      .def_property_readonly(
          "kernel_names",
          [](TaskGraph const& g) {
            std::vector<std::string> names;
            for (Kernel const& kernel : g.kernels) names.push_back(kernel.name);
            return names;
          },
          "The names of the kernels.")
      .def_property_readonly(
          "timing_names",
          [](TaskGraph const& g) {
            std::vector<std::string> names;
            for (Kernel const& kernel : g.kernels) names.push_back(timing_name(kernel));
            return names;
          },
          "The name of each kernel's durations.")
      .def_property_readonly("kernel", column_of<std::uint16_t>(&TaskGraph::kernel),
                             "[tasks] Index into kernel_names.")
      .def_property_readonly("priority", column_of<std::int32_t>(&TaskGraph::priority),
                             "[tasks] Higher is more urgent.")
      .def_property_readonly("k", indices_of(offsetof(TaskIndices, k)), "[tasks] Iteration of each task.")
      .def_property_readonly("m", indices_of(offsetof(TaskIndices, m)), "[tasks] Row of each task.")
      .def_property_readonly("n", indices_of(offsetof(TaskIndices, n)), "[tasks] Column of each task.")
      .def_property_readonly("access_begin", column_of<std::uint32_t>(&TaskGraph::access_begin),
                             "[tasks + 1] First access of each task.")
      .def_property_readonly("accesses", column_of<std::uint32_t>(&TaskGraph::accesses),
                             "[accesses] Four times the handle, plus 1 if it is read and 2 if it is written.")
      .def_property_readonly("successor_begin", column_of<std::uint32_t>(&TaskGraph::successor_begin),
                             "[tasks + 1] First successor of each task.")
      .def_property_readonly("successors", column_of<std::uint32_t>(&TaskGraph::successors),
                             "[edges] Tasks that depend on a task.")
      .def_property_readonly("predecessor_count", column_of<std::uint32_t>(&TaskGraph::predecessors),
                             "[tasks] Number of tasks that each depends on.");
}

void bind_flow(py::module_& m) {
  py::class_<TaskFlow>(
      m, "TaskFlow",
      "Builds a task graph from tasks submitted in the order of a sequential program. Dependencies follow "
      "from what tasks read and write. Kernels, handles and tasks are numbers.")
      .def(py::init<>(), "Begins an empty program.")
      .def("add_kernel", &TaskFlow::add_kernel, py::arg("name"), py::arg("flops") = 0.0, py::kw_only(),
           py::arg("asynchronous_on_gpu") = true, py::arg("timing") = "", py::arg("on_spare_workers") = true,
           py::arg("is_free") = false, "Adds a kind of task; `flops` of one task. Returns its number.")
      .def("add_handle", &TaskFlow::add_handle, py::arg("bytes"), py::arg("m") = 0, py::arg("n") = 0,
           py::arg("owner") = -1,
           "Adds a piece of data: a tile (m, n) of that many bytes, or data with a fixed owner. Returns its "
           "number.")
      .def("submit", &TaskFlow::submit, py::arg("kernel"), py::arg("priority") = 0, py::arg("k") = 0,
           py::arg("m") = 0, py::arg("n") = 0,
           "Submits a task with its accesses, pairs such as (tile, \"rw\"), in the order of its parameters. "
           "Returns its number.")
      .def("wont_use", &TaskFlow::wont_use, py::arg("handle"),
           "States that the handle is not used for some time: it may be copied back to RAM.")
      .def("flush_inputs", &TaskFlow::flush_inputs, py::arg("task"),
           "After this task its inputs leave the cache of received data: later readers need messages.")
      .def("begin_phase", &TaskFlow::begin_phase, py::arg("name"),
           "Assigns the following tasks to a phase of that name.")
      .def("barrier", &TaskFlow::barrier, "Makes the program wait for all tasks so far, on all nodes.")
      .def("flush_cache", &TaskFlow::flush_cache, "Makes all nodes drop received data.")
      .def("finish", &TaskFlow::finish, "Returns the graph and leaves an empty program.");
}

Precision precision_of(std::string const& name) {
  if (auto const known = precision_named(name)) return *known;
  throw InputError(
      "precision#",
      "is \"" + name + "\". Use \"double\", \"single\", \"tf32\", \"half\", \"bfloat16\" or \"fp8\"");
}

/// Sets the duration of a kernel on workers of one kind, on nodes of the type, for tiles of `nb`.
void set_duration(Cluster& cluster, std::string const& type, KernelTiming timing) {
  for (std::size_t t = 0; t < cluster.platform.types.size(); ++t) {
    if (cluster.platform.types[t].name != type) continue;
    auto& timings = cluster.kernels[t].timings;
    std::erase_if(timings, [&](KernelTiming const& known) {
      return known.kernel == timing.kernel && known.worker == timing.worker && known.nb == timing.nb &&
             known.precision == timing.precision;
    });
    timings.push_back(std::move(timing));
    return;
  }
  throw InputError("kernels#/" + type, "names no node type of the platform. Use one of its node types");
}

void bind_cluster(py::module_& m) {
  py::class_<Cluster>(m, "Cluster", "A platform with the durations of kernels on it: see read_cluster.")
      .def_property_readonly(
          "node_types",
          [](Cluster const& c) {
            std::vector<std::string> names;
            for (NodeType const& type : c.platform.types) names.push_back(type.name);
            return names;
          },
          "The names of the types of nodes.")
      .def_property_readonly(
          "gpu_counts",
          [](Cluster const& c) {
            std::vector<std::size_t> counts;
            for (NodeType const& type : c.platform.types) counts.push_back(type.gpus.size());
            return counts;
          },
          "The number of GPUs of a node of each type.")
      .def_property_readonly(
          "node_count", [](Cluster const& c) { return c.platform.nodes.size(); }, "The number of nodes.")
      .def(
          "copy", [](Cluster const& c) { return c; }, "Returns a copy, whose durations can be changed.")
      .def(
          "set_duration",
          [](Cluster& c, std::string const& type, std::string const& kernel, std::string const& worker,
             double seconds, int nb, std::string const& precision) {
            if (!(seconds > 0))
              throw InputError("kernels#" + (nlohmann::json::json_pointer() / type / kernel).to_string(),
                               "is not above 0. Give seconds");
            KernelTiming timing{.kernel = kernel, .worker = worker};
            timing.precision = precision_of(precision);
            timing.nb = nb;
            timing.mean = Seconds{seconds};
            set_duration(c, type, std::move(timing));
          },
          py::arg("type"), py::arg("kernel"), py::arg("worker"), py::arg("seconds"), py::arg("nb"),
          py::arg("precision"),
          "Sets the seconds of a kernel on workers of one kind (\"cpu\", \"cuda0\"), on nodes of a type.");
  m.def("read_cluster", &read_cluster, py::arg("path_or_name"));
}

using Owners = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

NodeId node_of(std::int64_t number) { return number < 0 ? NodeId{} : NodeId{number}; }

/// Returns the owners of handles by an array over the handles, or a map of tiles [mt][nt].
std::vector<NodeId> owners_of(TaskGraph const& graph, Owners const& owners) {
  auto const* const data = owners.data();
  std::vector<NodeId> numbers;
  for (py::ssize_t i = 0; i < owners.size(); ++i) numbers.push_back(node_of(data[i]));
  if (owners.ndim() == 1) return numbers;
  if (owners.ndim() != 2)
    throw InputError("owners#",
                     "have neither one nor two dimensions. Give a node for each handle, or a map of tiles");
  TileMap map{.mt = static_cast<int>(owners.shape(0)), .nt = static_cast<int>(owners.shape(1)), .owner = {}};
  map.owner = std::move(numbers);
  for (HandleInfo const& handle : graph.handles)
    if (!handle.owner.valid() && (handle.m < 0 || handle.n < 0 || handle.m >= map.mt || handle.n >= map.nt))
      throw InputError("owners#", "have no tile (" + std::to_string(handle.m) + ", " +
                                      std::to_string(handle.n) + ") (a handle is there). Give a larger map");
  return owners_by_map(graph, map);
}

NetworkModel network_of(std::string const& name) {
  try {
    return network_model(name);
  } catch (std::out_of_range const&) {
    std::string known;
    for (std::string const& other : network_model_names()) known += (known.empty() ? "" : ", ") + other;
    throw InputError("network#", "is \"" + name + "\" (no model has this name). Use one of " + known);
  }
}

}  // namespace

void bind_graphs(py::module_& m) {
  bind_graph(m);
  bind_flow(m);
  bind_cluster(m);
  m.def(
      "simulate_graph",
      [](TaskGraph const& graph, Owners const& owners, Cluster const& cluster, py::dict const& options,
         py::dict const& control) {
        GraphSimulation simulation;
        simulation.name = options["name"].cast<std::string>();
        simulation.graph = graph;
        simulation.owners = owners_of(graph, owners);
        simulation.platform = cluster.platform;
        simulation.kernels = cluster.kernels;
        simulation.precision = precision_of(options["precision"].cast<std::string>());
        simulation.nb = options["nb"].cast<int>();
        simulation.scheduler.type = options["policy"].cast<std::string>();
        simulation.scheduler.seed = options["seed"].cast<std::uint64_t>();
        simulation.network = options["network"].is_none()
                                 ? default_network_model()
                                 : network_of(options["network"].cast<std::string>());
        RunControl const run = control_of(control);
        without_lock(run, [&] { (void)simulate(std::move(simulation), run); });
      },
      py::arg("graph"), py::arg("owners"), py::arg("cluster"), py::arg("options"), py::arg("control"));
}

}  // namespace factosim::python
