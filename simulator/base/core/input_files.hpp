#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace factosim {

/// The files that this process has read as inputs, so that none is overwritten by its outputs. State of the whole
/// process, as its files are.
class InputFiles {
 public:
  /// To be called by every reader before it opens a file that a user names. Throws InputError if the file exceeds
  /// InputLimit::bytes, or is a FIFO, socket or device, which could make the program wait for ever; except by a name
  /// of one of its own descriptors, such as /dev/stdin and the /dev/fd/63 of a shell's process substitution.
  static void add(std::filesystem::path const& file);
  /// Notes which value of a file names a file: for the message if that cannot be read.
  static void name(std::filesystem::path const& file, std::string const& where);
  /// Returns true if the file, under this or another name, was added.
  [[nodiscard]] static bool contain(std::filesystem::path const& file);
};

/// The name of standard input where a file is read, and of standard output where one is written.
constexpr char const* standard_stream = "-";

/// Calls `use` with the bytes of a file, or of standard input ("-"), in pieces, in order, up to InputLimit::bytes. Throws
/// as `read_input`.
void read_pieces(std::filesystem::path const& file, std::string_view remedy,
                 std::function<void(std::string_view)> const& use);

/// Throws InputError for an error of opening or reading a file, or std::system_error if the process, not the file, is the
/// reason: too many open files, no memory.
[[noreturn]] void fail_to_read(std::filesystem::path const& file, int error, std::string_view remedy);

/// Returns the bytes of a file, up to InputLimit::text. Throws InputError `FILE#: cannot be read (why). remedy` at every
/// error, also if the file becomes shorter meanwhile, and as InputFiles::add.
[[nodiscard]] std::string read_input(std::filesystem::path const& file,
                                     std::string_view remedy = "Check the path");

/// Reads a text that a user names (InputFiles::add), without a UTF-8 byte order mark. Throws InputError as `read_input`,
/// and if the file is UTF-16 or has NUL characters.
[[nodiscard]] std::string read_input_text(std::filesystem::path const& file,
                                          std::string_view remedy = "Check the path");

/// Throws InputError, naming `where`, if the path has a NUL character, at which the operating system would end it.
void require_path(std::string_view where, std::string_view path);

}  // namespace factosim
