#pragma once

#include <filesystem>

namespace factosim {

/// Removes what processes of this machine that were killed have left of their files (AtomicFile) in a folder.
void remove_abandoned_files(std::filesystem::path const& folder);

}  // namespace factosim
