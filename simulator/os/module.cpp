#include "simulator/os/module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

#include "factosim/error.hpp"

#define FACTOSIM_TEXT_OF(name) #name
#define FACTOSIM_NAME_OF(name) FACTOSIM_TEXT_OF(name)

namespace factosim {

namespace {

[[noreturn]] void refuse(Module const& module, std::string const& why) {
  throw InputError(module.file, fmt::format("cannot be loaded ({}). Install {} and build factosim again, or "
                                            "repair the installation; {} needs it",
                                            why, module.packages, module.feature));
}

}  // namespace

void* find_module(Module const& module) {
  // Lazily: the functions of SimGrid are bound when they are called, which halves the time of loading.
  void* const library = dlopen(module.file, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    std::string const why = dlerror();
    // The loader names the file without a folder if it is on no path.
    if (why.starts_with(std::string(module.file) + ":")) return nullptr;
    refuse(module, why);
  }
  void* const entry = dlsym(library, FACTOSIM_NAME_OF(FACTOSIM_MODULE_ENTRY));
  if (entry == nullptr) refuse(module, "it is of another version of factosim");
  return reinterpret_cast<void* (*)()>(entry)();
}

void* load_module(Module const& module) {
  void* const object = find_module(module);
  if (object == nullptr)
    throw InputError(module.file,
                     fmt::format("is not installed ({} needs it). Install {} and build factosim again",
                                 module.feature, module.packages));
  return object;
}

}  // namespace factosim
