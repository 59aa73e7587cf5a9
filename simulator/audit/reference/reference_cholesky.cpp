#include "simulator/audit/reference/reference_cholesky.hpp"

namespace factosim::audit {
namespace {

/// The datum of a copy of tile (m, k).
Datum copy_of_tile(int m, int k, ReferenceFormats::Copy const& copy) {
  return {.matrix = 1 + static_cast<std::int32_t>(copy.precision), .m = m, .n = k, .node = copy.node};
}

}  // namespace

/// Of the paper's equations: 3 (nt - k) less the distances of row and column to k. Chameleon's: 2 (nt - k) less m
/// (trsm), n (syrk) or m + n (gemm).
int ReferenceCholesky::priority(int k, int m, int n) const {
  if (equations) return 3 * (nt - k) - (m - k) - (n - k);
  int out = 2 * (nt - k);
  if (m > k) out -= m;
  if (n > k && n != m) out -= n;
  return out;
}

std::vector<TaskName> ReferenceCholesky::readers(int m, int k,
                                                 std::optional<ReferenceFormats::Copy> const& copy) const {
  std::vector<TaskName> out;
  auto const add = [&](TaskName const& task, int row, int column) {
    if (formats == nullptr || formats->read_copy(m, k, row, column) == copy) out.push_back(task);
  };
  for (int i = k + 1; i < nt; ++i) {
    if (m == k) add(panel(k, i), i, k);
    if (m > k && i <= m) add(update(k, m, i), m, i);
    if (m > k && i > m) add(update(k, i, m), i, m);
  }
  if (formats != nullptr && !copy)
    for (ReferenceFormats::Copy const& made : formats->copies(m, k)) out.push_back(conversion(k, m, made));
  return out;
}

/// A conversion follows the last writer of the tile, and the readers of the copy in the iteration before.
void ReferenceCholesky::convert(ReferenceSink& sink, int k, int m) const {
  if (formats == nullptr) return;
  for (ReferenceFormats::Copy const& copy : formats->copies(m, k)) {
    ReferenceTask task;
    task.phase = phase;
    task.name = conversion(k, m, copy);
    task.priority = priority(k, m, k);
    task.uses = {{{.m = m, .n = k}, Access::read}, {copy_of_tile(m, k, copy), Access::write}};
    task.after = {m == k ? factor(k) : panel(k, m)};
    if (iteration > 0)
      for (TaskName reader : readers(m, k, copy)) {
        --reader.iteration;
        task.after.push_back(reader);
      }
    sink.task(task);
  }
}

void ReferenceCholesky::submit(ReferenceSink& sink) const {
  ReferenceTask task;
  task.phase = phase;
  auto const send = [&](TaskName const& name, std::initializer_list<TaskName> panels, bool writes_back) {
    int const k = name.k, m = name.m, n = name.n;
    task.name = name;
    task.priority = priority(k, m, n);
    task.uses.clear();
    task.after.clear();
    for (TaskName const& input : panels) {
      auto const copy = formats != nullptr ? formats->read_copy(input.m, k, m, n) : std::nullopt;
      task.uses.push_back(
          {copy ? copy_of_tile(input.m, k, *copy) : Datum{.m = input.m, .n = k}, Access::read});
      task.after.push_back(copy ? conversion(k, input.m, *copy) : input);
    }
    task.uses.push_back({{.m = m, .n = n}, Access::read_write});
    if (auto const before = last_writer(k, m, n)) task.after.push_back(*before);
    task.writes_back = writes_back;
    task.flushes_inputs = writes_back && m > k && flushes_diagonal;
    sink.task(task);
  };
  for (int k = 0; k < nt; ++k) {
    send(factor(k), {}, true);
    convert(sink, k, k);
    for (int m = k + 1; m < nt; ++m) {
      send(panel(k, m), {factor(k)}, true);
      convert(sink, k, m);
    }
    for (int n = k + 1; n < nt; ++n) {
      send(update(k, n, n), {panel(k, n)}, false);
      for (int m = n + 1; m < nt; ++m) send(update(k, m, n), {panel(k, m), panel(k, n)}, false);
    }
  }
}

Reference reference_cholesky(ReferenceProblem const& p, TileMap const& map) {
  double const nb3 = static_cast<double>(p.nb) * p.nb * p.nb;
  Reference out;
  out.kernels = {{"potrf", nb3 / 3}, {"trsm", nb3}, {"syrk", nb3}, {"gemm", 2 * nb3}};
  auto const formats = ReferenceFormats::of(p, map, out.kernels, 0);
  out.bytes = [&p, formats](Datum const& datum) { return bytes_of_tile(p, formats.get(), datum); };
  out.temporary = [](Datum const& datum) { return datum.kind == DataKind::tile && datum.matrix > 0; };
  out.submit = [&p, formats](ReferenceSink& sink) {
    ReferenceCholesky{
        .nt = p.nt, .flushes_diagonal = p.key("variant") == "starpu-mpi", .formats = formats.get()}
        .submit(sink);
  };
  return out;
}

std::int64_t bytes_of_tile(ReferenceProblem const& p, ReferenceFormats const* formats, Datum const& tile) {
  if (formats == nullptr) return p.element_bytes * p.rows_of_tile(tile.m) * p.rows_of_tile(tile.n);
  Precision const stored = formats->at(tile.m, tile.n).precision;
  return formats->bytes(
      tile.m, tile.n,
      tile.kind == DataKind::tile && tile.matrix > 0 ? static_cast<Precision>(tile.matrix - 1) : stored);
}

}  // namespace factosim::audit
