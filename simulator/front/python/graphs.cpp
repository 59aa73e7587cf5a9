#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "factosim/error.hpp"
#include "simulator/front/python/bindings.hpp"
#include "simulator/traces/import/fields.hpp"
#include "simulator/traces/programs/graph_readers.hpp"
#include "simulator/traces/programs/program_builder.hpp"

namespace factosim::python {

namespace {

std::string shown(py::handle value) { return py::repr(value); }

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

void check_flops(double flops, std::string const& what) {
  if (!(flops >= 0) || std::isinf(flops))
    fail("kernels", "do " + std::to_string(flops) + " operations (" + what + "). Give a number from 0 on");
}

using Durations = std::optional<std::variant<double, std::map<std::string, double>>>;
using Predecessor = std::variant<std::int64_t, std::pair<std::int64_t, std::int64_t>>;  // a task, and bytes

/// Returns durations by kind of worker: a number counts for cores.
WorkerSeconds seconds_of(Durations const& given, bool positive) {
  WorkerSeconds out;
  if (auto const* const on_cores = given ? std::get_if<double>(&*given) : nullptr)
    out.emplace_back("cpu", *on_cores);
  else if (given)
    for (auto const& of_worker : std::get<1>(*given)) out.emplace_back(of_worker);
  for (auto const& [worker, seconds] : out) {
    bool const numbered = worker.starts_with("cuda") && worker.size() < 8 &&
                          worker.find_first_not_of("0123456789", 4) == worker.npos;
    if (worker != "cpu" && !numbered)
      fail("seconds", "has the worker \"" + worker + "\". Use \"cpu\", \"cuda\" (all GPUs), \"cuda0\", ...");
    if (!(seconds >= 0) || seconds > 1e12 || (positive && seconds == 0))
      fail("seconds",
           "has " + std::to_string(seconds) + " s. Give seconds " + (positive ? "above 0" : "from 0 on"));
  }
  return out;
}

void check_number(char const* of, std::int64_t number, std::size_t count) {
  if (number < 0 || number >= static_cast<std::int64_t>(count))
    fail(of, "have no number " + std::to_string(number) + ". Add it first");
}

void check_node(std::string const& argument, std::int64_t node) {
  if (node < -1 || node >= max_nodes)
    fail(argument, "is " + std::to_string(node) + ". Give the number of a node, or -1 for none");
}

void check_indices(TaskIndices const& i) {
  for (std::int32_t const index : {i.k, i.m, i.n})
    if (index < -1)
      fail("indices", "have " + std::to_string(index) + ". Give numbers from 0 on, or -1 for none");
}

std::int64_t number_of(NodeId node) { return node.valid() ? std::int64_t{node.value()} : -1; }
NodeId node_of(std::int64_t number) { return number < 0 ? NodeId{} : NodeId{number}; }

Durations by_worker(WorkerSeconds const& seconds) {
  if (seconds.empty()) return {};
  return std::map<std::string, double>(seconds.begin(), seconds.end());
}

/// A ProgramBuilder whose kernels, data and tasks are numbers.
class TaskFlow {
 public:
  std::uint32_t add_kernel(std::string const& name, double flops, Durations const& seconds,
                           bool asynchronous_on_gpu, std::string const& timing, bool on_spare_workers,
                           bool is_free) {
    check_flops(flops, name);
    if (kernels_.size() >= std::numeric_limits<std::uint16_t>::max())
      fail("kernels", "are more than 65535. Give tasks of like durations one kernel");
    WorkerSeconds durations = seconds_of(seconds, true);
    if (!kernel_names_.insert(name).second)
      fail("kernels", "have \"" + name + "\" already. Use its number, or another name");
    kernels_.push_back({{.name = name,
                         .flops = {flops},
                         .asynchronous_on_gpu = asynchronous_on_gpu,
                         .timing = timing,
                         .on_spare_workers = on_spare_workers,
                         .is_free = is_free},
                        std::move(durations)});
    return static_cast<std::uint32_t>(kernels_.size() - 1);
  }

  std::uint32_t add_handle(std::int64_t bytes, std::int32_t m, std::int32_t n, std::int64_t owner) {
    constexpr std::int64_t max_bytes = std::int64_t{1} << 50;
    if (bytes < 0 || bytes > max_bytes)
      fail("handles", "have the size " + std::to_string(bytes) + ". Give bytes, from 0 to 2^50");
    check_node("owner", owner);
    check_indices({0, m, n});
    data_.push_back({.size = {bytes}, .m = m, .n = n, .owner = node_of(owner)});
    writer_.push_back(TaskId{});
    return static_cast<std::uint32_t>(data_.size() - 1);
  }

  std::uint32_t submit(std::int64_t kernel, py::args const& accesses, std::int32_t priority, std::int32_t k,
                       std::int32_t m, std::int32_t n, py::object const& given_seconds,
                       py::object const& given_after, py::object const& given_flops, std::int64_t node) {
    auto const seconds = converted<Durations>(given_seconds, false);
    auto const after = converted<std::vector<Predecessor>>(given_after, true);
    auto const flops = converted<double>(given_flops, false);
    check_number("kernels", kernel, kernels_.size());
    check_flops(flops, "a task");
    check_node("node", node);
    check_indices({k, m, n});
    ProgramTask task{.id = std::to_string(tasks_.size()),
                     .kernel = kernels_[static_cast<std::size_t>(kernel)].kernel.name,
                     .priority = priority,
                     .indices = {k, m, n},
                     .seconds = seconds_of(seconds, false),
                     .flops = flops,
                     .node = node_of(node),
                     .phase = phase_};
    for (py::handle const access : accesses) {
      try {
        auto const [handle, mode] = converted<std::pair<std::int64_t, std::string>>(access, true);
        check_number("handles", handle, data_.size());
        task.accesses.emplace_back(HandleId{handle}, access_of(mode));
      } catch (py::type_error const&) {
        fail("accesses", "have " + shown(access) + ". Give pairs of a handle and a mode: (tile, \"rw\")");
      }
    }
    for (Predecessor const& before : after) task.after.push_back(edge_of(before));
    for (DataAccess const a : task.accesses)
      if (writes(a.mode())) writer_[a.handle().index()] = TaskId{tasks_.size()};
    task.barrier = std::exchange(barrier_, false);
    task.flushes_cache = std::exchange(flushes_cache_, false);
    tasks_.push_back(std::move(task));
    return static_cast<std::uint32_t>(tasks_.size() - 1);
  }

  void wont_use(std::int64_t handle) {
    check_number("handles", handle, data_.size());
    TaskId const writer = writer_[static_cast<std::size_t>(handle)];
    if (!writer.valid()) fail("handles", "that no task writes have no last writer. Submit a writer first");
    tasks_[writer.index()].writes_back = true;
  }
  void flush_inputs(std::int64_t task) {
    check_number("tasks", task, tasks_.size());
    tasks_[static_cast<std::size_t>(task)].flushes_inputs = true;
  }
  void begin_phase(std::string const& name) { phase_ = name; }
  void barrier() { barrier_ = true; }
  void flush_cache() { flushes_cache_ = true; }

  std::shared_ptr<TaskProgram> finish() {
    if (tasks_.empty()) fail("tasks", "are none (a graph has one at least). Submit a task first");
    ProgramBuilder builder("<graph>");
    for (ProgramKernel& kernel : kernels_) builder.add_kernel(std::move(kernel), 0);
    for (std::size_t h = 0; h < data_.size(); ++h) builder.add_datum("d" + std::to_string(h), data_[h], 0);
    for (ProgramTask& task : tasks_) builder.add_task(std::move(task));
    *this = {};
    builder.program().format = "graph-jsonl";
    return std::make_shared<TaskProgram>(std::move(builder).finish());
  }

  [[nodiscard]] py::str text() const {
    return py::str("<factosim.TaskFlow: {} tasks, {} handles>").format(tasks_.size(), data_.size());
  }

  /// Returns the arguments of the calls that made the program: of kernels, data and tasks; and what the next task will have.
  [[nodiscard]] py::tuple calls() const {
    py::list kernels, data, tasks;
    for (auto const& [k, seconds, recorded] : kernels_)
      kernels.append(py::make_tuple(k.name, k.flops.value, by_worker(seconds), k.asynchronous_on_gpu,
                                    k.timing, k.on_spare_workers, k.is_free));
    for (HandleInfo const& h : data_) data.append(py::make_tuple(h.size.value, h.m, h.n, number_of(h.owner)));
    for (ProgramTask const& t : tasks_) {
      py::list accesses, after;
      for (DataAccess const a : t.accesses)
        accesses.append(py::make_tuple(
            a.handle().value(), std::string(reads(a.mode()) ? "r" : "") + (writes(a.mode()) ? "w" : "")));
      for (auto const& [task, bytes] : t.after)
        after.append(bytes ? Predecessor(std::pair(std::stoll(task), *bytes))
                           : Predecessor(std::stoll(task)));
      tasks.append(py::make_tuple(py::make_tuple(t.phase, t.barrier, t.flushes_cache), t.kernel, accesses,
                                  t.priority, t.indices.k, t.indices.m, t.indices.n, by_worker(t.seconds),
                                  after, t.flops, number_of(t.node), t.writes_back, t.flushes_inputs));
    }
    return py::make_tuple(kernels, data, tasks, py::make_tuple(phase_, barrier_, flushes_cache_));
  }

 private:
  [[nodiscard]] ProgramEdge edge_of(Predecessor const& given) const {
    auto const* const sends = std::get_if<1>(&given);
    std::int64_t const task = sends != nullptr ? sends->first : std::get<0>(given);
    check_number("tasks", task, tasks_.size());
    if (sends != nullptr && sends->second < 0) fail("after", "has a negative size. Give bytes");
    return {std::to_string(task), sends == nullptr ? std::nullopt : std::optional(sends->second)};
  }

  std::vector<ProgramKernel> kernels_;
  std::set<std::string> kernel_names_;
  std::vector<HandleInfo> data_;
  std::vector<ProgramTask> tasks_;
  std::vector<TaskId> writer_;  // [data] the last one
  std::string phase_;           // of the next task, as those that follow
  bool barrier_ = false, flushes_cache_ = false;
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
    auto const& values = self.cast<TaskProgram const&>().graph.*member;
    return column<Element>(self, values.data(), values.size());
  };
}

auto indices_of(std::size_t offset) {
  return [offset](py::object const& self) {
    auto const& values = self.cast<TaskProgram const&>().graph.indices;
    auto const* const data = reinterpret_cast<char const*>(values.data());
    return column<std::int32_t>(self, data + offset, values.size(), sizeof(TaskIndices));
  };
}

template <class NameOf>
auto names_of_kernels(NameOf const& name_of) {
  return [name_of](TaskProgram const& p) {
    py::list names;
    for (Kernel const& kernel : p.graph.kernels) names.append(name_of(kernel));
    return names;
  };
}

/// Returns what is known of the data, [handles, 4]: size, row, column, owner; -1: none.
py::array_t<std::int64_t> table_of_data(TaskProgram const& p) {
  py::array_t<std::int64_t> out({p.graph.handles.size(), std::size_t{4}});
  std::int64_t* cell = out.mutable_data();
  for (HandleInfo const& h : p.graph.handles)
    for (std::int64_t const value : {h.size.value, std::int64_t{h.m}, std::int64_t{h.n}, number_of(h.owner)})
      *cell++ = value;
  return out;
}

/// Returns the graph with the owners, [handles]; -1: none.
std::shared_ptr<TaskProgram> with_owners(TaskProgram const& p, py::object const& given) {
  py::object const numbers =
      py::module_::import("factosim._graph").attr("owner_numbers")(given, p.graph.handles.size());
  auto const owners = numbers.cast<std::vector<std::int64_t>>();
  auto out = std::make_shared<TaskProgram>(p);
  for (std::size_t h = 0; h < owners.size(); ++h) out->graph.handles[h].owner = node_of(owners[h]);
  return out;
}

void bind_graph(py::module_& m) {
  py::class_<TaskProgram, std::shared_ptr<TaskProgram>>(
      m, "TaskGraph",
      "Tasks, their accesses and dependencies: a value of a scenario's \"application\". Its arrays are "
      "read-only views: of tasks in the order of submission, and of those after each, as compressed rows.")
      .def(
          "__len__", [](TaskProgram const& p) { return p.graph.task_count(); }, "The number of tasks.")
      .def("__repr__",
           [](TaskProgram const& p) {
             return py::str("<factosim.TaskGraph: {} tasks, {} dependencies, {} handles>")
                 .format(p.graph.task_count(), p.graph.edge_count(), p.graph.handles.size());
           })
      .def(
          "__reduce__",
          [](py::object const& self) { return py::module_::import("factosim._graph").attr("reduced")(self); })
      .def(
          "save",
          [](TaskProgram const& p, py::object const& file, py::object const& force) {
            py::module_::import("factosim._graph").attr("refuse_to_replace")(file, force);
            write_graph_lines(py::str(file).cast<std::string>(), p);
          },
          py::arg("file"), py::arg("force") = false,
          "Writes a `file` of JSON lines (scenarios/graphs.md), which `read_graph` reads; `force`: anew.")
      .def("with_owners", &with_owners, py::arg("owners"),
           "Returns a copy in which the nodes of `owners`, [handles], own the data; -1: no one.")
      .def_property_readonly(
          "edge_count", [](TaskProgram const& p) { return p.graph.edge_count(); },
          "The number of dependencies.")
      .def_property_readonly(
          "handle_count", [](TaskProgram const& p) { return p.graph.handles.size(); },
          "The number of handles.")
      .def_property_readonly(
          "handles", &table_of_data,
          "[handles, 4] The size in bytes, the tile's row and column, and the owner; -1: none.")
      .def_property_readonly("has_durations", &TaskProgram::has_durations, "Whether it states durations.")
      .def_property_readonly("kernel_names", names_of_kernels([](Kernel const& k) { return k.name; }),
                             "The names of the kernels.")
      .def_property_readonly("timing_names", names_of_kernels([](Kernel const& k) { return timing_name(k); }),
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
  py::class_<TaskFlow> flow(
      m, "TaskFlow",
      "Builds a task graph from tasks submitted in the order of a sequential program. Dependencies follow "
      "from what tasks read and write. Kernels, handles and tasks are numbers.");
  flow.def(py::init<>(), "Begins an empty program.")
      .def("__repr__", &TaskFlow::text)
      .def("__reduce__",
           [](TaskFlow const& f) {
             return py::make_tuple(py::module_::import("factosim._graph").attr("flow_of"), f.calls());
           })
      .def("add_kernel", &TaskFlow::add_kernel, py::arg("name"), py::arg("flops") = 0.0, py::kw_only(),
           py::arg("seconds") = py::none(), py::arg("asynchronous_on_gpu") = true, py::arg("timing") = "",
           py::arg("on_spare_workers") = true, py::arg("is_free") = false,
           "Adds a kind of task by name; `flops` of one, `seconds` on a core, or by worker: {\"cpu\": 0.1, "
           "\"cuda\": 0.01}. `timing`: one that lasts as long; `is_free`: no time. `asynchronous_on_gpu`: "
           "no driver waits. `on_spare_workers`: also oversubscribed. Returns its number.")
      .def("add_handle", &TaskFlow::add_handle, py::arg("bytes").noconvert(), py::arg("m").noconvert() = 0,
           py::arg("n").noconvert() = 0, py::arg("owner").noconvert() = -1,
           "Adds data: a tile (m, n) of that many bytes, or data with a fixed owner. Returns its number.")
      .def("submit", &TaskFlow::submit, py::arg("kernel").noconvert(), py::arg("priority").noconvert() = 0,
           py::arg("k").noconvert() = 0, py::arg("m").noconvert() = 0, py::arg("n").noconvert() = 0,
           py::arg("seconds").noconvert() = py::none(),
           py::arg("after").noconvert() = std::vector<Predecessor>(), py::arg("flops").noconvert() = 0.0,
           py::arg("node").noconvert() = -1,
           "Submits a task of a `kernel` with its accesses, (tile, \"rw\"), in the order of its "
           "parameters. High `priority`: urgent. `k`, `m`, `n`: iteration, row, column. `seconds`, "
           "`flops`: its own. `after`: tasks, or (task, bytes) that send data. `node`: where it runs. "
           "Returns its number.")
      .def("wont_use", &TaskFlow::wont_use, py::arg("handle").noconvert(),
           "States that the handle is not used for some time: it may be copied back to RAM.")
      .def("flush_inputs", &TaskFlow::flush_inputs, py::arg("task").noconvert(),
           "After this task its inputs leave the cache of received data: later readers need messages.")
      .def("begin_phase", &TaskFlow::begin_phase, py::arg("name"),
           "Assigns the following tasks to a phase of that name.")
      .def("barrier", &TaskFlow::barrier, "Makes the program wait for all tasks so far, on all nodes.")
      .def("flush_cache", &TaskFlow::flush_cache, "Makes all nodes drop received data.")
      .def("finish", &TaskFlow::finish, "Returns the graph and leaves an empty program.");

  m.def(
      "read_graph",
      [](std::string const& path, std::string const& format, double seconds, double bytes) {
        return std::make_shared<TaskProgram>(read_graph(path, format, {.seconds = seconds, .bytes = bytes}));
      },
      py::arg("path"), py::arg("format"), py::arg("time_unit_s"), py::arg("data_unit_bytes"),
      py::call_guard<py::gil_scoped_release>());
}

}  // namespace

void bind_graphs(py::module_& m) {
  bind_graph(m);
  bind_flow(m);
}

}  // namespace factosim::python
