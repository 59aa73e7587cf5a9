#include <algorithm>
#include <map>

#include "simulator/audit/reference/reference_flow.hpp"

namespace factosim::audit {

namespace {

struct QrKernels {
  enum : std::int32_t { geqrt, unmqr, tsqrt, tsmqr, ttqrt, ttmqr };
};

/// An operation of iteration k on one or two rows: geqrt and unmqr, or an elimination and its updates.
struct Operation {
  std::int32_t panel, update;  // kernels
  int row;                     // that names it: the row of geqrt, or the one that becomes zero
  int above = -1;              // the row that eliminates it
};

/// The operations of column k in their order. In a binary tree over positions 0, 1, 2, ... the position j is
/// eliminated by j less its lowest bit, after all those with a smaller lowest bit.
std::vector<Operation> column_operations(int k, int nt, std::string const& tree, TileMap const& map) {
  std::vector<int> heads;
  std::vector<Operation> triangles, squares;
  std::map<NodeId, int> head_of;  // by owner
  for (int m = k; m < nt; ++m) {
    bool head = tree == "binary" || m == k;
    int above = k;
    if (tree == "nodes") {
      auto const [known, is_new] = head_of.try_emplace(map.at(m, k), m);
      head = is_new;
      above = known->second;
    }
    if (head)
      heads.push_back(m), triangles.push_back({QrKernels::geqrt, QrKernels::unmqr, m});
    else
      squares.push_back({QrKernels::tsqrt, QrKernels::tsmqr, m, above});
  }
  std::vector<Operation> out = std::move(triangles);
  out.insert(out.end(), squares.begin(), squares.end());
  std::vector<std::size_t> order;
  for (std::size_t j = 1; j < heads.size(); ++j) order.push_back(j);
  auto const lowest_bit = [](std::size_t j) { return j & (~j + 1); };
  std::ranges::stable_sort(order, {}, lowest_bit);
  for (std::size_t const j : order)
    out.push_back({QrKernels::ttqrt, QrKernels::ttmqr, heads[j], heads[j - lowest_bit(j)]});
  return out;
}

/// Tile QR. An operation depends on the previous ones on its rows: in this iteration, or in the iteration before
/// on the elimination of the row, which is the last operation on it there. Updates also depend on the operation
/// on column k.
/// Source: Bouwmeester, Jacquelin, Langou, Robert, Tiled QR factorization algorithms, SC'11, section 2 and
/// table 1 (weights of kernels in units of nb^3 / 3); Dongarra et al., Parallel Computing 39, 2013.
class Qr {
 public:
  Qr(ReferenceProblem const& p, TileMap const& map, ReferenceSink& sink)
      : nt_(p.nt),
        tree_(p.key("tree")),
        map_(map),
        sink_(sink),
        eliminated_by_(static_cast<std::size_t>(nt_)) {}

  void submit() {
    for (int k = 0; k < nt_; ++k) {
      std::vector<Operation> const operations = column_operations(k, nt_, tree_, map_);
      std::vector<Operation const*> last(static_cast<std::size_t>(nt_), nullptr);  // [rows] of this iteration
      Operation const* last_of_diagonal = nullptr;
      for (Operation const& o : operations)
        if (o.row == k || o.above == k) last_of_diagonal = &o;
      for (Operation const& o : operations) {
        for (int n = k; n < nt_; ++n) send(k, o, n, last, n == k && &o == last_of_diagonal);
        last[static_cast<std::size_t>(o.row)] = &o;
        if (o.above >= 0) last[static_cast<std::size_t>(o.above)] = &o;
      }
      for (Operation const& o : operations)
        if (o.above >= 0) eliminated_by_[static_cast<std::size_t>(o.row)] = o.update;
    }
  }

 private:
  /// Submits the operation's task on column n.
  void send(int k, Operation const& o, int n, std::vector<Operation const*> const& last, bool writes_back) {
    bool const panel = n == k;
    ReferenceTask task;
    task.name = {panel ? o.panel : o.update, k, o.row, n};
    task.priority = 3 * nt_ - (panel ? 2 * k + o.row : o.row == k ? 2 * k + n : k + o.row + n);
    Datum const below{.m = o.row, .n = n}, reflectors{.matrix = 1, .m = o.row, .n = k};
    if (!panel) {
      task.uses.push_back({o.above < 0 ? reflectors : Datum{.m = o.row, .n = k}, Access::read});
      task.after.push_back({o.panel, k, o.row, k});
    }
    task.uses.push_back({below, Access::read_write});
    if (panel && o.above < 0) task.uses.push_back({reflectors, Access::write});
    if (o.above >= 0) task.uses.push_back({{.m = o.above, .n = n}, Access::read_write});
    add_previous(k, o.row, n, last, task.after);
    if (o.above >= 0) add_previous(k, o.above, n, last, task.after);
    std::sort(task.after.begin(), task.after.end());
    task.after.erase(std::unique(task.after.begin(), task.after.end()), task.after.end());
    task.writes_back = writes_back;
    sink_.task(task);
  }

  /// Adds the last operation before on tile (row, n).
  void add_previous(int k, int row, int n, std::vector<Operation const*> const& last,
                    std::vector<TaskName>& out) const {
    if (Operation const* const o = last[static_cast<std::size_t>(row)])
      out.push_back({n == k ? o->panel : o->update, k, o->row, n});
    else if (k > 0)
      out.push_back({eliminated_by_[static_cast<std::size_t>(row)], k - 1, row, n});
  }

  int nt_;
  std::string tree_;
  TileMap const& map_;
  ReferenceSink& sink_;
  std::vector<std::int32_t> eliminated_by_;  // [rows] kernel of the updates in the previous iteration
};

}  // namespace

Reference reference_qr(ReferenceProblem const& p, TileMap const& map) {
  double const unit = static_cast<double>(p.nb) * p.nb * p.nb / 3;
  return {.kernels = {{"geqrt", 4 * unit},
                      {"unmqr", 6 * unit},
                      {"tsqrt", 6 * unit},
                      {"tsmqr", 12 * unit},
                      {"ttqrt", 2 * unit},
                      {"ttmqr", 6 * unit}},
          .bytes = [&p](Datum const&) { return full_tile_bytes(p); },
          .submit = [&p, &map](ReferenceSink& sink) { Qr(p, map, sink).submit(); }};
}

}  // namespace factosim::audit
