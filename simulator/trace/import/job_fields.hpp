#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "simulator/trace/import/starpu_run.hpp"

namespace factosim {

/// Builds a task from its fields, named as in StarPU's tasks.rec and CSV files.
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

  /// Throws InputError at the line if the value is malformed.
  void set(LineReader const& at, Field field, std::string_view value);
  /// Appends the task made of the fields set since the last call. Throws InputError if it is incomplete.
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
  std::vector<std::string_view> words_;  // scratch memory
  std::unordered_set<std::uint64_t> shaped_;  // handles with known shape
};

}  // namespace factosim
