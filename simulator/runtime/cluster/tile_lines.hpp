#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "factosim/id.hpp"
#include "models/applications/task_formulas.hpp"

namespace factosim {

/// The tasks, by the tile that they write, of each line of tiles: by node, then along the line.
class TileLines {
 public:
  /// The tasks of one line on one node.
  struct Part {
    NodeId node;
    std::uint32_t begin, end;  // into the tasks
  };

  /// `task_of(tile)`: its task, invalid where nothing updates it; `node_of(task)`: the node of a task.
  template <class TaskOf, class NodeOf>
  TileLines(TaskFormulas const& formulas, TaskOf const& task_of, NodeOf const& node_of);

  /// Returns the parts of the line of the run, by node.
  [[nodiscard]] std::span<Part const> parts(TileRun const& run) const {
    std::size_t const line = line_of(run);
    return {parts_.data() + first_part_[line], parts_.data() + first_part_[line + 1]};
  }
  /// Returns the part on a node; null if it has none. O(log nodes of the line).
  [[nodiscard]] Part const* part(TileRun const& run, NodeId node) const {
    auto const all = parts(run);
    auto const found = std::ranges::lower_bound(all, node, {}, &Part::node);
    return found != all.end() && found->node == node ? &*found : nullptr;
  }
  /// Returns the tasks of the run in a part of its line. O(log of their number).
  [[nodiscard]] std::span<TaskId const> tasks(TileRun const& run, Part const& part) const {
    auto const place = [&](std::uint32_t i) { return places_.begin() + i; };
    auto const first = std::lower_bound(place(part.begin), place(part.end), run.first);
    auto const last =
        places_[part.end - 1] < run.end ? place(part.end) : std::lower_bound(first, place(part.end), run.end);
    return {tasks_.data() + (first - places_.begin()), tasks_.data() + (last - places_.begin())};
  }

 private:
  [[nodiscard]] std::size_t line_of(TileRun const& run) const {
    return static_cast<std::size_t>(run.line) + static_cast<std::size_t>(run.kind) * lines_;
  }

  std::size_t lines_;                      // of each kind
  std::vector<std::uint32_t> first_part_;  // [kinds][lines], + 1, into `parts_`
  std::vector<Part> parts_;
  std::vector<TaskId> tasks_;          // [kinds][lines][tiles of the line] by node
  std::vector<std::uint16_t> places_;  // [the same] column in a row, row in a column
};

template <class TaskOf, class NodeOf>
TileLines::TileLines(TaskFormulas const& formulas, TaskOf const& task_of, NodeOf const& node_of)
    : lines_(static_cast<std::size_t>(formulas.line_count())) {
  struct Member {
    NodeId node;
    TaskId task;
    std::uint16_t place;
  };
  std::vector<Member> members;  // of one line
  int const count = formulas.line_count();
  for (TileRun::Line const kind : {TileRun::Line::row, TileRun::Line::column})
    for (int line = 0; line < count; ++line) {
      members.clear();
      for (int i = 0; i < count; ++i) {
        HandleId const tile =
            kind == TileRun::Line::row ? formulas.updated_tile(line, i) : formulas.updated_tile(i, line);
        if (!tile.valid()) continue;
        TaskId const task = task_of(tile);
        members.push_back({node_of(task), task, static_cast<std::uint16_t>(i)});
      }
      std::ranges::stable_sort(members, {}, &Member::node);
      first_part_.push_back(static_cast<std::uint32_t>(parts_.size()));
      for (std::size_t i = 0; i < members.size(); ++i) {
        auto const next = static_cast<std::uint32_t>(tasks_.size());
        if (i == 0 || members[i].node != members[i - 1].node) parts_.push_back({members[i].node, next, next});
        ++parts_.back().end;
        tasks_.push_back(members[i].task);
        places_.push_back(members[i].place);
      }
    }
  first_part_.push_back(static_cast<std::uint32_t>(parts_.size()));
}

}  // namespace factosim
