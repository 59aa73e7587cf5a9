#include "platforms/power_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platforms/platform_limits.hpp"

namespace factosim {

namespace {

Key watts(char const* name, char const* meaning) {
  return {.name = name, .value = {rule::non_negative("W")}, .meaning = meaning, .default_value = 0};
}

ObjectKeys const& kernel_power_table() {
  auto const of_others = [](char const* name, char const* meaning) {
    return Key{.name = name,
               .value = {rule::non_negative("W")},
               .meaning = meaning,
               .default_text = "that of other kernels"};
  };
  static ObjectKeys const table{.title = "power of a kernel",
                                .meaning = "Power of one kernel, above idle.",
                                .keys = {of_others("core_W", "a core that runs it"),
                                         of_others("gpu_W", "a GPU that runs it, without a cap")}};
  return table;
}

ObjectKeys const& capped_speed_table() {
  static ObjectKeys const table{
      .title = "capped speed",
      .meaning = "How fast a GPU is under a power cap.",
      .keys = {{.name = "cap_W",
                .value = {rule::positive("W")},
                .meaning = "cap of the whole GPU, idle power included",
                .required = true},
               {.name = "speed",
                .value = {rule::number(1e-6, 1)},
                .meaning = "speed of the kernels that draw most, over that without a cap",
                .required = true}}};
  return table;
}

ValueRules power_rules() { return {rule::object(power_table)}; }

/// Reads the power of one kernel. `others`: of other kernels on such a worker.
double own_power(JsonReader const& json, double others) {
  if (others == 0)
    json.fail(
        "is given for one kernel (other kernels would draw nothing). Give it for all beside \"kernels\", "
        "too");
  return json.quantity();
}

/// Reads the speeds under caps, which end with the power that the hungriest kernel draws without a cap.
void read_gpu_speeds(PowerSpec& power, JsonReader const& json) {
  for (JsonReader const& entry : json.elements()) {
    PowerSpec::CappedSpeed const point{entry.at("cap_W", "the cap").quantity(),
                                       entry.at("speed", "over that without a cap").quantity()};
    entry.finish();
    if (!power.gpu_speeds.empty() &&
        (point.cap <= power.gpu_speeds.back().cap || point.speed < power.gpu_speeds.back().speed))
      entry.fail(
          "does not follow the point before (caps rise, and speeds do not fall with them). Sort the points "
          "by \"cap_W\"");
    power.gpu_speeds.push_back(point);
  }
  if (power.gpu_speeds.empty())
    json.fail("is empty (the speed under a cap follows from it). Give one point at least, or no such key");
  if (double const least = power.gpu_speeds.front().cap; least <= power.gpu_idle)
    json.fail(
        fmt::format("begin at {} W (a GPU that runs nothing draws {} W, \"gpu_idle_W\"). Begin above that",
                    least, power.gpu_idle));
  if (power.gpu_speeds.back().speed != 1)
    json.fail(
        fmt::format("end with a speed of {} (the last cap is what the GPU draws without one). Add that point "
                    "with \"speed\": 1",
                    power.gpu_speeds.back().speed));
  double most = power.gpu;
  for (auto const& [name, own] : power.kernels) most = std::max(most, own.gpu.value_or(0));
  if (double const largest = power.gpu_speeds.back().cap; power.gpu_idle + most > largest)
    json.fail(
        fmt::format("end at {} W (a kernel draws {} W without a cap, {} of them idle). Give the last point "
                    "that \"cap_W\", or less power",
                    largest, power.gpu_idle + most, power.gpu_idle));
}

}  // namespace

ObjectKeys const& power_table() {
  static ObjectKeys const table{
      .title = "power",
      .meaning = "Power of a node, for results and for policies that weigh energy.",
      .keys = {watts("core_W", "a core that runs a kernel, above idle"),
               watts("gpu_W", "a GPU that runs a kernel without a cap, above idle"),
               watts("idle_W", "the whole node while it is on"),
               watts("off_W", "the whole node once it is powered off, at most `idle_W`"),
               watts("gpu_idle_W", "the part of `idle_W` that one GPU draws, for caps"),
               {.name = "kernels",
                .value = {rule::map({rule::object(kernel_power_table)})},
                .meaning = "by name of the kernel: where its power differs",
                .default_text = "none"},
               {.name = "gpu_speeds",
                .value = {rule::array({rule::object(capped_speed_table)}, 1)},
                .meaning = "speeds under caps, the smallest cap first, linear between; the last one is the "
                           "power without a cap, at speed 1",
                .default_text = "none: caps are refused"}}};
  return table;
}

ValueRules gpu_caps_rules() { return {rule::positive("W"), rule::array({rule::positive("W")}, 1, max_gpus)}; }

Key gpu_caps_key() {
  return {.name = "gpu_caps_W",
          .value = gpu_caps_rules(),
          .meaning = "power cap of each GPU, or one for all; needs `gpu_speeds` in `power`",
          .default_text = "none"};
}

PowerSpec read_power(JsonReader const& given) {
  JsonReader const json = given.by(power_rules);
  PowerSpec power;
  if (auto const core = json.find("core_W")) power.core = core->quantity();
  if (auto const gpu = json.find("gpu_W")) power.gpu = gpu->quantity();
  if (auto const idle = json.find("idle_W")) power.idle = idle->quantity();
  if (auto const off = json.find("off_W")) {
    power.off = off->quantity();
    if (power.off > power.idle)
      off->fail(fmt::format(
          "is above \"idle_W\" ({}) (powering off would cost energy). Give \"idle_W\", or less", power.idle));
  }
  if (auto const gpu = json.find("gpu_idle_W")) {
    power.gpu_idle = gpu->quantity();
    if (power.gpu_idle > power.idle)
      gpu->fail(fmt::format("is above \"idle_W\" ({}) (it is a part of it). Give less", power.idle));
  }
  if (auto const kernels = json.find("kernels"))
    for (auto const& [name, entry] : kernels->members()) {
      PowerSpec::OfKernel& own = power.kernels[name];
      if (auto const core = entry.find("core_W")) own.core = own_power(*core, power.core);
      if (auto const gpu = entry.find("gpu_W")) own.gpu = own_power(*gpu, power.gpu);
      entry.finish();
    }
  if (auto const speeds = json.find("gpu_speeds")) read_gpu_speeds(power, *speeds);
  json.finish();
  return power;
}

void read_gpu_caps(NodeType& type, JsonReader const& given) {
  JsonReader const json = given.by(gpu_caps_rules);
  type.gpu_caps.clear();
  if (type.gpus.empty())
    json.fail(fmt::format("caps the GPUs of \"{}\" (it has none). Remove it", type.name));
  if (!json.value().is_array()) {
    type.gpu_caps.assign(type.gpus.size(), json.quantity());
    return;
  }
  for (JsonReader const& entry : json.elements()) type.gpu_caps.push_back(entry.quantity());
  if (type.gpu_caps.size() != type.gpus.size())
    json.fail(fmt::format("has {} caps (\"{}\" has {} GPUs). Give one for each, or one number",
                          type.gpu_caps.size(), type.name, type.gpus.size()));
}

void check_gpu_caps(NodeType const& type, JsonReader const& json) {
  if (type.gpu_caps.empty()) return;
  auto const& speeds = type.power.gpu_speeds;
  if (speeds.empty())
    json.fail(
        fmt::format("caps the GPUs of \"{}\" (its \"power\" has no \"gpu_speeds\": how fast they are under "
                    "a cap is not known). Give these, or remove it",
                    type.name));
  double const least = *std::ranges::min_element(type.gpu_caps);
  if (least < speeds.front().cap)
    json.fail(fmt::format(
        "caps GPUs of \"{}\" at {} W (their \"gpu_speeds\" begin at {} W: slower ones are not known). Give "
        "at least that",
        type.name, least, speeds.front().cap));
}

}  // namespace factosim
