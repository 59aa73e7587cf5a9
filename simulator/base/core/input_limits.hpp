#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace factosim {

/// What a reader accepts of one file, so that a small or damaged file takes no more time and memory than a user means
/// to give. The variable FACTOSIM_INPUT_LIMITS raises or lowers the limits, such as "rows=1e9,bytes=64GB"; a variable,
/// since child processes, jobs and modules have it too.
enum class InputLimit : std::uint8_t {
  bytes,            // of a file that is read piece by piece, without compression
  expansion,        // uncompressed bytes for each compressed byte
  text,             // bytes of a file, or of its header, that is held in memory as a whole
  line,             // bytes of a line
  rows,             // lines of a text file
  columns,          // fields of a row
  cells,            // rows x columns of the table of a sweep
  values,           // values of a JSON file; elements and attributes of XML
  nesting,          // of JSON values and XML elements
  steps,            // between tasks of a trace that tasks without times join
  simgrid_hosts,    // of the clusters in a SimGrid platform
  simgrid_bytes,    // memory of the process in which SimGrid reads a platform
  simgrid_seconds,  // its processor time
};

/// Returns the limit in force. Throws InputError if the variable is malformed.
[[nodiscard]] std::uint64_t input_limit(InputLimit limit);

/// Throws InputError `WHERE: has more than N THINGS (...)` with the way to raise the limit.
[[noreturn]] void refuse_input(InputLimit limit, std::string const& where);
/// Throws if `count` is above the limit.
void check_input(InputLimit limit, std::uint64_t count, std::string const& where);

/// Reads a line as std::getline does, up to the limit of lines, or of `limit`. Throws InputError at `where`.
bool read_line(std::istream& in, std::string& line, std::string const& where,
               InputLimit limit = InputLimit::line);

/// Checks the limits of nesting and of values before JSON is parsed. Throws InputError at `where`. O(length).
void check_json(std::string_view text, std::string const& where);
/// The same for XML, whose elements and attributes are its values.
void check_xml(std::string_view text, std::string const& where);

}  // namespace factosim
