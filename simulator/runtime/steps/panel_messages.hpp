#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/runtime/steps/step_inputs.hpp"
#include "simulator/runtime/steps/step_messages.hpp"
#include "simulator/runtime/steps/step_tasks.hpp"

namespace factosim {

/// The messages with tiles of a panel: one for each node that reads them, and each group of their first readers.
class PanelMessages {
 public:
  PanelMessages(StepTasks const& tasks, StepLines& lines, StepPartition const& partition, std::size_t nodes);

  /// Those with the diagonal tile of step k, for its panel. Valid until the next call.
  [[nodiscard]] std::span<StepMessage const> of_diagonal(std::uint32_t source, std::uint32_t k);
  /// Those with other tiles of the panel, for updates.
  [[nodiscard]] std::span<StepMessage const> of_panel(std::uint32_t source, std::uint32_t k,
                                                      std::span<StepTile const> tiles);

 private:
  void begin();
  /// Adds a tile to the message; `priority`: of its first reader there.
  void add(StepMessage const& message);

  StepTasks const& tasks_;
  StepLines& lines_;
  StepPartition const& partition_;
  std::vector<StepMessage> messages_;
  std::vector<std::uint32_t> same_node_;  // [messages] the one before for the same node, or none
  std::vector<std::uint32_t> last_;       // [nodes] its last message, or none
};

}  // namespace factosim
