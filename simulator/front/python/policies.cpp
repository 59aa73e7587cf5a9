// Policies as Python classes, and the node that they see.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "factosim/error.hpp"
#include "factosim/scheduler.hpp"
#include "simulator/front/python/bindings.hpp"
#include "simulator/traces/programs/task_program.hpp"

namespace factosim::python {

namespace {

/// Answers of `push` besides the number of a worker.
constexpr long first_idle = -1, all_workers = -2;

/// A node as a policy in Python sees it, until its run ends.
class Node {
 public:
  explicit Node(NodeView const& view) : view_(&view), durations_(view.graph().kernels.size()) {
    py::list workers;
    for (NodeView::Worker const& worker : view.workers())
      workers.append(py::make_tuple(worker.gpu, worker.memory.value(), worker.busy_power));
    workers_ = py::module_::import("factosim._scheduler").attr("_workers")(workers);
  }

  void end_run() { view_ = nullptr; }
  [[nodiscard]] NodeView const& view() const {
    if (view_ == nullptr) throw std::runtime_error("the run of this node has ended");
    return *view_;
  }

  [[nodiscard]] py::object workers() const { return workers_; }
  /// Checks the number of a task, which Python may have made up.
  [[nodiscard]] TaskId task(std::size_t number) const {
    if (number >= view().graph().task_count()) throw py::index_error("no task " + std::to_string(number));
    return TaskId{number};
  }
  /// All tasks of a kernel last as long on a worker, unless they have weights: one tuple for each kernel, or each task.
  [[nodiscard]] py::object durations(std::size_t number) {
    TaskId const t = task(number);
    TaskGraph const& graph = view_->graph();
    py::object of_task;
    py::object& known = graph.weights.empty() ? durations_[graph.kernel[t.index()]] : of_task;
    if (!known) {
      std::span<double const> const seconds = view_->durations(t);
      py::tuple out(seconds.size());
      for (std::size_t w = 0; w < seconds.size(); ++w) out[w] = seconds[w];
      known = std::move(out);
    }
    return known;
  }
  [[nodiscard]] std::vector<double> transfers(std::size_t number) const {
    std::vector<double> seconds(view().memory_node_count());
    view_->predict_transfers(task(number), seconds);
    return seconds;
  }
  [[nodiscard]] LocalMemory memory(std::size_t number) const {
    if (number >= view().memory_node_count()) throw py::index_error("no memory " + std::to_string(number));
    return LocalMemory{number};
  }

 private:
  NodeView const* view_;
  py::object workers_;
  std::vector<py::object> durations_;  // [kernels] tuples, made when they are asked for
};

py::object number(std::uint32_t value) {
  return py::reinterpret_steal<py::object>(PyLong_FromUnsignedLong(value));
}
py::object number(LocalWorker worker) {
  return py::reinterpret_steal<py::object>(
      PyLong_FromLong(worker.valid() ? static_cast<long>(worker.value()) : -1));
}

/// A method of a policy, bound to it once.
class Method {
 public:
  Method() = default;
  Method(py::object const& policy, char const* name) : bound_(policy.attr(name)) {}

  explicit operator bool() const { return static_cast<bool>(bound_); }
  template <class... Arguments>
  py::object operator()(Arguments const&... arguments) const {
    // The free place before the arguments lets Python insert `self` without a copy.
    std::array<PyObject*, 1 + sizeof...(arguments)> values{nullptr, arguments.ptr()...};
    PyObject* const answer = PyObject_Vectorcall(
        bound_.ptr(), values.data() + 1, sizeof...(arguments) | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
    if (answer == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(answer);
  }

 private:
  py::object bound_;
};

/// Calls a Python policy. The interpreter's lock is held for the whole run.
class PythonPolicy final : public Scheduler {
 public:
  PythonPolicy(py::object const& type, NodeView const& view) : node_(std::make_shared<Node>(view)) {
    policy_ = type(node_);
    name_ = name_of_policy(type);
    push_ = Method(policy_, "push");
    pop_ = Method(policy_, "pop");
    // Most policies leave these as they are in the base class, which does nothing.
    py::object const base = py::module_::import("factosim._scheduler").attr("Scheduler");
    auto const overridden = [&](char const* name) {
      return py::hasattr(policy_, name) &&
             !py::getattr(py::type::of(policy_), name, py::none()).is(base.attr(name));
    };
    if (overridden("started")) started_ = Method(policy_, "started");
    if (overridden("finished")) finished_ = Method(policy_, "finished");
    prefetches_ = flag("prefetches", false);
    shares_tasks_ = flag("shares_tasks", true);
    knows_priorities_ = flag("knows_priorities", false);
  }
  ~PythonPolicy() override { node_->end_run(); }

  Assignment push(TaskId task, LocalWorker pusher) override {
    py::object const answer = push_(number(task.value()), number(pusher));
    long const worker = integer(answer, "push", "a worker, FIRST_IDLE or ALL_WORKERS");
    if (worker == first_idle) return to_first_idle();
    if (worker == all_workers) return to_all_workers();
    if (worker < 0) fail("push", answer, "a worker, FIRST_IDLE or ALL_WORKERS");
    return to_worker(LocalWorker{worker});
  }

  TaskId pop(LocalWorker worker) override {
    py::object const answer = pop_(number(worker));
    if (answer.is_none()) return {};
    long const task = integer(answer, "pop", "a task or None");
    if (task < 0 || task >= static_cast<long>(TaskId::none)) fail("pop", answer, "a task or None");
    return TaskId{task};
  }

  void started(LocalWorker worker, TaskId task) override {
    if (started_) started_(number(worker), number(task.value()));
  }
  void finished(LocalWorker worker, TaskId task) override {
    if (finished_) finished_(number(worker), number(task.value()));
  }
  [[nodiscard]] bool prefetches() const override { return prefetches_; }
  [[nodiscard]] bool shares_tasks() const override { return shares_tasks_; }
  [[nodiscard]] bool knows_priorities() const override { return knows_priorities_; }

 private:
  [[nodiscard]] bool flag(char const* name, bool otherwise) const {
    return py::getattr(policy_, name, py::bool_(otherwise)).cast<bool>();
  }
  [[noreturn]] void fail(char const* method, py::object const& answer, char const* expected) const {
    throw InputError("policy " + name_ + "#", std::string(method) + " returned " +
                                                  std::string(py::repr(answer)) + ". Return " + expected);
  }
  [[nodiscard]] long integer(py::object const& answer, char const* method, char const* expected) const {
    long const value = PyLong_AsLong(answer.ptr());
    if (value == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      fail(method, answer, expected);
    }
    return value;
  }

  std::shared_ptr<Node> node_;
  py::object policy_;
  std::string name_;
  Method push_, pop_, started_, finished_;
  bool prefetches_ = false, shares_tasks_ = true, knows_priorities_ = false;
};

}  // namespace

std::string name_of_policy(py::object const& type) {
  if (py::hasattr(type, "func")) return name_of_policy(type.attr("func"));  // functools.partial
  return py::str(py::getattr(type, "__name__", py::type::of(type).attr("__name__")));
}

SchedulerMaker policy_maker(py::object const& type) {
  return [type](NodeView const& view) { return std::make_unique<PythonPolicy>(type, view); };
}

void bind_policies(py::module_& m) {
  m.attr("FIRST_IDLE") = first_idle;
  m.attr("ALL_WORKERS") = all_workers;
  py::class_<Node, std::shared_ptr<Node>>(
      m, "Node", "A node as a policy sees it, while its run lasts. GPUs come first among its workers.")
      .def_property_readonly("workers", &Node::workers, "The workers of the node.")
      .def_property_readonly(
          "memory_count", [](Node const& n) { return n.view().memory_node_count(); },
          "The number of memories: the RAM, or its NUMA nodes, then the GPUs.")
      .def_property_readonly(
          "now", [](Node const& n) { return n.view().now().value; }, "The simulated time in seconds.")
      .def_property_readonly(
          "graph",
          [](Node const& n) {
            return std::make_shared<TaskProgram>(TaskProgram{
                .source = {}, .format = "factosim", .name = {}, .graph = n.view().graph(), .id = {}});
          },
          "A copy of the task graph of the run.")
      .def(
          "priority", [](Node const& n, std::size_t task) { return n.view().priority(n.task(task)); },
          py::arg("task"), "The priority that the application gave the task; higher is more urgent.")
      .def("durations", &Node::durations, py::arg("task"),
           "The mean duration of the task on each worker, in seconds; infinity where it cannot run. Tasks of "
           "a kernel without weights of their own share the tuple.")
      .def("predict_transfers", &Node::transfers, py::arg("task"),
           "The predicted seconds to bring all data that the task reads to each memory.")
      .def(
          "readiness",
          [](Node const& n, std::size_t task, std::size_t memory) {
            Readiness const r = n.view().readiness(n.task(task), n.memory(memory));
            return py::make_tuple(r.missing, r.not_loading, r.not_allocated);
          },
          py::arg("task"), py::arg("memory"),
          "Bytes that the task reads and that a memory has not; the part of it that no transfer brings; "
          "bytes without memory there.")
      .def(
          "runs_here", [](Node const& n, std::size_t task) { return n.view().runs_here(n.task(task)); },
          py::arg("task"), "Whether the task runs on this node.")
      .def(
          "copy_time",
          [](Node const& n, std::size_t from, std::size_t to, std::int64_t bytes) {
            return n.view().copy_time(n.memory(from), n.memory(to), Bytes{bytes}).value;
          },
          py::arg("from_memory"), py::arg("to_memory"), py::arg("bytes"),
          "The predicted seconds of a copy of `bytes` alone on the bus, from `from_memory` to `to_memory`.");
}

}  // namespace factosim::python
