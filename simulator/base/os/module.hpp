#pragma once

namespace factosim {

/// A part of the program that needs large libraries: a shared library of its own, loaded on first use.
struct Module {
  char const* file;      // "factosim_simgrid.so"
  char const* feature;   // needs the module, for the message if it is missing
  char const* packages;  // to build the module with
  int blas_threads = 0;  // threads of this program that call its BLAS at the same time
};

/// Returns the object that a module offers: null if the module is not installed, or offers nothing on this
/// machine. The system's loader searches the file along the run path of the program: the build folder, or
/// `lib/factosim` of the installation. Modules stay loaded. A BLAS that comes with it has no threads of its own: they
/// would make results depend on the number of cores, and keep the process alive when memory is exhausted. Throws
/// InputError if the module, or a library that it needs, cannot be loaded, and std::bad_alloc if its BLAS would find no
/// memory to work in.
[[nodiscard]] void* find_module(Module const& module);

/// As `find_module`; also throws InputError if there is no such object.
[[nodiscard]] void* load_module(Module const& module);

}  // namespace factosim

/// Defines what a module offers: one object of `Class`, seen as `Interface`, made on first use.
#define FACTOSIM_OFFER_MODULE(Interface, Class)                               \
  extern "C" [[gnu::visibility("default")]] void* FACTOSIM_MODULE_ENTRY() {   \
    static auto* const object = new Class; /* lives until the process ends */ \
    return static_cast<Interface*>(object);                                   \
  }
