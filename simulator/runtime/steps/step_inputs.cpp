#include "simulator/runtime/steps/step_inputs.hpp"

#include "factosim/error.hpp"

namespace factosim {

bool StepInputs::arrived(std::size_t node, std::uint32_t k, std::uint16_t number, std::uint32_t tiles) {
  Step& step = at(node, k);
  FACTOSIM_EXPECT(step.first_missing != all && missing_[step.missing + number] >= tiles,
                  "a tile arrives that nothing waits for");
  missing_[step.missing + number] -= tiles;
  std::uint16_t const before = step.first_missing;
  skip_complete(step);
  return step.first_missing != before;
}

void StepInputs::add_step(std::size_t node) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(missing_.size()));
    missing_.resize(missing_.size() + partition_.count(), 0);
  }
  Step step{.missing = free_.back()};
  free_.pop_back();
  auto const k = static_cast<std::uint32_t>(steps_[node].size());
  lines_.lines_beyond(node, k, [&](std::uint32_t line, std::uint32_t other) {
    ++missing_[step.missing + partition_.group_of(lines_.index_of(line) + other, k)];
  });
  skip_complete(step);
  steps_[node].push_back(step);
}

void StepInputs::skip_complete(Step& step) {
  while (step.first_missing < partition_.count() && missing_[step.missing + step.first_missing] == 0)
    ++step.first_missing;
  if (step.first_missing < partition_.count()) return;
  step.first_missing = all;
  free_.push_back(step.missing);
}

}  // namespace factosim
