#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace factosim {

/// Algorithms that send an output of a task to several nodes.
enum class Broadcast {
  point_to_point,  // the owner sends to each, the most urgent first
  binomial,        // a binomial tree: each node that has the output serves half of the remaining nodes
  ring,            // each node sends it to the next one, the most urgent first ("increasing ring")
  cooperative      // each free node that has it sends it to the most urgent node that is not served yet
};

[[nodiscard]] std::string_view name_of(Broadcast broadcast);
[[nodiscard]] std::vector<std::string> broadcast_names();
/// Throws std::out_of_range for a name that is not listed.
[[nodiscard]] Broadcast broadcast_named(std::string_view name);

/// Returns for each of `count` messages, the most urgent first, the message whose receiver forwards it, or
/// none where the owner sends it itself.
[[nodiscard]] std::vector<std::optional<std::size_t>> forwarding_tree(Broadcast broadcast, std::size_t count);

}  // namespace factosim
