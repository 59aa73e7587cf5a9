#pragma once

#include <cstdint>
#include <string>

#include "factosim/platform.hpp"

namespace factosim {

/// The network cards that the user states.
struct GivenCards {
  LinkRate nic;
  std::uint32_t nics = 1;
  NetworkSpec network;
  std::string text;  // for the provenance of each machine
  bool estimate = false;
};

/// Reads --nic: BANDWIDTH,LATENCY, or the name or the file of a network. Throws InputError.
[[nodiscard]] GivenCards read_cards(std::string const& text);

}  // namespace factosim
