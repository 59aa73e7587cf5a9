// In place of tile_kernels.cpp where OpenBLAS, LAPACKE or GSL were not found when the program was built.

#include "simulator/calibration/tile_kernels.hpp"

namespace factosim {

std::vector<std::string> tile_kernel_names() { return {}; }
std::unique_ptr<TileKernel> make_tile_kernel(std::string const&, Precision, int) { return nullptr; }
void use_one_thread_each() {}
bool has_tile_kernels() { return false; }

}  // namespace factosim
