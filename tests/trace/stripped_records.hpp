#pragma once

#include <initializer_list>

#include "tests/trace/trace_files.hpp"

namespace factosim::testing {

/// What is taken away from StarPU's records of a run.
struct Strip {
  bool tags = false;           // MPITag in data.rec
  bool data_sizes = false;     // Size in data.rec and Sizes in tasks.rec become 0
  bool message_names = false;  // SendHandle and RecvHandle in comms.rec become one and the same
  bool message_jobs = false;   // SendJobId and RecvJobId in comms.rec
  bool message_sizes = false;  // Size in comms.rec
  bool messages = false;       // comms.rec
};

/// Returns the text of a file, compressed or not; empty if there is none.
inline std::string record_text(std::filesystem::path const& folder, std::string const& name) {
  return std::filesystem::exists(folder / (name + ".gz")) ? unpacked(folder / (name + ".gz"))
                                                          : text_of(folder / name);
}

/// Calls `change(line)` for each line, which returns the line to keep or nothing.
template <class Change>
std::string changed_lines(std::string const& text, Change change) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);)
    if (line.empty())
      out += '\n';
    else if (std::string const kept = change(line); !kept.empty())
      out += kept + '\n';
  return out;
}

inline bool has_key(std::string_view line, std::initializer_list<std::string_view> keys) {
  return std::ranges::any_of(keys, [&](std::string_view key) { return line.starts_with(key); });
}

/// "Sizes: 819200 819200" becomes "Sizes: 0 0".
inline std::string with_zeros(std::string const& line) {
  std::istringstream in(line);
  std::string out, word;
  in >> out;
  while (in >> word) out += " 0";
  return out;
}

/// Writes a copy of the records without what is taken away. The Paje trace beside them is left out.
inline void strip_records(std::filesystem::path const& from, std::filesystem::path const& to, Strip strip) {
  std::filesystem::create_directories(to);
  auto const write = [&](char const* name, auto const& change) {
    std::ofstream(to / name) << changed_lines(record_text(from, name), change);
  };
  write("data.rec", [&](std::string const& line) {
    if (strip.tags && has_key(line, {"MPITag:"})) return std::string();
    return strip.data_sizes && has_key(line, {"Size:"}) ? with_zeros(line) : line;
  });
  write("tasks.rec", [&](std::string const& line) {
    return strip.data_sizes && has_key(line, {"Sizes:"}) ? with_zeros(line) : line;
  });
  if (strip.messages) return;
  write("comms.rec", [&](std::string const& line) {
    if (strip.message_names && has_key(line, {"SendHandle:", "RecvHandle:"}))
      return line.substr(0, line.find(':')) + ": 7ffe0000";
    if ((strip.message_jobs && has_key(line, {"SendJobId:", "RecvJobId:"})) ||
        (strip.message_sizes && has_key(line, {"Size:"})))
      return std::string();
    return line;
  });
}

}  // namespace factosim::testing
