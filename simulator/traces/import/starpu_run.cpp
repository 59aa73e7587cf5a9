#include "simulator/traces/import/starpu_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include "simulator/base/core/plain_names.hpp"
#include "simulator/traces/import/runtime_tasks.hpp"

namespace factosim {

namespace {

constexpr std::size_t max_names = 65'000;

std::uint32_t number_of(std::string_view name, std::vector<std::string>& names,
                        std::unordered_map<std::string, std::uint32_t>& ids, LineReader const& at) {
  auto const [place, is_new] = ids.try_emplace(std::string(name), static_cast<std::uint32_t>(names.size()));
  if (is_new) {
    if (names.size() >= max_names)
      at.fail(
          "is the 65000th different name (names of kernels, states or workers should repeat). Is the right "
          "column read?");
    names.push_back(name_of_line(name));
  }
  return place->second;
}

/// Removes a number from the front of the text and returns it.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t value{};
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool names_gpu(std::string_view worker) {
  std::string lower(worker);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower.find("gpu") != std::string::npos || lower.find("cuda") != std::string::npos ||
         lower.find("hip") != std::string::npos;
}

}  // namespace

std::uint16_t StarpuRun::kernel(LineReader const& at, std::string_view name) {
  if (is_runtime_task(name)) return StarpuTask::no_kernel;
  return static_cast<std::uint16_t>(number_of(name, kernels, kernel_ids_, at));
}
std::uint16_t StarpuRun::state_name(LineReader const& at, std::string_view name) {
  return static_cast<std::uint16_t>(number_of(name, state_names, state_ids_, at));
}
std::uint32_t StarpuRun::resource(LineReader const& at, std::string_view name) {
  std::uint32_t const id = number_of(name, resources, resource_ids_, at);
  if (id == resource_names.size()) resource_names.push_back(resource_name(resources.back()));
  return id;
}

std::uint32_t StarpuRun::worker_resource(LineReader const& at, std::string_view worker,
                                         std::optional<std::uint32_t> node) {
  std::string const name = node ? fmt::format("{}_{}", *node, worker) : std::string(worker);
  std::uint32_t const id = resource(at, name);
  ResourceName& known = resource_names[id];
  if (known.worker.empty()) {
    known.worker = name_of_line(worker);
    known.device = names_gpu(name) ? Trace::Device::gpu : Trace::Device::cpu;
    if (node) known.node = *node;
  }
  return id;
}

ResourceName resource_name(std::string_view text) {
  ResourceName out;
  std::string_view rest = text;
  if (auto const node = take_number(rest); node && take(rest, "_") && *node < max_nodes) {
    out.node = *node;
    out.after_node = rest;
  } else {
    rest = text;
  }
  if (take(rest, "MEMMANAGER")) {
    if (auto const memory = take_number(rest)) out.memory = static_cast<std::int32_t>(*memory);
    return out;
  }
  for (auto const& [prefix, name] :
       {std::pair{"CPU", "cpu"}, {"CUDA", "cuda"}, {"HIP", "hip"}, {"OpenCL", "opencl"}}) {
    if (!take(rest, prefix) && !take(rest, name)) continue;
    auto const id = take_number(rest);
    if (!id) return out;
    out.worker = name + std::to_string(*id);
    out.device = std::string_view(name) == "cpu" ? Trace::Device::cpu : Trace::Device::gpu;
    if (take(rest, "_"))
      if (auto const stream = take_number(rest); stream && *stream > 0)
        out.worker += "_" + std::to_string(*stream);
    return out;
  }
  return out;
}

}  // namespace factosim
