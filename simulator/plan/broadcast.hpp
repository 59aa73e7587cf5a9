#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace factosim {

/// How what a task wrote gets to several nodes.
enum class Broadcast {
  point_to_point,  // the owner sends to each, the most urgent first
  binomial,        // a binomial tree: each node that has it sends to half of those that the sender has left
  ring,            // from one to the next, the most urgent first ("increasing ring")
  cooperative      // whoever has it and is free sends to the most urgent node that nobody sends to yet
};

[[nodiscard]] std::string_view name_of(Broadcast broadcast);
[[nodiscard]] std::vector<std::string> broadcast_names();
/// Throws std::out_of_range for a name that is not listed.
[[nodiscard]] Broadcast broadcast_named(std::string_view name);

/// Who forwards to whom. Messages are numbered 0..count-1 by urgency; `parent[i]`: the message whose receiver
/// sends message i, or none for the owner itself.
inline constexpr std::uint32_t sent_by_owner = 0xffffffffU;
[[nodiscard]] std::vector<std::uint32_t> forwarding_tree(Broadcast broadcast, std::uint32_t count);

}  // namespace factosim
