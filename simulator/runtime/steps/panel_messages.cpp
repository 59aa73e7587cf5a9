#include "simulator/runtime/steps/panel_messages.hpp"

#include <algorithm>
#include <limits>

namespace factosim {

namespace {

constexpr std::uint32_t no_message = std::numeric_limits<std::uint32_t>::max();

}  // namespace

PanelMessages::PanelMessages(StepTasks const& tasks, StepLines& lines, StepPartition const& partition,
                             std::size_t nodes)
    : tasks_(tasks), lines_(lines), partition_(partition), last_(nodes, no_message) {}

std::span<StepMessage const> PanelMessages::of_diagonal(std::uint32_t source, std::uint32_t k) {
  begin();
  for (std::uint32_t kind = 0; kind < lines_.kinds(); ++kind)
    lines_.users_beyond(kind * lines_.nt() + k, k, [&](std::uint32_t node, std::uint32_t other) {
      bool const below = tasks_.is_symmetric() || kind == 1;
      StepTile const reader = below ? StepTasks::tile(other, k) : StepTasks::tile(k, other);
      add({.source = source,
           .destination = node,
           .step = k,
           .diagonal = true,
           .tiles = 1,
           .priority = tasks_.priority(reader, k)});
    });
  for (StepMessage& message : messages_) message.tiles = 1;  // several readers, one tile
  return messages_;
}

std::span<StepMessage const> PanelMessages::of_panel(std::uint32_t source, std::uint32_t k,
                                                     std::span<StepTile const> tiles) {
  begin();
  for (StepTile const t : tiles) {
    std::uint32_t const line = lines_.line_of(t), index = lines_.index_of(line);
    lines_.users_beyond(line, k, [&](std::uint32_t node, std::uint32_t other) {
      bool const row = tasks_.is_symmetric() ? other <= index : line < lines_.nt();
      StepTile const reader = row ? StepTasks::tile(index, other) : StepTasks::tile(other, index);
      add({.source = source,
           .destination = node,
           .step = k,
           .distance = partition_.group_of(index + other, k),
           .tiles = 1,
           .priority = tasks_.priority(reader, k)});
    });
  }
  return messages_;
}

void PanelMessages::begin() {
  for (StepMessage const& message : messages_) last_[message.destination] = no_message;
  messages_.clear();
  same_node_.clear();
}

void PanelMessages::add(StepMessage const& message) {
  for (std::uint32_t at = last_[message.destination]; at != no_message; at = same_node_[at])
    if (messages_[at].distance == message.distance) {
      ++messages_[at].tiles;
      messages_[at].priority = std::max(messages_[at].priority, message.priority);
      return;
    }
  same_node_.push_back(last_[message.destination]);
  last_[message.destination] = static_cast<std::uint32_t>(messages_.size());
  messages_.push_back(message);
}

}  // namespace factosim
