#include "simulator/base/os/output_files.hpp"

#include <fmt/format.h>

#include <system_error>

#include "factosim/error.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/os/atomic_file.hpp"

namespace factosim {

void refuse_existing(std::filesystem::path const& path, bool force) {
  std::error_code ignored;  // a path that cannot exist is refused when it is written
  if (!force && path != standard_stream && std::filesystem::exists(path, ignored))
    throw InputError(path.string() + "#",
                     "exists already (it would be overwritten). Choose another name, or give --force");
}

void refuse_to_overwrite(std::filesystem::path const& file, bool force) {
  require_replaceable(file);
  refuse_existing(file, force);
}

void make_folder(std::filesystem::path const& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw InputError(folder.string() + "#",
                     fmt::format("cannot be created ({}). Give a folder you may write to", error.message()));
}

void make_folder_of(std::filesystem::path const& file) {
  if (file.has_parent_path()) make_folder(file.parent_path());
}

}  // namespace factosim
