#include "simulator/base/plugin/plugin.hpp"

#include <utility>

namespace factosim {

namespace {

/// A node as the functions of a plug-in see it.
class NodeForPlugin {
 public:
  explicit NodeForPlugin(NodeView const& node) : node_(node) {
    for (NodeView::Worker const& worker : node.workers())
      workers_.push_back(
          {.memory = worker.memory.value(), .is_gpu = worker.gpu ? 1 : 0, .busy_power_W = worker.busy_power});
    passed_ = {
        .size = sizeof(factosim_node),
        .self = this,
        .worker_count = static_cast<std::uint32_t>(workers_.size()),
        .memory_count = static_cast<std::uint32_t>(node.memory_node_count()),
        .workers = workers_.data(),
        .now_s = [](void* self) { return of(self).now().value; },
        .priority = [](void* self, std::uint32_t task) { return of(self).priority(TaskId{task}); },
        .durations_s = [](void* self, std::uint32_t task) { return of(self).durations(TaskId{task}).data(); },
        .predict_transfers_s =
            [](void* self, std::uint32_t task, double* seconds) {
              NodeView const& view = of(self);
              view.predict_transfers(TaskId{task}, {seconds, view.memory_node_count()});
            },
        .readiness =
            [](void* self, std::uint32_t task, std::uint32_t memory) {
              Readiness const r = of(self).readiness(TaskId{task}, LocalMemory{memory});
              return factosim_readiness{r.missing, r.not_loading, r.not_allocated};
            },
        .runs_here = [](void* self, std::uint32_t task) { return of(self).runs_here(TaskId{task}) ? 1 : 0; },
        .copy_time_s =
            [](void* self, std::uint32_t from, std::uint32_t to, std::int64_t bytes) {
              return of(self).copy_time(LocalMemory{from}, LocalMemory{to}, Bytes{bytes}).value;
            },
        .graph = [](void* self) { return static_cast<NodeForPlugin*>(self)->graph(); },
        .replica_count = [](void* self) { return static_cast<std::uint32_t>(of(self).replica_count()); },
        .replica = [](void* self, std::uint32_t task,
                      std::uint32_t parameter) { return of(self).replica(TaskId{task}, parameter).value(); },
        .is_present =
            [](void* self, std::uint32_t replica, std::uint32_t memory) {
              return of(self).present(LocalReplica{replica}, LocalMemory{memory}) ? 1 : 0;
            },
        .transfer_s =
            [](void* self, std::uint32_t replica, std::uint32_t memory) {
              return of(self).transfer_time(LocalReplica{replica}, LocalMemory{memory}).value;
            }};
  }
  NodeForPlugin(NodeForPlugin const&) = delete;
  NodeForPlugin& operator=(NodeForPlugin const&) = delete;

  [[nodiscard]] factosim_node const* passed() const { return &passed_; }

 private:
  static NodeView const& of(void* self) { return static_cast<NodeForPlugin*>(self)->node_; }

  factosim_graph const* graph() {
    if (graph_.size > 0) return &graph_;
    TaskGraph const& g = node_.graph();
    for (Kernel const& kernel : g.kernels) kernel_names_.push_back(kernel.name.c_str());
    for (HandleInfo const& handle : g.handles) handle_bytes_.push_back(handle.size.value);
    // Ids and accesses are 32-bit numbers.
    static_assert(sizeof(TaskId) == sizeof(std::uint32_t) && sizeof(DataAccess) == sizeof(std::uint32_t));
    graph_ = {.size = sizeof(factosim_graph),
              .tasks = static_cast<std::uint32_t>(g.task_count()),
              .kernels = static_cast<std::uint32_t>(g.kernels.size()),
              .handles = static_cast<std::uint32_t>(g.handles.size()),
              .kernel_name = kernel_names_.data(),
              .kernel = g.kernel.data(),
              .priority = g.priority.data(),
              .successor_begin = g.successor_begin.data(),
              .successor = reinterpret_cast<std::uint32_t const*>(g.successors.data()),
              .predecessors = g.predecessors.data(),
              .access_begin = g.access_begin.data(),
              .access = reinterpret_cast<std::uint32_t const*>(g.accesses.data()),
              .handle_bytes = handle_bytes_.data()};
    return &graph_;
  }

  NodeView const& node_;
  std::vector<factosim_worker> workers_;
  std::vector<char const*> kernel_names_;
  std::vector<std::int64_t> handle_bytes_;
  factosim_node passed_{};
  factosim_graph graph_{};  // size 0: not yet asked for
};

/// A policy whose decisions a plug-in makes.
class PluginScheduler final : public Scheduler {
 public:
  PluginScheduler(std::shared_ptr<PolicyPlugin const> plugin, PluginValues const& values,
                  NodeView const& node)
      : plugin_(std::move(plugin)), file_(plugin_->file()), functions_(plugin_->offer()), node_(node) {
    factosim_problem problem{.key = -1, .text = {}};
    policy_ = call_plugin(file_, "create",
                          [&] { return functions_.create(node_.passed(), values.data(), &problem); });
    if (policy_ == nullptr) fail_with(file_, plugin_->keys(), problem);
    traits_ = call_plugin(file_, "traits", [&] { return functions_.traits(policy_); });
  }
  ~PluginScheduler() override {
    try {
      call_plugin(file_, "destroy", [&] { functions_.destroy(policy_); });
    } catch (InputError const&) {  // the run has its result
    }
  }
  PluginScheduler(PluginScheduler const&) = delete;
  PluginScheduler& operator=(PluginScheduler const&) = delete;

  Assignment push(TaskId task, LocalWorker pusher) override {
    std::int32_t const from = pusher.valid() ? static_cast<std::int32_t>(pusher.value()) : -1;
    std::int32_t const worker =
        call_plugin(file_, "push", [&] { return functions_.push(policy_, task.value(), from); });
    if (worker == FACTOSIM_FIRST_IDLE) return to_first_idle();
    if (worker == FACTOSIM_ALL_IDLE) return to_all_workers();
    return to_worker(LocalWorker{worker});
  }
  TaskId pop(LocalWorker worker) override {
    std::int64_t const task =
        call_plugin(file_, "pop", [&] { return functions_.pop(policy_, worker.value()); });
    if (task == FACTOSIM_NO_TASK) return {};
    return TaskId{task >= 0 && task < TaskId::none ? static_cast<std::uint32_t>(task) : TaskId::none - 1};
  }
  void started(LocalWorker worker, TaskId task) override {
    if (functions_.started != nullptr)
      call_plugin(file_, "started", [&] { functions_.started(policy_, worker.value(), task.value()); });
  }
  void finished(LocalWorker worker, TaskId task) override {
    if (functions_.finished != nullptr)
      call_plugin(file_, "finished", [&] { functions_.finished(policy_, worker.value(), task.value()); });
  }
  [[nodiscard]] bool prefetches() const override { return (traits_ & FACTOSIM_PREFETCHES) != 0; }
  [[nodiscard]] bool shares_tasks() const override { return (traits_ & FACTOSIM_SHARES_TASKS) != 0; }
  [[nodiscard]] bool knows_priorities() const override { return (traits_ & FACTOSIM_KNOWS_PRIORITIES) != 0; }

 private:
  std::shared_ptr<PolicyPlugin const> plugin_;
  PluginFile const& file_;
  factosim_policy const& functions_;
  NodeForPlugin node_;
  void* policy_ = nullptr;
  std::uint32_t traits_ = 0;
};

}  // namespace

SchedulerOptions policy_of_plugin(std::shared_ptr<PolicyPlugin const> plugin,
                                  std::vector<OptionValue> values) {
  auto const shared = std::make_shared<PluginValues const>(plugin->keys(), std::move(values));
  plugin->check(*shared);
  SchedulerOptions options;
  options.type = plugin->file().name;
  options.where = plugin->file().where;
  options.own_values = shared->named();
  options.own_values.emplace_back("checksum", plugin->checksum());
  options.own = [plugin = std::move(plugin), shared](NodeView const& node) {
    return std::make_unique<PluginScheduler>(plugin, *shared, node);
  };
  return options;
}

}  // namespace factosim
