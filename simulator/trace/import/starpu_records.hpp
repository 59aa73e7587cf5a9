#pragma once

#include <filesystem>

#include "simulator/trace/import/starpu_run.hpp"

namespace factosim {

// What `starpu_fxt_tool` writes in GNU recutils form, plain or gzipped: `Key: value` lines, records apart by
// blank lines. Each adds to the run and throws InputError at the line that is none of it.

/// tasks.rec: jobs, their dependencies and accesses, hints.
void read_tasks_rec(std::filesystem::path const& file, StarpuRun& run);
/// data.rec: handles. To be read before the tasks.
void read_data_rec(std::filesystem::path const& file, StarpuRun& run);
/// comms.rec: messages.
void read_comms_rec(std::filesystem::path const& file, StarpuRun& run);

/// One field of data.rec and comms.rec, which StarVZ keeps as CSV with the same names.
void set_handle_field(LineReader const& at, StarpuRun::Handle& handle, std::string_view key,
                      std::string_view value);
struct MessageFields {
  StarpuRun::Message message{};
  bool has_from = false, has_to = false;
  void set(LineReader const& at, std::string_view key, std::string_view value);
  void finish(LineReader const& at, StarpuRun& run);
};

}  // namespace factosim
