#pragma once

#include <string_view>

#include "models/applications/application.hpp"

namespace factosim {

/// Tasks of an application's graph, by a closed form; where owners decide (qr with the tree "nodes", geadd of
/// exageostat), the most there can be. With N = nt: N (N+1) (2N+1) / 6 of lu and of qr with the flat tree,
/// N (N+1) (4N-1) / 6 with the binary one; N (N+1) (N+2) / 6 of cholesky; N^3 + 2 N^2 of gemm. A real number:
/// it may be more than any integer that a graph counts with. Throws std::out_of_range for other names.
[[nodiscard]] double max_tasks(std::string_view application, ApplicationParameters const& parameters);

}  // namespace factosim
