#pragma once

#include <filesystem>

namespace factosim {

/// Removes the unfinished files (AtomicFile) that killed processes of this machine left in a folder.
void remove_abandoned_files(std::filesystem::path const& folder);

}  // namespace factosim
