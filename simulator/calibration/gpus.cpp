#include "simulator/calibration/gpus.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

namespace factosim {

std::unique_ptr<Gpus> find_gpus() {
  namespace fs = std::filesystem;
  fs::path const program = fs::read_symlink("/proc/self/exe").parent_path();
  for (fs::path const& folder : {program, program / FACTOSIM_MODULE_FOLDER}) {
    fs::path const module = folder / gpu_module;
    if (!fs::exists(module)) continue;
    void* const handle = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr)
      throw std::runtime_error(fmt::format("{} cannot be loaded ({})", module.string(), dlerror()));
    auto* const make = reinterpret_cast<GpuModuleEntry>(dlsym(handle, gpu_module_entry));
    if (make == nullptr)
      throw std::runtime_error(fmt::format("{} is no module of factosim ({})", module.string(), dlerror()));
    return std::unique_ptr<Gpus>(make());
  }
  return nullptr;
}

}  // namespace factosim
