#pragma once

namespace factosim {

/// Files that this process is writing and that nobody shall find half-written. State of the whole process,
/// since signals are: what ends it removes them first.
class UnfinishedFiles {
 public:
  /// From now on SIGINT, SIGTERM, SIGHUP and SIGXCPU remove them before they end the process as ever. Writing
  /// beyond the allowed size of a file fails, with EFBIG, instead of ending it. For main().
  static void watch_signals();

  /// Beyond some dozens of files at once, or of paths that are too long, a file stays when a signal comes.
  static void add(char const* name);
  static void remove(char const* name);
};

}  // namespace factosim
