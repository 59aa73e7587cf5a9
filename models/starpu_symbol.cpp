#include "models/starpu_symbol.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace factosim {

namespace {

struct KernelData {
  std::string_view name;  // in the symbol
  std::string_view kernel;
  int tiles;
  int reflector_tiles = 0;
  std::string_view also_kernel{};
};

// StarPU examples/lu: names before and since 2022-07-25.
constexpr std::array lu_kernels = {KernelData{"getrf", "getrf", 1},     KernelData{"11", "getrf", 1},
                                   KernelData{"trsm_ll", "trsm_ll", 2}, KernelData{"12", "trsm_ll", 2},
                                   KernelData{"trsm_ru", "trsm_ru", 2}, KernelData{"21", "trsm_ru", 2},
                                   KernelData{"gemm", "gemm", 3},       KernelData{"22", "gemm", 3}};

// StarPU examples/cholesky. Before 2022-07-25 codelet 22 updated the diagonal tiles too; there was no syrk.
constexpr std::array cholesky_kernels = {KernelData{"potrf", "potrf", 1},       KernelData{"11", "potrf", 1},
                                         KernelData{"trsm", "trsm", 2},         KernelData{"21", "trsm", 2},
                                         KernelData{"syrk", "syrk", 2},         KernelData{"gemm", "gemm", 3},
                                         KernelData{"22", "gemm", 3, 0, "syrk"}};

// Chameleon codelets, without their precision letter.
constexpr std::array chameleon_kernels = {
    KernelData{"gemm", "gemm", 3},         KernelData{"trsm", "trsm", 2},
    KernelData{"syrk", "syrk", 2},         KernelData{"potrf", "potrf", 1},
    KernelData{"getrf_nopiv", "getrf", 1}, KernelData{"geqrt", "geqrt", 1, 1},
    KernelData{"ormqr", "ormqr", 2, 1},    KernelData{"tpqrt", "tpqrt", 2, 1},
    KernelData{"tpmqrt", "tpmqrt", 3, 1},  KernelData{"plgsy", "plgsy", 1},
    KernelData{"plrnt", "plrnt", 1},       KernelData{"lacpy", "lacpy", 2},
    KernelData{"laset", "laset", 1}};

/// Rows of the Householder factors of a tile in Chameleon's calibrations (its option --ib) of the three siroccos.
constexpr std::int64_t usual_inner_block = 192;

/// Returns the inner block for which tiles of nb make up that many elements: tiles nb^2 + reflector_tiles ib nb.
std::optional<std::int64_t> inner_block(StarpuSymbol const& symbol, std::int64_t elements, std::int64_t nb) {
  std::int64_t const rest = elements - symbol.tiles * nb * nb, column = symbol.reflector_tiles * nb;
  if (nb <= 0 || (column == 0 ? rest != 0 : rest <= 0 || rest % column != 0 || rest / column > nb)) return {};
  return column == 0 ? 0 : rest / column;
}

/// Returns the elements of a task; 0 if it is no whole number.
std::int64_t elements_of(StarpuSymbol const& symbol, Bytes size) {
  std::int64_t const element = element_bytes(symbol.precision);
  return size.value > 0 && size.value % element == 0 ? size.value / element : 0;
}

/// `rest` is a kernel's name, optionally followed by the name of the BLAS ("_openblas").
template <std::size_t N>
std::optional<StarpuSymbol> find(std::array<KernelData, N> const& table, std::string_view rest,
                                 std::string application, Precision precision) {
  KernelData const* best = nullptr;
  for (KernelData const& data : table) {
    bool const matches =
        rest.starts_with(data.name) && (rest.size() == data.name.size() || rest[data.name.size()] == '_');
    if (matches && (best == nullptr || data.name.size() > best->name.size())) best = &data;
  }
  if (best == nullptr) return std::nullopt;
  return StarpuSymbol{.kernel = std::string(best->kernel),
                      .application = std::move(application),
                      .precision = precision,
                      .tiles = best->tiles,
                      .reflector_tiles = best->reflector_tiles,
                      .also_kernel = std::string(best->also_kernel)};
}

std::optional<std::string_view> after(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) ? std::optional(text.substr(prefix.size())) : std::nullopt;
}

std::uint32_t crc32c(std::uint32_t input, std::uint32_t crc) {
  constexpr std::uint32_t polynomial = 0x1EDC6F41;
  for (int byte = 0; byte < 4; ++byte) {  // least significant byte first on every machine
    crc ^= ((input >> (8 * byte)) & 0xffU) << 24U;
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1U) ^ ((crc & 0x80000000U) != 0 ? polynomial : 0U);
  }
  return crc;
}

}  // namespace

std::optional<StarpuSymbol> parse_starpu_symbol(std::string_view symbol) {
  if (symbol == "dcmg")  // ExaGeoStat: generation of a tile of the Matern covariance matrix
    return StarpuSymbol{.kernel = "dcmg", .application = "", .precision = Precision::double_, .tiles = 1};
  if (auto rest = after(symbol, "chol_model_"))
    return find(cholesky_kernels, *rest, "cholesky", Precision::single_);
  for (auto const& [letter, precision] :
       {std::pair{'d', Precision::double_}, std::pair{'s', Precision::single_},
        std::pair{'h', Precision::half}}) {
    for (char const* const prefix : {"starpu_", "starpu_p"})  // single node; over MPI
      if (auto rest = after(symbol, std::string(prefix) + letter + "lu_lu_model_"))
        return find(lu_kernels, *rest, "lu", precision);
    if (symbol == std::string("starpu_") + letter + "gemm_gemm")
      return StarpuSymbol{
          .kernel = "gemm", .application = "gemm", .precision = precision, .tiles = 3, .any_shape = true};
    if (!symbol.starts_with(letter)) continue;
    auto found = find(chameleon_kernels, symbol.substr(1), "", precision);
    if (found) return found;
  }
  return std::nullopt;
}

void TileSizes::add(StarpuSymbol const& symbol, Bytes size) {
  if (std::int64_t const elements = elements_of(symbol, size); symbol.reflector_tiles > 0 && elements > 0)
    sizes_[symbol.precision].emplace(symbol.tiles, elements);
}

std::optional<int> TileSizes::of(StarpuSymbol const& symbol, Bytes size) const {
  std::int64_t const elements = elements_of(symbol, size);
  std::map<std::int64_t, std::set<int>> reasons;  // by tile size: tiles of other kernels; 0: usual block
  double const half = 0.5 * static_cast<double>(symbol.reflector_tiles * usual_inner_block) / symbol.tiles;
  std::int64_t const usual =
      std::llround(std::sqrt(half * half + static_cast<double>(elements) / symbol.tiles) - half);
  if (auto const ib = inner_block(symbol, elements, usual); ib && (*ib == 0 || *ib == usual_inner_block))
    reasons[usual].insert(0);
  if (auto const known = sizes_.find(symbol.precision); symbol.reflector_tiles > 0 && known != sizes_.end())
    for (auto const& [tiles, other] : known->second) {
      if (tiles == symbol.tiles) continue;
      std::int64_t const square = (other - elements) / (tiles - symbol.tiles);
      std::int64_t const nb = std::llround(std::sqrt(std::max(0.0, static_cast<double>(square))));
      if (nb * nb * (tiles - symbol.tiles) == other - elements && inner_block(symbol, elements, nb))
        reasons[nb].insert(tiles);
    }
  auto const count = [](auto const& reason) { return reason.second.size(); };
  auto const best = std::ranges::max_element(reasons, {}, count);
  if (best == reasons.end() || std::ranges::count(reasons, best->second.size(), count) > 1) return {};
  return static_cast<int>(best->first);
}

std::uint32_t square_footprint(int tiles, int nb) {
  auto const side = static_cast<std::uint32_t>(nb);
  std::uint32_t const tile = crc32c(crc32c(side, side), 0);
  std::uint32_t footprint = 0;
  for (int i = 0; i < tiles; ++i) footprint = crc32c(tile, footprint);
  return footprint;
}

}  // namespace factosim
