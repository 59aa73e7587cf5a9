#include "models/starpu_symbol.hpp"

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

/// Rows of the Householder factors of a tile in Chameleon's calibrations (its option --ib): the sizes of the
/// geqrt, ormqr, tpqrt and tpmqrt histories of the three siroccos are n nb^2 + 192 nb elements.
constexpr std::int64_t inner_block = 192;

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

std::optional<int> tile_size(StarpuSymbol const& symbol, Bytes size) {
  std::int64_t const element = element_bytes(symbol.precision);
  if (size.value <= 0 || size.value % element != 0) return std::nullopt;
  std::int64_t const elements = size.value / element;
  // tiles nb^2 + reflector_tiles ib nb = elements
  double const half = 0.5 * static_cast<double>(symbol.reflector_tiles * inner_block) / symbol.tiles;
  double const root = std::sqrt(half * half + static_cast<double>(elements) / symbol.tiles) - half;
  std::int64_t const nb = std::llround(root);
  bool const exact = nb > 0 && symbol.tiles * nb * nb + symbol.reflector_tiles * inner_block * nb == elements;
  return exact ? std::optional(static_cast<int>(nb)) : std::nullopt;
}

std::uint32_t square_footprint(int tiles, int nb) {
  auto const side = static_cast<std::uint32_t>(nb);
  std::uint32_t const tile = crc32c(crc32c(side, side), 0);
  std::uint32_t footprint = 0;
  for (int i = 0; i < tiles; ++i) footprint = crc32c(tile, footprint);
  return footprint;
}

}  // namespace factosim
