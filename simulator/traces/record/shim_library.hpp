#pragma once

#include <filesystem>
#include <string>

namespace factosim::record {

/// The library that is loaded into a program to record it.
struct ShimLibrary {
  std::string runtime;  // "StarPU", or the name of OpenMP's library
  std::filesystem::path file{};
  std::string hash{};  // of its source and of the configuration of StarPU
  [[nodiscard]] bool of_starpu() const { return runtime == "StarPU"; }
};

/// Returns the shim for the StarPU that a program is linked with, else for its OpenMP, compiled by the user's compiler (CXX,
/// else c++) on first use and kept in the user's cache folder. `prefix`: where StarPU is installed; empty: where the program's
/// library is. `ranks`: whether it stands for all ranks of StarPU-MPI. Throws InputError if the program has neither as a
/// shared library, or the shim cannot be compiled.
[[nodiscard]] ShimLibrary shim_library(std::filesystem::path const& program,
                                       std::filesystem::path const& prefix, bool ranks);

/// Returns the file of a program that is found on the PATH unless its name has a slash. Throws InputError.
[[nodiscard]] std::filesystem::path program_file(std::string const& name);

/// Returns the folder of factosim in the user's cache (XDG_CACHE_HOME, else ~/.cache). Throws InputError without either.
[[nodiscard]] std::filesystem::path cache_folder();

}  // namespace factosim::record
