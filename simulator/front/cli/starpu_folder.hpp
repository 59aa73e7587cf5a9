#pragma once

#include <filesystem>

namespace factosim {

/// Returns the folder of StarPU's measurements (with bus/, codelets/ or sampling/) that a path means, which may also be a
/// part of such a folder, a file of it, or a home folder. Throws InputError where several machines have folders below it.
/// Any other path is returned as it is: files may lie in one folder.
[[nodiscard]] std::filesystem::path starpu_folder(std::filesystem::path const& path);

}  // namespace factosim
