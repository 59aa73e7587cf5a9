#pragma once

#include <zlib.h>

#include "simulator/traces/import/read_trace.hpp"
#include "tests/prelude.hpp"

namespace factosim::testing {

/// Returns the text of a compressed file.
inline std::string unpacked(std::filesystem::path const& file) {
  gzFile const in = gzopen(file.c_str(), "rb");
  std::string out, piece(1 << 16, '\0');
  for (int got = 0; (got = gzread(in, piece.data(), static_cast<unsigned>(piece.size()))) > 0;)
    out.append(piece, 0, static_cast<std::size_t>(got));
  gzclose(in);
  return out;
}

/// Returns whether a finding of the trace contains `text`.
inline bool finds(Trace const& trace, std::string_view text) {
  return std::ranges::any_of(trace.findings,
                             [&](Finding const& f) { return testing::contains(f.message, text); });
}

/// Returns the error message for a file of that text, without the file's name in front; empty if it is read.
inline std::string refusal(std::string const& name, std::string const& text) {
  TemporaryFolder const folder;
  auto const file = folder.write(name, text);
  std::string const said = message_of([&] { (void)read_trace(file); });
  return said.starts_with(file.string()) ? said.substr(file.string().size()) : said;
}

/// Returns the predecessors of a task.
inline std::vector<std::uint32_t> before(Trace const& t, std::size_t task) {
  std::vector<std::uint32_t> out;
  for (TaskId const p : t.predecessors_of(TaskId{task})) out.push_back(p.value());
  return out;
}

/// The first 33 lines of a Paje trace: one worker, 0_CPU0, whose states (10, and 20 with a JobId) follow.
inline std::string const paje_header = R"(%EventDef PajeDefineContainerType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 3
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 7
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeSetState 10
% Time date
% Container string
% Type string
% Value string
%EndEventDef
%EventDef PajeSetState 20
% Time date
% Container string
% Type string
% Value string
% JobId string
%EndEventDef
1 W 0 Worker
3 WS W "Worker State"
7 0 w0 W 0 0_CPU0
)";

}  // namespace factosim::testing
