#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// Writes a trace into a folder in the format of StarPU's tools, times in ms to the nanosecond:
/// - `tasks.rec`, with the known fields; input of starpu_replay and pmtool;
/// - `data.rec` if the trace has handles; `comms.rec` if it has several nodes;
/// - `platform_file.rec`, as starpu_perfmodel_recdump writes it: the workers of the first node, and mean,
///   deviation and count of the kernels on it and on nodes of its type.
/// `DependsOn` includes dependencies between nodes, which StarPU itself omits. The files appear together or
/// not at all. Takes 8 bytes of memory per task.
void write_starpu(std::filesystem::path const& folder, Trace const& trace);

struct ChromeOptions {
  bool dependencies = false;  // an arrow per dependency; otherwise only per message
};

/// Writes a trace in the Chrome trace event format (Perfetto, chrome://tracing): a process per node, a thread
/// per worker, a slice per task and per state, an arrow from producer to consumer of each message, and
/// messages and copies as asynchronous slices. Times in us. Compressed if the name ends in `.gz`, which
/// Perfetto also opens. The file appears complete or not at all.
void write_chrome(std::filesystem::path const& file, Trace const& trace, ChromeOptions options = {});

/// Writes a trace in Paje's format (one file, sorted by time, times in ms like StarPU) that pj_dump reads
/// without warnings. Containers: root > node > workers and memory nodes; a state per kernel on each worker; a
/// link per copy inside a node (`Bus transfer`) and per message (`Network transfer`). Sorting takes 16 bytes
/// per end of a task or transfer. The file appears complete or not at all.
void write_paje(std::filesystem::path const& file, Trace const& trace);

/// Maximum number of tasks; larger graphs are unreadable.
constexpr std::size_t max_dot_tasks = 5000;

/// Writes the task graph for Graphviz: a box per task with its kernel and indices, filled by kernel, and an
/// edge per dependency; edges between cluster nodes are dashed. Throws InputError if the trace has no
/// dependencies or more than `max_dot_tasks` tasks.
void write_dot(std::filesystem::path const& file, Trace const& trace);

/// An output format of traces: one of the writers above, or the native format.
struct TraceFormat {
  std::string_view name;      // name on the command line and in scenarios
  std::string_view run_name;  // name of the file or folder in the folder of a run
  bool folder = false;        // writes several files
  void (*write)(std::filesystem::path const& path, Trace const& trace);  // a folder exists already
  std::string_view description;  // one line: for which tool, and whether it is read too
};

/// The table of all formats.
std::vector<TraceFormat> const& trace_formats();
/// Throws std::out_of_range if the name is unknown.
TraceFormat const& trace_format(std::string_view name);
std::vector<std::string> trace_format_names();

/// Throws InputError if a trace may not be written there: `refuse_to_overwrite`; of some formats it is a folder, whose
/// files are replaced.
void refuse_to_overwrite_trace(TraceFormat const& format, std::filesystem::path const& path, bool force);

}  // namespace factosim
