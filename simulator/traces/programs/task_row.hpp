#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/traces/import/line_reader.hpp"
#include "simulator/traces/programs/program_builder.hpp"

namespace factosim {

/// Fields of one row of our own format: a task, a datum or a kernel. The columns of tables and the keys of JSON lines are
/// the same (scenarios/graphs.md). Each setter throws InputError at the reader's line.
class GraphRows {
 public:
  GraphRows(LineReader const& at, ProgramBuilder& builder) : at_(at), builder_(builder) {}

  /// What a row is about.
  struct Kind {
    std::string_view mark;               // the key that says so; tasks have that of kernels too
    std::vector<std::string_view> keys;  // for messages
    bool (GraphRows::*set)(std::string_view key, std::string_view value);  // false: there is no such field
    /// Gives the row to the builder. Throws InputError if it lacks what every row has.
    void (GraphRows::*end)();
  };
  [[nodiscard]] static Kind const& tasks();
  [[nodiscard]] static Kind const& data();
  [[nodiscard]] static Kind const& kernels();

  /// Sets a field of the row from text. Throws InputError if there is no such field; `word`: "key" or "column".
  void set(Kind const& kind, std::string_view key, std::string_view value, char const* word);
  [[noreturn]] void refuse(std::string_view key, std::vector<std::string_view> const& known,
                           char const* word) const;

  /// Adds an access of the task, or a dependency.
  void add_access(std::string_view datum, std::string_view mode);
  void add_edge(std::string_view before, std::string_view bytes);

 private:
  bool set_task(std::string_view key, std::string_view value);
  bool set_datum(std::string_view key, std::string_view value);
  bool set_kernel(std::string_view key, std::string_view value);
  void end_task();
  void end_datum();
  void end_kernel();
  /// Sets a duration if the key is "cpu_s", "cuda_s" or "cuda0_s", ...
  bool set_seconds(WorkerSeconds& seconds, std::string_view key, std::string_view value);
  [[nodiscard]] bool boolean(std::string_view value, std::string_view key) const;
  [[nodiscard]] std::int32_t small(std::string_view value, std::int64_t minimum, std::string_view what) const;

  LineReader const& at_;
  ProgramBuilder& builder_;
  ProgramTask task_{};
  ProgramKernel kernel_{};
  std::string datum_;
  HandleInfo info_{.size = Bytes{0}, .m = -1, .n = -1};
  std::vector<std::string_view> words_;
};

}  // namespace factosim
