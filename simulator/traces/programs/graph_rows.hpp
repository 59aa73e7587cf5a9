#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/traces/import/line_reader.hpp"
#include "simulator/traces/programs/program_builder.hpp"

namespace factosim {

/// One row of our own format: a task, a datum, a kernel, the head of the file, or an event of its submission. The columns of
/// tables and the keys of JSON lines are the same (scenarios/graphs.md). What reads a field throws InputError at the reader's
/// line.
class GraphRow {
 public:
  GraphRow(LineReader const& at, ProgramBuilder& builder) : at_(at), builder_(builder) {}

  struct Field {
    std::string_view key;
    void (*set)(GraphRow& row, std::string_view value) = nullptr;  // null: only a list
    /// Adds an entry of a list; null: no list.
    void (*add)(GraphRow& row, std::string_view first, std::string_view second) = nullptr;
    bool also_empty = false;  // an empty value counts too
    bool is_object = false;   // in JSON
    bool has_pairs = false;   // entries of the list may have two parts
  };
  /// What a row is about. The first field says so; tasks have that of kernels too.
  struct Kind {
    std::vector<Field> fields;
    WorkerSeconds& (*seconds)(GraphRow& row) =
        nullptr;                     // by "cpu_s", "cuda_s" or "cuda0_s"; null: there are none
    std::ptrdiff_t fields_of_1 = 0;  // that version 1 has, too
    /// Gives the row to the builder. Throws InputError if it lacks what every row has.
    void (GraphRow::*end)() = &GraphRow::end_event;
    [[nodiscard]] std::string_view mark() const { return fields.front().key; }
  };
  [[nodiscard]] static Kind const& tasks();
  [[nodiscard]] static Kind const& data();
  [[nodiscard]] static Kind const& kernels();
  [[nodiscard]] static Kind const& head();
  [[nodiscard]] static std::vector<Kind> const& events();

  /// Returns the field of that key; null if it is the key of a duration. Throws InputError if it is neither; `word`: "key" or
  /// "column".
  [[nodiscard]] Field const* field(Kind const& kind, std::string_view key, char const* word);
  /// Sets a field of the row from text.
  void set(Kind const& kind, Field const* field, std::string_view key, std::string_view value);
  /// Adds an entry to a list of the row.
  void add(Field const& field, std::string_view first, std::string_view second) {
    if (!second.empty() && !field.has_pairs)
      at_.fail(fmt::format("has an entry of two parts in \"{}\". Give one", field.key));
    key_ = field.key;
    field.add(*this, first, second);
  }

 private:
  void add_access(std::string_view datum, std::string_view mode);
  void add_edge(std::string_view before, std::string_view bytes);
  void end_task();
  void end_datum();
  void end_kernel();
  void end_head();
  void end_event() { builder_.wait_for(std::exchange(waits_, {}), at_.line_number()); }
  /// Sets a duration; returns false if the key is not that of one.
  [[nodiscard]] bool set_seconds(WorkerSeconds& seconds, std::string_view key, std::string_view value) const;
  [[nodiscard]] bool boolean(std::string_view value) const;
  [[nodiscard]] HandleId known_datum(std::string_view name) const;

  LineReader const& at_;
  ProgramBuilder& builder_;
  std::string_view key_;  // of the field that is set
  ProgramTask task_{};
  std::vector<std::pair<HandleId, std::uint8_t>> accesses_;  // of the task
  ProgramKernel kernel_{};
  std::string datum_, parent_;
  bool is_ordered_ = true;  // the datum
  HandleInfo info_{.size = Bytes{0}, .m = -1, .n = -1};
  std::vector<std::string> waits_;
};

}  // namespace factosim
