#include "models/applications/cholesky_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace factosim {

namespace {

using Variant = FormattedCholesky::Variant;
using Operation = Variant::Operation;
using Shape = Variant::Shape;

/// Returns the precision in which a triangular solve reads the triangle, for a tile stored in that precision.
Precision triangle_precision(Precision stored) {
  return stored == Precision::double_ ? Precision::double_ : Precision::single_;
}

Variant potrf_variant(TileFormats const& f, int k) {
  return {.operation = Operation::potrf, .precision = f.of(k, k).precision};
}

Variant trsm_variant(TileFormats const& f, int m, int k) {
  TileFormat const written = f.of(m, k);
  return {.operation = Operation::trsm,
          .precision = written.precision,
          .shape = written.rank > 0 ? Shape::low : Shape::full,
          .rank = written.rank};
}

Variant syrk_variant(TileFormats const& f, int n, int k) {
  int const rank = f.of(n, k).rank;
  return {.operation = Operation::syrk,
          .precision = f.of(n, n).precision,
          .shape = rank > 0 ? Shape::low_factors : Shape::full,
          .rank = rank};
}

Variant gemm_variant(TileFormats const& f, int m, int n, int k) {
  TileFormat const written = f.of(m, n);
  int const a = f.of(m, k).rank, b = f.of(n, k).rank;
  int const low_factors = (a > 0 ? 1 : 0) + (b > 0 ? 1 : 0);
  constexpr Shape of_full[] = {Shape::full, Shape::low_factor, Shape::low_factors};
  constexpr Shape of_low[] = {Shape::full_factors, Shape::full_factor, Shape::low};
  return {.operation = Operation::gemm,
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
    out.insert(potrf_variant(f, k));
    for (int m = k + 1; m < nt; ++m) {
      out.insert(trsm_variant(f, m, k));
      out.insert(syrk_variant(f, m, k));
      for (int n = k + 1; n < m; ++n) out.insert(gemm_variant(f, m, n, k));
    }
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

/// Returns the number of a variant that is one of the plain kernels: potrf, trsm, syrk, gemm; otherwise -1.
int plain_kernel(Variant const& v, Precision precision) {
  bool const plain =
      v.operation != Operation::conversion && v.precision == precision && v.shape == Shape::full;
  return plain ? static_cast<int>(v.operation) : -1;
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
    if (plain_kernel(v, p.precision) < 0) out.push_back(kernel_of(v, p));
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
    if (plain_kernel(variants_[v], p_.precision) < 0)
      numbers_[v] = sink.add_kernel(kernel_of(variants_[v], p_));
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

HandleId FormattedCholesky::operand(int m, int k, Precision precision, NodeId reader) const {
  HandleId const tile = lower_tile(m, k);
  if (formats_.of(m, k).precision == precision) return tile;
  HandleId of_owner;
  for (std::uint32_t c = first_copy_[tile.index()]; c < first_copy_[tile.index() + 1]; ++c) {
    if (copies_[c].precision != precision) continue;
    if (copies_[c].node == reader) return copies_[c].handle;
    if (!copies_[c].node.valid()) of_owner = copies_[c].handle;
  }
  return of_owner;
}

KernelId FormattedCholesky::kernel(CholeskySubmission const& s, Variant const& variant) const {
  KernelId const plain[] = {s.kernels.potrf, s.kernels.trsm, s.kernels.syrk, s.kernels.gemm};
  if (int const number = plain_kernel(variant, p_.precision); number >= 0) return plain[number];
  auto const place = std::lower_bound(variants_.begin(), variants_.end(), variant);
  return numbers_[static_cast<std::size_t>(place - variants_.begin())];
}

void FormattedCholesky::submit_conversions(FlowSink& sink, CholeskySubmission const& s, int priority, int m,
                                           int k) const {
  HandleId const tile = lower_tile(m, k);
  TileFormat const stored = formats_.of(m, k);
  for (std::uint32_t c = first_copy_[tile.index()]; c < first_copy_[tile.index() + 1]; ++c) {
    Copy const& copy = copies_[c];
    Variant const variant{.operation = Operation::conversion,
                          .precision = stored.precision,
                          .to = copy.precision,
                          .rank = stored.rank};
    int const place = copy.node.valid() ? static_cast<int>(copy.node.value()) : k;
    sink.submit(kernel(s, variant), priority, {k, m, place},
                {{tile, Access::read}, {copy.handle, Access::write}});
  }
}

void FormattedCholesky::submit_step(FlowSink& sink, CholeskySubmission const& s, int k) const {
  auto const submit = [&](Variant const& variant, TaskIndices const& task,
                          std::initializer_list<DataAccess> accesses) {
    sink.submit(kernel(s, variant), s.priority(s.nt, task), task, accesses);
  };
  auto const reads = [&](int m, Precision precision, int row, int column) {
    return DataAccess{operand(m, k, precision, node_of(k, row, column)), Access::read};
  };
  auto const finish = [&](int m) {  // the tile has its last value
    if (!s.uses_tiles_again) sink.last_write(lower_tile(m, k));
    submit_conversions(sink, s, s.priority(s.nt, {k, m, k}), m, k);
  };
  submit(potrf_variant(formats_, k), {k, k, k}, {{lower_tile(k, k), Access::read_write}});
  finish(k);
  for (int m = k + 1; m < s.nt; ++m) {
    Variant const trsm = trsm_variant(formats_, m, k);
    submit(trsm, {k, m, k},
           {reads(k, triangle_precision(trsm.precision), m, k), {lower_tile(m, k), Access::read_write}});
    finish(m);
  }
  sink.wont_use(lower_tile(k, k));
  for (int n = k + 1; n < s.nt; ++n) {
    Variant const syrk = syrk_variant(formats_, n, k);
    submit(syrk, {k, n, n}, {reads(n, syrk.precision, n, n), {lower_tile(n, n), Access::read_write}});
    for (int m = n + 1; m < s.nt; ++m) {
      Variant const gemm = gemm_variant(formats_, m, n, k);
      submit(gemm, {k, m, n},
             {reads(m, gemm.precision, m, n),
              reads(n, gemm.precision, m, n),
              {lower_tile(m, n), Access::read_write}});
    }
    sink.wont_use(lower_tile(n, k));
  }
  if (!s.uses_tiles_again)
    for (int m = k; m < s.nt; ++m) sink.last_use(lower_tile(m, k));
}

}  // namespace factosim
