#include "models/applications/cholesky_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace factosim {

namespace {

using Variant = FormattedCholesky::Variant;
using Operation = Variant::Operation;
using Shape = Variant::Shape;

/// Returns the precision in which a triangular solve reads the triangle, for a tile stored in that precision.
Precision triangle_precision(Precision stored) {
  return stored == Precision::double_ ? Precision::double_ : Precision::single_;
}

/// Returns by what the kernel of a task differs from others.
Variant variant_of(TileFormats const& f, TaskIndices const& task) {
  auto const [k, m, n] = task;
  TileFormat const written = f.of(m, n);
  if (m == k) return {.operation = Operation::potrf, .precision = written.precision};
  if (n == k)
    return {.operation = Operation::trsm,
            .precision = written.precision,
            .shape = written.rank > 0 ? Shape::low : Shape::full,
            .rank = written.rank};
  int const a = f.of(m, k).rank, b = f.of(n, k).rank;
  int const low_factors = (a > 0 ? 1 : 0) + (b > 0 ? 1 : 0);
  constexpr Shape of_full[] = {Shape::full, Shape::low_factor, Shape::low_factors};
  constexpr Shape of_low[] = {Shape::full_factors, Shape::full_factor, Shape::low};
  return {.operation = m == n ? Operation::syrk : Operation::gemm,
          .precision = written.precision,
          .shape = written.rank > 0 ? of_low[low_factors] : of_full[low_factors],
          .rank = std::max({written.rank, a, b})};
}

/// Calls `use(precision, m, n)` for each task that reads tile (m, k) once it is final, with the precision in which it
/// reads it and the tile that it writes.
template <class Use>
void for_each_reader(TileFormats const& f, int nt, int m, int k, Use const& use) {
  if (m == k) {
    for (int i = k + 1; i < nt; ++i) use(triangle_precision(f.of(i, k).precision), i, k);
    return;
  }
  for (int n = k + 1; n <= m; ++n) use(f.of(m, n).precision, m, n);
  for (int i = m + 1; i < nt; ++i) use(f.of(i, m).precision, i, m);
}

/// Returns the variants of all tasks, sorted.
std::vector<Variant> variants_of(TileFormats const& f, int nt) {
  std::set<Variant> out;
  for (int k = 0; k < nt; ++k) {
    for (int n = k; n < nt; ++n)
      for (int m = n; m < nt; ++m) out.insert(variant_of(f, {k, m, n}));
    for (int m = k; m < nt; ++m) {
      TileFormat const stored = f.of(m, k);
      for_each_reader(f, nt, m, k, [&](Precision needed, int, int) {
        if (needed != stored.precision)
          out.insert({.operation = Operation::conversion,
                      .precision = stored.precision,
                      .to = needed,
                      .rank = stored.rank});
      });
    }
  }
  return {out.begin(), out.end()};
}

/// Returns whether it is one of the plain kernels: potrf, trsm, syrk, gemm.
bool is_plain(Variant const& v, Precision precision) {
  return v.operation != Operation::conversion && v.precision == precision && v.shape == Shape::full;
}

/// Name of the kernel and of its timings, and its operations.
struct Cost {
  std::string name, timing;
  double flops;
};

Cost cost_of(Variant const& v, double nb) {
  double const k = v.rank, square = nb * nb, cube = square * nb;
  switch (v.operation) {
    case Operation::potrf:
      return {"potrf", "potrf", cube / 3};
    case Operation::trsm:
      if (v.shape == Shape::full) return {"trsm", "trsm", cube};
      return {fmt::format("trsm_lr{}", v.rank), "trsm_lr", square * k};
    case Operation::syrk:
      if (v.shape == Shape::full) return {"syrk", "syrk", cube};
      return {fmt::format("syrk_lr{}", v.rank), "syrk_lr", 2 * square * k + 4 * nb * k * k};
    case Operation::conversion: {  // bytes are its operations
      double const elements = v.rank > 0 ? 2 * nb * k : square;
      std::string const of_rank = v.rank > 0 ? fmt::format("_lr{}", v.rank) : "";
      return {fmt::format("convert_{}_{}{}", name_of(v.precision), name_of(v.to), of_rank), "convert",
              elements * (element_bytes(v.precision) + element_bytes(v.to))};
    }
    case Operation::gemm:
      break;
  }
  double const recompression = 32 * nb * k * k + 157 * k * k * k;
  switch (v.shape) {
    case Shape::full:
      return {"gemm", "gemm", 2 * cube};
    case Shape::low_factor:
      return {fmt::format("gemm_dense_lr{}", v.rank), "gemm_dense_lr", 4 * square * k};
    case Shape::low_factors:
      return {fmt::format("gemm_dense_2lr{}", v.rank), "gemm_dense_lr", 2 * square * k + 4 * nb * k * k};
    case Shape::low:
      return {fmt::format("gemm_lr{}", v.rank), "gemm_lr", 4 * nb * k * k + recompression};
    case Shape::full_factor:
      return {fmt::format("gemm_lr{}_full", v.rank), "gemm_lr", 2 * square * k + recompression};
    case Shape::full_factors:
      break;
  }
  return {fmt::format("gemm_lr{}_2full", v.rank), "gemm_lr", 2 * cube + 4 * square * k + recompression};
}

Kernel kernel_of(Variant const& v, ApplicationParameters const& p) {
  Cost cost = cost_of(v, p.nb);
  bool const converts = v.operation == Operation::conversion;
  if (!converts && v.precision != p.precision) cost.name += fmt::format("_{}", name_of(v.precision));
  return {.name = cost.name,
          .flops = {cost.flops},
          .asynchronous_on_gpu = v.operation != Operation::potrf,
          .timing = cost.timing,
          .memory_bound = converts,
          .precision = converts ? p.precision : v.precision};
}

}  // namespace

std::vector<Kernel> format_kernels(ApplicationParameters const& p) {
  std::vector<Kernel> out;
  if (!p.formats) return out;
  for (Variant const& v : variants_of(*p.formats, p.nt))
    if (!is_plain(v, p.precision)) out.push_back(kernel_of(v, p));
  return out;
}

Bytes bytes_of_tile(ApplicationParameters const& p, int m, int n) {
  TileFormat const format = p.formats ? p.formats->of(m, n) : TileFormat{.precision = p.precision};
  return stored_bytes(format, rows_of_tile(p, m), rows_of_tile(p, n));
}

double max_conversions(ApplicationParameters const& p) {
  if (!p.formats) return 0;
  std::set<Precision> precisions;
  for (TileFormat const& format : p.formats->formats) precisions.insert(format.precision);
  double const tiles = static_cast<double>(p.formats->formats.size());
  double const nodes = p.formats->conversion == ConversionPlace::sender ? 1 : p.nt;
  return precisions.size() > 1 ? tiles * static_cast<double>(precisions.size()) * nodes : 0;
}

FormattedCholesky::FormattedCholesky(ApplicationParameters const& p, TileMap const& map)
    : p_(p), map_(map), formats_(*p.formats), variants_(variants_of(formats_, p.nt)) {}

void FormattedCholesky::add_kernels(FlowSink& sink) {
  numbers_.assign(variants_.size(), {});
  for (std::size_t v = 0; v < variants_.size(); ++v)
    if (!is_plain(variants_[v], p_.precision)) numbers_[v] = sink.add_kernel(kernel_of(variants_[v], p_));
}

void FormattedCholesky::add_copies(FlowSink& sink) {
  first_copy_.assign(1, 0);
  copies_.clear();
  for (int m = 0; m < p_.nt; ++m)
    for (int k = 0; k <= m; ++k) {
      for (Copy copy : copies_of(m, k)) {
        TileFormat const format{.precision = copy.precision, .rank = formats_.of(m, k).rank};
        copy.handle = sink.add_handle({.size = stored_bytes(format, rows_of_tile(p_, m), rows_of_tile(p_, k)),
                                       .m = m,
                                       .n = k,
                                       .owner = copy.node,
                                       .temporary = true});
        copies_.push_back(copy);
      }
      first_copy_.push_back(static_cast<std::uint32_t>(copies_.size()));
    }
}

/// Returns the copies of a tile in the order in which they are made, without handles.
std::vector<FormattedCholesky::Copy> FormattedCholesky::copies_of(int m, int k) const {
  Precision const stored = formats_.of(m, k).precision;
  std::map<NodeId, std::set<Precision>> needed;  // by readers' nodes
  for_each_reader(formats_, p_.nt, m, k, [&](Precision precision, int row, int column) {
    needed[node_of(k, row, column)].insert(precision);
  });
  std::set<std::pair<Precision, NodeId>> made;
  for (auto const& [node, precisions] : needed) {
    bool const on_owner =
        converts_on_owner(stored, precisions) || (node == node_of(k, m, k) && !on_readers());
    for (Precision const precision : precisions)
      if (precision != stored) made.emplace(precision, on_owner ? NodeId{} : node);
  }
  std::vector<Copy> out;
  for (auto const& [precision, node] : made) out.push_back({precision, node, {}});
  return out;
}

bool FormattedCholesky::converts_on_owner(Precision stored, std::set<Precision> const& needed) const {
  if (formats_.conversion != ConversionPlace::fewest_bytes)
    return formats_.conversion == ConversionPlace::sender;
  int bytes = 0;  // of an element in all these precisions
  for (Precision const precision : needed) bytes += element_bytes(precision);
  return bytes < element_bytes(stored);
}

HandleId FormattedCholesky::operand(int m, TaskIndices const& task) const {
  Precision const written = formats_.of(task.m, task.n).precision;
  Precision const needed = task.n == task.k ? triangle_precision(written) : written;
  HandleId const tile = lower_tile(m, task.k);
  if (formats_.of(m, task.k).precision == needed) return tile;
  HandleId of_owner;
  for (std::uint32_t c = first_copy_[tile.index()]; c < first_copy_[tile.index() + 1]; ++c) {
    if (copies_[c].precision != needed) continue;
    if (copies_[c].node == node_of(task.k, task.m, task.n)) return copies_[c].handle;
    if (!copies_[c].node.valid()) of_owner = copies_[c].handle;
  }
  return of_owner;
}

KernelId FormattedCholesky::kernel(KernelId plain, TaskIndices const& task) const {
  Variant const variant = variant_of(formats_, task);
  return is_plain(variant, p_.precision) ? plain : number_of(variant);
}

KernelId FormattedCholesky::number_of(Variant const& variant) const {
  auto const place = std::lower_bound(variants_.begin(), variants_.end(), variant);
  return numbers_[static_cast<std::size_t>(place - variants_.begin())];
}

void FormattedCholesky::submit_conversions(FlowSink& sink, int priority, int m, int k) const {
  HandleId const tile = lower_tile(m, k);
  TileFormat const stored = formats_.of(m, k);
  for (std::uint32_t c = first_copy_[tile.index()]; c < first_copy_[tile.index() + 1]; ++c) {
    Copy const& copy = copies_[c];
    KernelId const kernel = number_of({.operation = Operation::conversion,
                                       .precision = stored.precision,
                                       .to = copy.precision,
                                       .rank = stored.rank});
    int const place = copy.node.valid() ? static_cast<int>(copy.node.value()) : k;
    sink.submit(kernel, priority, {k, m, place}, {{tile, Access::read}, {copy.handle, Access::write}});
  }
}

}  // namespace factosim
