#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/traces/import/fields.hpp"
#include "simulator/traces/import/starpu_run.hpp"

namespace factosim {

/// A task as a record of StarPU's tasks.rec, a row of StarVZ's tables or a state of Paje tells it.
struct RecordedTask {
  static constexpr std::uint32_t own_node = NodeId::none;  // of a task without a prefix: its rank

  StarpuTask task{.name = {.node = own_node, .number = 0}};
  bool wont_use = false, has_id = false;
  std::int32_t rank = -1;
  std::string kernel, model, shapes;
  std::vector<TaskName> before;
  std::vector<std::uint64_t> addresses;
  std::vector<std::int64_t> sizes;
  std::vector<std::uint8_t> modes;
};

/// A field of the records in StarPU's files, and a column of StarVZ's tables, which have the same names.
template <class Record>
struct RecordField {
  std::string_view name;
  /// Throws InputError at the line if the value is malformed.
  void (*set)(Record& record, LineReader const& at, std::string_view value);
};
[[nodiscard]] std::span<RecordField<RecordedTask> const> record_fields(RecordedTask const* /*any*/);
[[nodiscard]] std::span<RecordField<StarpuRun::Handle> const> record_fields(StarpuRun::Handle const* /*any*/);
[[nodiscard]] std::span<RecordField<StarpuRun::Message> const> record_fields(
    StarpuRun::Message const* /*any*/);

/// Returns the field with that name; null if it is unknown.
template <class Record>
[[nodiscard]] RecordField<Record> const* field_named(std::string_view name) {
  for (RecordField<Record> const& field : record_fields(static_cast<Record const*>(nullptr)))
    if (field.name == name) return &field;
  return nullptr;
}

/// Returns the columns of a state that are fields of its task, in Paje traces and StarVZ's CSV files.
[[nodiscard]] std::span<RecordField<RecordedTask> const> fields_of_states();

/// Adds what a record tells to the run. Throws InputError at the line where it ends if it is incomplete.
void add_record(LineReader const& at, StarpuRun& run, RecordedTask record);
void add_record(LineReader const& at, StarpuRun& run, StarpuRun::Handle record);
void add_record(LineReader const& at, StarpuRun& run, StarpuRun::Message const& record);

}  // namespace factosim
