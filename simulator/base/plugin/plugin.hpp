#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "factosim/plugin.h"
#include "factosim/scheduler.hpp"
#include "simulator/base/plugin/plugin_call.hpp"

namespace factosim {

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
