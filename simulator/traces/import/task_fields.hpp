#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "simulator/traces/import/fields.hpp"
#include "simulator/traces/import/starpu_run.hpp"

namespace factosim {

/// Parses StarPU's access modes: R, W, S(cratch), X (reduction), C(ommuting). Returns the bits of Access; 0:
/// scratch.
[[nodiscard]] std::uint8_t access_mode(LineReader const& at, std::string_view text);

/// Builds a task from its fields, named as in StarPU's tasks.rec and CSV files.
class TaskFields {
 public:
  using Field = void (*)(TaskFields& task, LineReader const& at, std::string_view value);
  struct Column {
    std::string_view name;
    Field field;
  };

  /// Returns the field with that name; null if it is unknown.
  [[nodiscard]] static Field field(std::string_view name);
  /// Columns of a state that are fields of its task, in Paje traces and StarVZ's CSV files.
  [[nodiscard]] static std::span<Column const> of_states();

  explicit TaskFields(StarpuRun& run) : run_(run) {}

  /// Sets a field; ignores unknown ones (null). Throws InputError at the line if the value is malformed.
  void set(LineReader const& at, Field field, std::string_view value);
  /// Appends the task made of the fields set since the last call. Throws InputError if it is incomplete.
  void finish(LineReader const& at);
  [[nodiscard]] bool empty() const { return !begun_; }

 private:
  struct Table;

  template <class Use>
  void for_each_word(std::string_view value, Use use) {
    split_words(value, words_);
    for (std::string_view const word : words_) use(word);
  }
  void add_accesses(LineReader const& at, std::uint32_t node);
  void add_task(LineReader const& at);
  void add_hint(LineReader const& at, std::uint32_t node);

  StarpuRun& run_;
  StarpuTask task_;
  bool begun_ = false, wont_use_ = false, has_id_ = false;
  std::int32_t rank_ = -1;
  std::string kernel_, model_;
  std::vector<TaskName> before_;
  std::vector<std::uint64_t> addresses_;
  std::vector<std::int64_t> sizes_;
  std::vector<std::uint8_t> modes_;
  std::string shapes_;
  std::vector<std::string_view> words_;       // scratch memory
  std::unordered_set<std::uint64_t> shaped_;  // handles with known shape
};

}  // namespace factosim
