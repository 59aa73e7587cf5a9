#include "simulator/traces/record/shim_library.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <regex>
#include <sstream>
#include <vector>

#include "factosim/error.hpp"
#include "platforms/shipped_files.hpp"
#include "simulator/base/core/content_hash.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/os/atomic_file.hpp"
#include "simulator/base/os/process_pool.hpp"

namespace factosim::record {

namespace fs = std::filesystem;

namespace {

std::string variable(char const* name, std::string const& without) {
  char const* const value = std::getenv(name);
  return value == nullptr || *value == '\0' ? without : value;
}

std::vector<std::string> words_of(std::string const& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

/// The StarPU that a program uses.
struct Starpu {
  std::string version;  // of its interface: "1.3"
  fs::path headers;     // folder with starpu.h
  fs::path libraries;   // folder
};

/// Returns the folder with the headers of a version below one of the folders; empty if there is none.
fs::path headers_below(std::vector<fs::path> const& prefixes, std::string const& version) {
  for (fs::path const& prefix : prefixes)
    if (fs::path folder = prefix / "include/starpu" / version; fs::exists(folder / "starpu.h")) return folder;
  return {};
}

/// Returns what the system's loader says that it would load; nothing if there is a prefix, and it does not know.
std::string libraries_of(fs::path const& program, fs::path const& prefix) {
  FinishedProgram const loader = run_program({"ldd", program.string()}, "");
  if (loader.exit_code != 0 && prefix.empty())
    throw InputError(
        program.string() + "#",
        "is no program with shared libraries (it is static, or a script, so that nothing can be loaded "
        "into it). Link it with shared ones; of a script, name the program that it runs");
  return loader.out;
}

/// Returns the library of OpenMP that a program without StarPU is linked with.
std::string openmp_of(fs::path const& program, std::string const& libraries) {
  std::smatch found;
  if (std::regex_search(libraries, found, std::regex(R"(\blib(gomp|i?omp5?)\.so\S*)"))) return found.str();
  std::string const content = read_input(program);
  if (content.find("GOMP_task") != std::string::npos || content.find("__kmpc_omp_task") != std::string::npos)
    throw InputError(program.string() + "#",
                     "has its own copy of OpenMP's library (it is linked statically, so that nothing can be "
                     "loaded before it). Link it with a shared one");
  throw InputError(
      program.string() + "#",
      "is not linked with StarPU's shared library (libstarpu-1.*.so is not in its ldd), nor with OpenMP's "
      "(libgomp, libomp). Link it with that; if it loads StarPU later, as Python does, say where StarPU is "
      "by --starpu PREFIX");
}

std::regex const starpu_library(R"(libstarpu-([0-9.]+)\.so\S* => (not found|\S+))");

/// Finds StarPU by what the system's loader says.
Starpu starpu_of(fs::path const& program, std::string const& libraries, fs::path const& prefix) {
  std::smatch found;
  std::regex_search(libraries, found, starpu_library);
  if (!found.empty() && found[2] == "not found")
    throw InputError(program.string() + "#",
                     "does not find its StarPU (ldd says: not found). Set LD_LIBRARY_PATH");
  Starpu out{.version = found.empty() ? "" : found[1].str(), .headers = {}, .libraries = prefix / "lib"};
  std::vector<fs::path> prefixes{prefix};
  if (prefix.empty()) {
    out.libraries = fs::canonical(found[2].str()).parent_path();
    for (fs::path folder = out.libraries; folder.has_relative_path(); folder = folder.parent_path())
      prefixes.push_back(folder.parent_path());
  } else if (out.version.empty()) {
    for (char const* version : {"1.5", "1.4", "1.3"})
      if (out.version.empty() && !headers_below(prefixes, version).empty()) out.version = version;
  }
  out.headers = headers_below(prefixes, out.version);
  return out;
}

std::vector<std::string> package_flags(Starpu const& starpu) {
  FinishedProgram const answer =
      run_program({"env",
                   fmt::format("PKG_CONFIG_PATH={}/pkgconfig:{}", starpu.libraries.string(),
                               variable("PKG_CONFIG_PATH", "")),
                   "pkg-config", "--cflags", "starpu-" + starpu.version},
                  "");
  return answer.exit_code == 0 ? words_of(answer.out) : std::vector<std::string>{};
}

/// Returns the folder with the source of the shim, which this program comes with.
fs::path source_folder() {
  for (fs::path const& folder : program_folders())
    for (char const* const place : {"record", "simulator/traces/record"})
      if (fs::exists(folder / place / "starpu_shim.cpp")) return folder / place;
  throw InputError("record#",
                   "the source of the recorder is not where this program is. Install factosim again");
}

/// Returns the file that a command of that name executes; none if there is no such file.
std::optional<fs::path> executable(std::string const& name) {
  std::istringstream path(name.find('/') == std::string::npos ? variable("PATH", "") : "");
  fs::path file = name;
  for (std::string folder; ::access(file.c_str(), X_OK) != 0 || fs::is_directory(file);
       file = fs::path(folder) / name)
    if (!std::getline(path, folder, ':')) return {};
  return file;
}

/// Returns the command of the C++ compiler: what the user says, the system's, or that with which this program was built.
std::vector<std::string> compiler() {
  bool const has_usual = executable("c++") || !executable(FACTOSIM_RECORD_COMPILER);
  return words_of(variable("CXX", has_usual ? "c++" : FACTOSIM_RECORD_COMPILER));
}

/// What a shim is compiled from.
struct ShimSource {
  std::vector<std::string> files, flags{};
  std::string content{};  // of the runtime's configuration
};

ShimSource starpu_shim(fs::path const& program, Starpu const& starpu, bool ranks) {
  ShimSource out{.files = {"events.hpp", "channel.hpp", "shim.hpp", "starpu_shim.cpp", "host_shim.cpp"},
                 .flags = package_flags(starpu)};
  if (ranks) out.files.emplace_back("ranks_shim.cpp");
  if (!starpu.headers.empty()) out.flags.insert(out.flags.begin(), "-I" + starpu.headers.string());
  for (std::string const& flag : words_of(variable("CPPFLAGS", ""))) out.flags.push_back(flag);
  auto const config = std::ranges::find_if(out.flags, [](std::string const& flag) {
    return flag.starts_with("-I") && fs::exists(fs::path(flag.substr(2)) / "starpu_config.h");
  });
  if (config == out.flags.end())
    throw InputError(
        program.string() + "#",
        fmt::format("the headers of its StarPU {} are not found (neither beside the library nor by "
                    "pkg-config). Install them (Debian: libstarpu-dev), or give --starpu PREFIX",
                    starpu.version));
  out.content = read_input(fs::path(config->substr(2)) / "starpu_config.h");
  return out;
}

}  // namespace

fs::path cache_folder() {
  std::string const home = variable("HOME", "");
  fs::path const cache = variable("XDG_CACHE_HOME", home.empty() ? "" : home + "/.cache");
  if (cache.empty())
    throw InputError("XDG_CACHE_HOME#",
                     "is not set, nor is HOME (the recorder is kept there). Set one of them");
  return cache / "factosim";
}

fs::path program_file(std::string const& name) {
  if (auto file = executable(name)) return *std::move(file);
  throw InputError(name + "#", "is no program (it cannot be executed). Check the path");
}

ShimLibrary shim_library(fs::path const& program, fs::path const& prefix, bool ranks) {
  std::string const libraries = libraries_of(program, prefix);
  bool const is_starpu = !prefix.empty() || std::regex_search(libraries, starpu_library);
  ShimLibrary out{.runtime = is_starpu ? "StarPU" : openmp_of(program, libraries)};
  ShimSource const shim = is_starpu ? starpu_shim(program, starpu_of(program, libraries, prefix), ranks)
                                    : ShimSource{.files = {"events.hpp", "channel.hpp", "openmp_tasks.hpp",
                                                           "openmp_gcc_shim.cpp", "openmp_clang_shim.cpp"}};
  fs::path const source = source_folder();
  std::vector<std::string> command = compiler();
  for (char const* option : {"-std=c++17", "-O2", "-w", "-fPIC", "-shared", "-Wl,-z,lazy"})
    command.emplace_back(option);
  command.insert(command.end(), shim.flags.begin(), shim.flags.end());
  std::string content = shim.content;
  for (std::string const& file : shim.files) {
    content += read_input(source / file);
    if (file.ends_with(".cpp")) command.push_back((source / file).string());
  }
  out.hash = content_hash(content);
  fs::path const folder = cache_folder();
  out.file = folder / fmt::format("record-{}.so",
                                  content_hash(out.hash + fmt::format("{}", fmt::join(command, "\n"))));
  if (fs::exists(out.file)) return out;
  make_folder(folder);
  fs::path const unfinished = fmt::format("{}.{}", out.file.string(), ::getpid());
  command.insert(command.end(), {"-o", unfinished.string(), "-ldl"});
  FinishedProgram const compiler = run_program(command, "");
  if (!compiler.started || compiler.exit_code != 0) {
    fs::remove(unfinished);
    std::size_t const error = std::min(compiler.err.find("error:"), compiler.err.size());
    std::string const line = compiler.err.substr(error, compiler.err.find('\n', error) - error);
    throw InputError(
        program.string() + "#",
        fmt::format("the recorder cannot be compiled for its {} ({}: {}). Install a C++ compiler and for "
                    "StarPU the headers that its own include (Debian: opencl-c-headers, libhwloc-dev), or "
                    "name them in CXX and CPPFLAGS",
                    out.runtime, command.front(), compiler.started ? line : "is not found"));
  }
  fs::rename(unfinished, out.file);
  return out;
}

}  // namespace factosim::record
