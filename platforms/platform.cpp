#include "factosim/platform.hpp"

namespace factosim {

std::string memory_node_name(NodeType const& type, std::size_t memory) {
  if (memory == 0) return "ram";
  if (memory < type.ram_count()) return "ram" + std::to_string(memory);
  if (type.is_disk(memory)) return "disk";
  return "cuda" + std::to_string(memory - type.ram_count());
}

}  // namespace factosim
