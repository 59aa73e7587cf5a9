#pragma once

#include <filesystem>

#include "simulator/traces/import/starpu_run.hpp"

namespace factosim {

// Readers of the output of `starpu_fxt_tool` in GNU recutils form, plain or gzipped: lines `Key: value`,
// records separated by blank lines. Each adds to the run and throws InputError at a malformed line.

/// Reads tasks.rec: tasks, their dependencies and accesses, hints.
void read_tasks_rec(std::filesystem::path const& file, StarpuRun& run);
/// Reads data.rec: handles. Must be called before read_tasks_rec.
void read_data_rec(std::filesystem::path const& file, StarpuRun& run);
/// Reads comms.rec: messages.
void read_comms_rec(std::filesystem::path const& file, StarpuRun& run);

/// Sets a field of data.rec or comms.rec; StarVZ uses the same names in its CSV files.
void set_handle_field(LineReader const& at, StarpuRun::Handle& handle, std::string_view key,
                      std::string_view value);
struct MessageFields {
  StarpuRun::Message message{};
  bool has_from = false, has_to = false;
  void set(LineReader const& at, std::string_view key, std::string_view value);
  void finish(LineReader const& at, StarpuRun& run);
};

}  // namespace factosim
