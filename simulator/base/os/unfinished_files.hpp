#pragma once

namespace factosim {

/// Incomplete files of this process, which are removed if a signal ends it. State of the whole process, as
/// signals are.
class UnfinishedFiles {
 public:
  /// Makes SIGINT, SIGTERM, SIGHUP and SIGXCPU remove the files before they end the process. Exceeding the
  /// maximum size of a file then fails with EFBIG instead of ending the process. To be called by main().
  static void watch_signals();

  /// Files beyond the first 32 at once, and files with too long paths, remain after a signal.
  static void add(char const* name);
  static void remove(char const* name);
  /// Removes the files of this process. May be called by a signal handler.
  static void remove_all();
};

}  // namespace factosim
