#include "simulator/traces/record/function_names.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "simulator/base/os/process_pool.hpp"

namespace factosim::record {

namespace {

/// The function at a place, and its line; empty if unknown.
struct Function {
  std::string name, line;
};

Function function_at(std::string const& place) {
  std::size_t const plus = place.rfind('+');
  std::string const file = place.substr(0, plus),
                    address = fmt::format("{:#x}", std::stoull(place.substr(plus + 1)));
  std::istringstream answer(run_program({"addr2line", "-ifCe", file, address}, "").out);
  Function out;
  for (std::string name, source;
       std::getline(answer, name) && std::getline(answer, source);)  // the last one is not inlined
    out = {name, source.substr(source.rfind(':') + 1)};
  if (out.name.empty() || out.name == "??")
    out.name = fmt::format("{}+{}", std::filesystem::path(file).filename().string(), address);
  if (out.line.find_first_not_of("0123456789") != std::string::npos || out.line == "0") out.line.clear();
  return out;
}

}  // namespace

std::string kernel_name(std::string const& lines) {
  std::istringstream in(lines);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind('+') == std::string::npos) {
      out += (out.empty() ? "" : " ") + line;
      continue;
    }
    Function const function = function_at(line);
    out.resize(std::min(out.size(), out.find(".omp_outlined")));  // of the function that creates the task
    out += out.empty() || function.line.empty() ? function.name : ":" + function.line;
  }
  return out;
}

}  // namespace factosim::record
