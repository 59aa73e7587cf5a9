#pragma once

#include <exception>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "factosim/error.hpp"
#include "factosim/plugin.h"

namespace factosim {

/// Returns whether a name in a scenario denotes a shared library.
[[nodiscard]] inline bool is_plugin(std::string_view name) { return name.ends_with(".so"); }

/// A shared library that a scenario names.
struct PluginFile {
  std::string where;           // place of its name, for messages: "lu.json#/scheduler/type"
  std::string name;            // as in the scenario: "./mine.so"
  std::filesystem::path path;  // from the working folder
};

/// A call of a function of a plug-in. If the program crashes during the call, or the plug-in ends it, the program ends
/// with exit code 2 and a message that names the plug-in.
class PluginCall {
 public:
  PluginCall(PluginFile const& file, char const* function) : before_(current) { current = {&file, function}; }
  ~PluginCall() { current = before_; }
  PluginCall(PluginCall const&) = delete;
  PluginCall& operator=(PluginCall const&) = delete;

  /// Makes crashes of plug-ins end the program as above. Crashes elsewhere end it as before.
  static void watch_crashes();

 private:
  struct Current {
    PluginFile const* file = nullptr;  // null: no call
    char const* function = nullptr;
  };
  static void on_crash(int signal);
  static void on_exit();
  static void report(char const* what);

  static thread_local Current current;
  Current before_;
};

/// Returns what `work`, which calls a function of a plug-in, returns. Throws InputError for an exception that it throws.
template <class Work>
auto call_plugin(PluginFile const& file, char const* function, Work&& work) {
  try {
    PluginCall const call(file, function);
    return std::forward<Work>(work)();
  } catch (std::exception const& error) {
    throw InputError(file.where, file.name + " threw an exception in " + function + " (" + error.what() +
                                     "). Catch it there");
  } catch (...) {
    throw InputError(file.where,
                     file.name + " threw an exception in " + function + " (of unknown type). Catch it there");
  }
}

/// Throws InputError with the problem that a plug-in states.
[[noreturn]] void fail_with(PluginFile const& file, std::span<factosim_key const> keys,
                            factosim_problem const& problem);

}  // namespace factosim
