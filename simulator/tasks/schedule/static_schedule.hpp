#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace factosim {

/// How a file names a worker of a node.
struct WorkerReference {
  enum class By : std::uint8_t {
    name,    // "cuda0", "cpu3"
    number,  // StarPU's number: the GPUs, then the cores that compute
    gpu,     // number among the GPUs
    core     // number among the cores that compute
  };
  By by = By::name;
  std::uint32_t number = 0;
  std::string name = {};
};

/// What a file says about one task.
struct ScheduledTask {
  std::uint64_t task = 0;                  // in the order of submission, from 0
  std::string kernel = {};                 // empty: not stated
  std::optional<std::uint32_t> node = {};  // not stated: where the plan has it
  WorkerReference worker = {};
  std::int64_t position = 0;                  // a worker runs its tasks in ascending order
  std::optional<std::int32_t> priority = {};  // not stated: the application's
  std::size_t place = 0;                      // in the file, counted as `place_word` says
};

/// A static schedule as a file states it.
struct StaticSchedule {
  std::string file;
  std::string content{};   // hash of the file
  std::string place_word;  // before the number of a place: "/tasks/", "line "
  bool strict = true;      // a worker waits for its next task; else it takes the first one that is ready
  bool one_node = false;   // the format has no nodes
  std::vector<ScheduledTask> tasks{};   // in the order of the file
  std::vector<std::string> findings{};  // parts of the file that no run follows

  /// Returns the place of the task for messages: FILE#/tasks/3.
  [[nodiscard]] std::string where(ScheduledTask const& t) const {
    return file + "#" + place_word + std::to_string(t.place);
  }
};

}  // namespace factosim
