#pragma once

#include <exception>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "factosim/error.hpp"
#include "factosim/plugin.h"
#include "factosim/scheduler.hpp"

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
  /// Numbers are rounded as before, whatever the plug-in has set.
  ~PluginCall();
  PluginCall(PluginCall const&) = delete;
  PluginCall& operator=(PluginCall const&) = delete;

  /// Makes crashes of plug-ins end the program as above. Crashes elsewhere end it as before.
  static void watch_crashes();

  /// For what ends the program: ends it as above during a call of a plug-in, else returns.
  static void on_exit();

 private:
  struct Current {
    PluginFile const* file = nullptr;  // null: no call
    char const* function = nullptr;
  };
  static void on_crash(int signal);
  [[noreturn]] static void end(char const* what);

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

/// The values of a plug-in's keys, as its functions take them.
class PluginValues {
 public:
  /// `values`: one for each key, of its kind.
  PluginValues(std::span<factosim_key const> keys, std::vector<OptionValue> values);
  PluginValues(PluginValues const&) = delete;
  PluginValues& operator=(PluginValues const&) = delete;

  [[nodiscard]] factosim_value const* data() const { return passed_.data(); }
  /// Returns the names and values of all keys.
  [[nodiscard]] std::vector<std::pair<std::string, OptionValue>> named() const;

 private:
  std::span<factosim_key const> keys_;
  std::vector<OptionValue> values_;
  std::vector<factosim_value> passed_;  // point into `values_`
};

/// What a plug-in offers, `factosim_policy` or `factosim_distribution`. Its library stays loaded.
template <class Offer>
class Plugin {
 public:
  /// Loads the library, if the variable FACTOSIM_PLUGINS of the environment, a list of folders as PATH, has a folder
  /// above it: a scenario alone does not decide what runs. Throws InputError if that fails, or if the library offers no such thing, or one that is
  /// incomplete.
  explicit Plugin(PluginFile file);

  [[nodiscard]] PluginFile const& file() const { return file_; }
  /// Hash of the library's bytes, for the provenance of results.
  [[nodiscard]] std::string const& checksum() const { return checksum_; }
  [[nodiscard]] Offer const& offer() const { return *offer_; }
  [[nodiscard]] std::span<factosim_key const> keys() const { return {offer_->keys, offer_->key_count}; }
  /// Lets the plug-in check the values. Throws InputError with what it answers.
  void check(PluginValues const& values) const;

 private:
  PluginFile file_;
  std::string checksum_;
  Offer const* offer_ = nullptr;
};

extern template class Plugin<factosim_policy>;
extern template class Plugin<factosim_distribution>;
using PolicyPlugin = Plugin<factosim_policy>;
using DistributionPlugin = Plugin<factosim_distribution>;

/// Returns options whose policy a plug-in makes, after the plug-in has checked the values. Throws InputError.
[[nodiscard]] SchedulerOptions policy_of_plugin(std::shared_ptr<PolicyPlugin const> plugin,
                                                std::vector<OptionValue> values);

}  // namespace factosim
