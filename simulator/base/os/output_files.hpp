#pragma once

#include <filesystem>

namespace factosim {

/// Throws InputError if `path` exists, without `force`; standard output ("-") never does.
void refuse_existing(std::filesystem::path const& path, bool force);

/// Throws InputError if `file` exists and may not be replaced: without `force`, or if it is no regular file, or an
/// input of this process.
void refuse_to_overwrite(std::filesystem::path const& file, bool force);

/// Creates a folder for results; call it after all checks of the input. Throws InputError.
void make_folder(std::filesystem::path const& folder);

/// Creates the folder of a file to write, if it is missing. Throws InputError.
void make_folder_of(std::filesystem::path const& file);

}  // namespace factosim
