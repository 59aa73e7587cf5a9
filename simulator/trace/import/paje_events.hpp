#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simulator/trace/import/line_reader.hpp"

namespace factosim {

/// The lines of a Paje trace, one after the other, each with the name of its event and its fields as the
/// header of the file defines them. Source: Kergommeaux, Stein: Paje input data format, 2003.
class PajeEvents {
 public:
  enum class Kind : std::uint8_t {
    define_container_type,
    define_event_type,
    define_state_type,
    define_variable_type,
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

  /// Throws InputError at a line that is no event.
  [[nodiscard]] bool next();

  [[nodiscard]] Kind kind() const { return definition_->kind; }
  /// Empty where the event has no such field, or the line ends before it.
  [[nodiscard]] std::string_view field(std::string_view name) const;
  /// Throws InputError where there is none.
  [[nodiscard]] std::string_view required(std::string_view name) const;
  /// Its date in the file's unit.
  [[nodiscard]] double time() const;
  [[nodiscard]] LineReader const& lines() const { return lines_; }
  /// Whether the file says that SimGrid wrote it (its dates are in seconds then).
  [[nodiscard]] bool from_simgrid() const { return from_simgrid_; }

 private:
  struct Definition {
    Kind kind = Kind::other;
    std::string name;
    std::vector<std::string> fields;
  };

  void define(std::string_view line);
  void split(std::string_view line);

  LineReader lines_;
  std::unordered_map<std::string, Definition> definitions_;  // by the number at the start of lines
  Definition* open_ = nullptr;                               // being defined
  Definition const* definition_ = nullptr;                   // of the line given last
  std::vector<std::string_view> values_;
  bool from_simgrid_ = false;
};

}  // namespace factosim
