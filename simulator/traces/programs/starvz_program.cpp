#include "simulator/traces/import/starpu_records.hpp"
#include "simulator/traces/programs/graph_readers.hpp"
#include "simulator/traces/programs/program_builder.hpp"

namespace factosim {

namespace {

TaskProgram read_starvz(GraphSource const& source) {
  TaskProgram program = program_of_run(source.folder, read_starvz_directory(source.folder));
  program.format = "starvz";
  return program;
}

}  // namespace

/// The folder of StarVZ's first phase (rec.tasks.csv, dag.csv), without times.
GraphReader const starvz_program{
    .name = "starvz",
    .recognises = [](GraphSource const& s) { return s.is_folder() && is_starvz_directory(s.path); },
    .read = read_starvz};

}  // namespace factosim
