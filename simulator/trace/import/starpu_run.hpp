#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simulator/trace/import/fields.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim {

/// A job of StarPU as its traces tell it: a task, or something the runtime did for itself, without times.
struct StarpuJob {
  static constexpr std::uint16_t no_kernel = 0xffff;

  JobName name;
  std::uint16_t kernel = no_kernel;  // into StarpuRun::kernels
  std::int32_t worker = -1;          // within its node
  std::int32_t memory = -1;          // within its node
  std::int32_t priority = 0;
  std::int32_t iteration = -1;  // outermost
  std::int32_t x = -1, y = -1;  // coordinates of what it works on
  std::uint32_t submit_order = 0;
  std::uint32_t footprint = 0;
  std::uint64_t tag = 0;
  double submit_s = unknown, start_s = unknown, end_s = unknown;
  double flops = 0;
  std::uint32_t first_access = 0, accesses = 0;          // into StarpuRun::accesses
  std::uint32_t first_dependency = 0, dependencies = 0;  // into StarpuRun::dependencies

  /// Whether a worker ran it.
  [[nodiscard]] bool timed() const { return start_s == start_s && end_s == end_s && kernel != no_kernel; }
};

/// What the source calls a worker or another container of a node, taken apart: "0_CUDA1_0" is worker "cuda1"
/// on node 0. Streams of one GPU beyond the first are workers of their own ("cuda1_1"). Small letters will
/// do.
struct ResourceName {
  std::uint32_t node = 0;
  std::string worker;        // "cpu3", "cuda1"; empty: no worker
  std::int32_t memory = -1;  // of MEMMANAGERn; negative: none
  Trace::Device device = Trace::Device::cpu;
};
[[nodiscard]] ResourceName resource_name(std::string_view text);

/// All that files of one run of StarPU say, as they say it: what readers of its formats fill in, one job
/// after the other in any order, and `assemble` makes a Trace of. Ids are the source's.
struct StarpuRun {
  struct Access {
    std::uint64_t address;
    std::int64_t size;  // negative: unknown
    std::uint8_t mode;  // of Access; 0: scratch, which no other task sees
  };
  struct Handle {
    std::uint32_t node;
    std::uint64_t address;
    std::int64_t size = -1;
    std::int32_t tag = -1, owner = -1, m = -1, n = -1;
    std::string shape;
  };
  struct Message {
    std::uint32_t from, to;
    double send_s = unknown, receive_s = unknown;
    std::int64_t size = -1;
    std::int64_t tag = -1;
    std::uint64_t send_address = 0, receive_address = 0;
    std::uint32_t send_job = 0, receive_job = 0;  // 0: not told
  };
  struct Copy {
    std::uint32_t node;
    std::int32_t from, to;  // memory nodes
    double start_s, end_s;
    std::int64_t size;
  };
  struct WontUse {
    JobName name;
    std::uint32_t submit_order;
    double submit_s;
    std::uint64_t address;
  };
  /// Of a worker, by what the source calls it there: 0_CPU3, CUDA0_0.
  struct State {
    std::uint32_t resource;  // into resources
    std::uint16_t name;      // into state_names
    double start_s, end_s;
  };

  std::string source, format;
  std::vector<StarpuJob> jobs;
  std::vector<std::string> kernels;
  std::vector<Access> accesses;
  std::vector<std::uint64_t> dependencies;  // keys of jobs that a job waits for
  std::vector<std::pair<std::uint64_t, std::uint64_t>> further_dependencies;  // (job, job it waits for)
  std::vector<Handle> handles;
  std::vector<Message> messages;
  std::vector<Copy> copies;
  std::vector<WontUse> wont_use;
  std::vector<std::string> resources;
  std::vector<ResourceName> resource_names;                   // [resources]
  std::unordered_map<std::uint32_t, std::string> node_names;  // where they are more than their numbers
  std::vector<std::string> state_names;
  std::vector<State> states;
  std::unordered_map<std::uint64_t, std::uint32_t> resource_of_worker;  // (node, worker) -> into resources
  std::vector<Finding> findings;

  /// The number of a name; new ones are appended. Fails at the reader's line beyond 65 000.
  std::uint16_t kernel(LineReader const& at, std::string_view name);
  std::uint16_t state_name(LineReader const& at, std::string_view name);
  std::uint32_t resource(LineReader const& at, std::string_view name);
  /// A worker of a node has that name.
  void name_worker(std::uint32_t node, std::int32_t worker, std::uint32_t resource_id) {
    resource_of_worker.try_emplace(std::uint64_t{node} << 32U | static_cast<std::uint32_t>(worker),
                                   resource_id);
  }
  void find(std::string message) { findings.push_back({source, 0, std::move(message)}); }

 private:
  std::unordered_map<std::string, std::uint32_t> kernel_ids_, state_ids_, resource_ids_;
};

/// The trace of a run: jobs without times are contracted (who waits for one of them waits for what it waits
/// for), nodes' names of one piece of data become one handle, messages find the tasks that wrote and read
/// what they carry. Tasks in the order of their submission. Throws InputError where a job is told twice or
/// nothing was executed. O((jobs + dependencies + accesses) log), but for runtime jobs that many tasks wait
/// for and that wait for many: each such pair is an edge.
[[nodiscard]] Trace assemble(StarpuRun&& run);

}  // namespace factosim
