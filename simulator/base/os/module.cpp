#include "simulator/base/os/module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdlib>
#include <new>
#include <optional>
#include <string>

#include "factosim/error.hpp"

#define FACTOSIM_TEXT_OF(name) #name
#define FACTOSIM_NAME_OF(name) FACTOSIM_TEXT_OF(name)

namespace factosim {

namespace {

[[noreturn]] void refuse(Module const& module, std::string const& why) {
  if (why.find("failed to map segment") != std::string::npos ||
      why.find("annot allocate") != std::string::npos)
    throw InputError(module.file,
                     fmt::format("cannot be loaded ({}; probably the memory is exhausted). Raise the limit, "
                                 "such as ulimit -v, or use a machine with more memory; {} needs it",
                                 why, module.feature));
  throw InputError(module.file, fmt::format("cannot be loaded ({}). Install {} and build factosim again, or "
                                            "repair the installation; {} needs it",
                                            why, module.packages, module.feature));
}

/// Sets a variable of the environment while it lives.
class Variable {
 public:
  Variable(char const* name, char const* value) : name_(name) {
    if (char const* const before = std::getenv(name)) before_ = before;
    ::setenv(name, value, 1);
  }
  ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  Variable(Variable const&) = delete;
  Variable& operator=(Variable const&) = delete;

 private:
  char const* name_;
  std::optional<std::string> before_;
};

/// OpenBLAS maps a buffer of 128 MiB for each thread at the first operation of a matrix, and tries again for ever if
/// that fails. Throws std::bad_alloc if the address space has no room for these buffers; otherwise makes the library
/// map the first one, which it keeps.
void make_buffers_of_blas(void* library, int threads) {
  constexpr std::size_t buffer = std::size_t{144} << 20U;  // with what else the library takes
  std::size_t const all = buffer * static_cast<std::size_t>(threads);
  void* const room =
      ::mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();
  ::munmap(room, all);
  using Syrk = void(char const*, char const*, int const*, int const*, double const*, double const*,
                    int const*, double const*, double*, int const*);
  auto* const syrk = reinterpret_cast<Syrk*>(dlsym(library, "dsyrk_"));
  if (syrk == nullptr) return;  // another BLAS, with other names
  int const one = 1;
  double const x = 1;
  double c = 0;
  syrk("L", "N", &one, &one, &x, &x, &one, &x, &c, &one);
}

/// Returns whether the address space has room for a module. Loading takes 44 to 64 MB (all modules but that for GPUs, which
/// has no initializers of its own); with less, initializers of some libraries, such as ns-3's that come with SimGrid,
/// end the program.
bool has_room() {
  constexpr std::size_t room = std::size_t{64} << 20U;
  void* const free = ::mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (free == MAP_FAILED) return false;
  ::munmap(free, room);
  return true;
}

}  // namespace

void* find_module(Module const& module) {
  if (!has_room()) refuse(module, "cannot allocate memory");
  Variable const threads("OPENBLAS_NUM_THREADS", "1");  // read while it is loaded
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
  if (module.blas_threads > 0) make_buffers_of_blas(library, module.blas_threads);
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
