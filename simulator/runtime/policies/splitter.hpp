#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "simulator/runtime/policies/split_program.hpp"

namespace factosim {

/// Numbers of tasks by kernel: the coarse ones, then the fine ones.
struct SplitState {
  std::span<std::uint64_t const> ready;       // ready, and taken by no worker
  std::span<std::uint64_t const> unfinished;  // kept in one piece, or children of a split task, and not ended
};

/// Decides for each ready task of the application whether it is split. One for each node.
class Splitter {
 public:
  virtual ~Splitter() = default;
  /// `task`: its place in the application's submission; `kernel`: the coarse one. The task is counted as ready.
  [[nodiscard]] virtual bool splits(std::uint32_t task, std::size_t kernel, SplitState const& state) = 0;
};

using SplitterMaker = std::function<std::unique_ptr<Splitter>(SplitCosts const& costs)>;

struct SplitterKind {
  std::string_view name, description;
  /// Makes the splitter; null: no task is ever split. The costs must outlive it.
  std::unique_ptr<Splitter> (*make)(SplitCosts const& costs);
  bool separates =
      false;  // GPUs run no fine kernel that a core can run, and cores no coarse one that a GPU can
  bool nested =
      false;  // tasks are replaced before the run: each of its parts ends before what follows begins
};

/// All splitters, in the order in which messages list them.
[[nodiscard]] std::span<SplitterKind const> splitters();
[[nodiscard]] std::vector<std::string> splitter_names();
/// Throws std::out_of_range for a name that is not listed.
[[nodiscard]] SplitterKind const& splitter_named(std::string_view name);

}  // namespace factosim
