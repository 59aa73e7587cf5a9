#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "simulator/trace/import/starpu_run.hpp"

namespace factosim {

/// The fields of a job as StarPU's tasks.rec and its CSV form name them, put together one after the other.
class JobFields {
 public:
  enum class Field : std::uint8_t {
    control,
    name,
    model,
    job,
    submit_order,
    priority,
    depends_on,
    tag,
    worker,
    memory,
    submit,
    start,
    end,
    footprint,
    gflop,
    iteration,
    parameters,
    handles,
    modes,
    sizes,
    rank,
    x,
    y,
    left_out,
    not_known
  };
  [[nodiscard]] static Field field(std::string_view name);

  explicit JobFields(StarpuRun& run) : run_(run) {}

  /// Throws InputError at the line where the value is none.
  void set(LineReader const& at, Field field, std::string_view value);
  /// Appends what was set since the last time to the run. Throws InputError where it is no whole job.
  void finish(LineReader const& at);
  [[nodiscard]] bool empty() const { return !begun_; }

 private:
  void add_accesses(LineReader const& at, std::uint32_t node);
  void add_job(LineReader const& at);
  void add_hint(LineReader const& at, std::uint32_t node);

  StarpuRun& run_;
  StarpuJob job_;
  bool begun_ = false, wont_use_ = false, has_job_ = false;
  std::int32_t rank_ = -1;
  std::string kernel_, model_;
  std::vector<JobName> before_;
  std::vector<std::uint64_t> addresses_;
  std::vector<std::int64_t> sizes_;
  std::vector<std::uint8_t> modes_;
  std::string shapes_;
  std::vector<std::string_view> words_;       // scratch
  std::unordered_set<std::uint64_t> shaped_;  // handles whose shape is known
};

}  // namespace factosim
