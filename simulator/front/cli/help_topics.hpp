#pragma once

#include <string>
#include <vector>

namespace factosim {

/// A page of `factosim help` about something that several commands share.
struct HelpTopic {
  char const* name;
  char const* description;
  std::string text;
};
[[nodiscard]] std::vector<HelpTopic> const& help_topics();

}  // namespace factosim
