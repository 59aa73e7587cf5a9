#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simulator/traces/import/line_reader.hpp"

namespace factosim {

/// Reads the events of a Paje trace line by line, with the event names and fields defined in the file's
/// header. Source: Kergommeaux, Stein: Paje input data format, 2003.
class PajeEvents {
 public:
  enum class Kind : std::uint8_t {
    define_container_type,
    define_state_type,
    define_link_type,
    define_entity_value,
    create_container,
    destroy_container,
    set_state,
    push_state,
    pop_state,
    reset_state,
    start_link,
    end_link,
    other
  };

  explicit PajeEvents(std::filesystem::path const& file) : lines_(file) {}

  /// Throws InputError if a line is not an event.
  [[nodiscard]] bool next();

  [[nodiscard]] Kind kind() const { return definition_->kind; }
  /// Empty if the event has no such field or the line ends before it.
  [[nodiscard]] std::string_view field(std::string_view name) const {
    auto const* const value = find(name);
    return value == nullptr ? std::string_view() : *value;
  }
  /// The first of two fields that is not empty. Throws InputError if the second is needed and missing.
  [[nodiscard]] std::string field_or(std::string_view name, std::string_view other) const {
    return std::string(field(name).empty() ? required(other) : field(name));
  }
  /// Throws InputError if the field is missing.
  [[nodiscard]] std::string_view required(std::string_view name) const;
  /// Date of the event in the file's unit.
  [[nodiscard]] double time() const;
  [[nodiscard]] LineReader const& lines() const { return lines_; }
  /// Returns whether the file names SimGrid as its writer (dates are in seconds then).
  [[nodiscard]] bool from_simgrid() const { return from_simgrid_; }

 private:
  struct Definition {
    Kind kind = Kind::other;
    std::string name;
    std::vector<std::string> fields;
  };

  [[nodiscard]] std::string_view const* find(std::string_view name) const;
  void define(std::string_view line);
  void split(std::string_view line);

  LineReader lines_;
  std::unordered_map<std::string, Definition> definitions_;  // by the number that begins each event line
  Definition* open_ = nullptr;                               // definition being read
  Definition const* definition_ = nullptr;                   // of the current line
  std::vector<std::string_view> values_;
  bool from_simgrid_ = false;
};

}  // namespace factosim
