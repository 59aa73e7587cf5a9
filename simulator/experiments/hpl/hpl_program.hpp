#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "simulator/experiments/hpl/hpl_messages.hpp"
#include "simulator/experiments/hpl/hpl_system.hpp"

namespace factosim {

/// What a process of HPL does next.
struct HplAction {
  enum class Kind : std::uint8_t {
    compute,   // for `seconds`
    exchange,  // sends `out` bytes to its partner, receives from it, or both at once, and waits for the end
    look,      // receives and forwards its panel if that is there
    update,    // updates `columns` columns; while it waits for its panel in pieces, with a look after each
    wait       // receives and forwards its panel
  };
  Kind kind = Kind::compute;
  double seconds = 0;
  std::size_t partner = 0;
  double out = -1;  // bytes; below 0: none
  bool in = false;
  bool along_row = false;    // messages along rows and along columns are matched apart
  std::int64_t columns = 0;  // of an update, like those below
  std::int64_t panel = 0;
  std::uint64_t draw = 0;
};

/// The panel that a process waits for.
struct AwaitedPanel {
  bool missing = false;
  std::size_t from = 0;
  double bytes = 0;
  std::vector<std::size_t> to;  // to whom it forwards it, in order
};

/// Produces the actions of each process step by step. The same algorithm as the recurrences follow, written for one
/// process instead of all: messages one by one, the search of each pivot included.
/// Source: HPL 2.3, src/pgesv and src/pfact.
class HplProgram {
 public:
  explicit HplProgram(HplSystem const& system);

  /// Number of steps of every process.
  [[nodiscard]] std::int64_t steps() const { return problem_.panels() + depth_; }
  /// Adds the actions of step `step` of process (r, c), and the panel that it waits for meanwhile.
  void add(std::int64_t step, int r, int c, std::deque<HplAction>& actions, AwaitedPanel& awaited) const;
  /// Returns the time of an update, with what was drawn for it.
  [[nodiscard]] double update_s(std::size_t process, int r, HplAction const& update,
                                std::int64_t columns) const;

 private:
  using Actions = std::deque<HplAction>;

  void add_panel(std::int64_t k, int r, int c, Actions& actions) const;
  void add_broadcast(std::int64_t k, int r, int c, bool waits, Actions& actions, AwaitedPanel& awaited) const;
  void add_long_broadcast(std::int64_t k, int r, int c, Actions& actions) const;
  void add_update(std::int64_t u, std::int64_t columns, std::uint64_t draw, int r, int c,
                  Actions& actions) const;
  void add_swap(std::int64_t u, std::int64_t columns, int r, int c, Actions& actions) const;

  HplSystem const& system_;
  HplProblem const& problem_;
  std::int64_t depth_;
  std::vector<std::vector<int>> forwards_;
};

}  // namespace factosim
