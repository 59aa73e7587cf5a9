#include "platforms/platform_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "platforms/platform_limits.hpp"

namespace factosim {

namespace {

/// Returns the field of a power that is 0 unless it is stated.
template <auto member>
auto watts(char const* name, char const* meaning, FieldRules<PowerSpec> rules = {}) {
  return field<member>(stated_key(name, {rule::non_negative("W")}, meaning, {.default_value = 0}),
                       std::move(rules));
}

/// Throws InputError unless the part of the power of a node that is on is at most that.
void check_off(JsonReader const& json, PowerSpec const& power) {
  if (power.off > power.idle)
    json.fail(fmt::format(
        "is above \"idle_W\" ({}) (powering off would cost energy). Give \"idle_W\", or less", power.idle));
}
void check_gpu_idle(JsonReader const& json, PowerSpec const& power) {
  if (power.gpu_idle > power.idle)
    json.fail(fmt::format("is above \"idle_W\" ({}) (it is a part of it). Give less", power.idle));
}

void read_kernel_powers(JsonReader const& json, PowerSpec& power) {
  for (auto const& [name, entry] : json.members()) {
    auto const& own = power.kernels[name] = read_object<PowerSpec::OfKernel>(entry);
    for (auto const& [key, given, others] :
         {std::tuple("core_W", own.core, power.core), std::tuple("gpu_W", own.gpu, power.gpu)})
      if (given && others == 0)
        entry.at(key).fail(
            "is given for one kernel (other kernels would draw nothing). Give it for all beside \"kernels\", "
            "too");
  }
}

nlohmann::ordered_json written_kernel_powers(PowerSpec const& power) {
  nlohmann::ordered_json out;
  for (auto const& [name, own] : power.kernels) out[name] = written(own);
  return out;
}

/// Checks the speeds under caps, which end with the power that the hungriest kernel draws without a cap.
void check_gpu_speeds(JsonReader const& json, PowerSpec const& power) {
  for (std::size_t i = 1; i < power.gpu_speeds.size(); ++i) {
    PowerSpec::CappedSpeed const &point = power.gpu_speeds[i], &before = power.gpu_speeds[i - 1];
    if (point.cap <= before.cap || point.speed < before.speed)
      json.elements()[i].fail(
          "does not follow the point before (caps rise, and speeds do not fall with them). Sort the points "
          "by \"cap_W\"");
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

Object<PowerSpec::OfKernel> const& object_of(PowerSpec::OfKernel const* /*any*/) {
  using O = PowerSpec::OfKernel;
  std::string const otherwise = "that of other kernels";
  static Object<O> const object(
      "power of a kernel", "Power of one kernel, above idle.",
      {field<&O::core>("core_W", {rule::non_negative("W")}, "a core that runs it",
                       {.default_text = otherwise}),
       field<&O::gpu>("gpu_W", {rule::non_negative("W")}, "a GPU that runs it, without a cap",
                      {.default_text = otherwise})});
  return object;
}

Object<PowerSpec::CappedSpeed> const& object_of(PowerSpec::CappedSpeed const* /*any*/) {
  using O = PowerSpec::CappedSpeed;
  static Object<O> const object(
      "capped speed", "How fast a GPU is under a power cap.",
      {field<&O::cap>("cap_W", {rule::positive("W")}, "cap of the whole GPU, idle power included",
                      {.missing = "the cap"}),
       field<&O::speed>("speed", {rule::number(1e-6, 1)},
                        "speed of the kernels that draw most, over that without a cap",
                        {.missing = "over that without a cap"})});
  return object;
}

Object<PowerSpec> const& object_of(PowerSpec const* /*any*/) {
  using O = PowerSpec;
  static Object<O> const object(
      "power", "Power of a node, for results and for policies that weigh energy.",
      {watts<&O::core>("core_W", "a core that runs a kernel, above idle"),
       watts<&O::gpu>("gpu_W", "a GPU that runs a kernel without a cap, above idle"),
       watts<&O::idle>("idle_W", "the whole node while it is on"),
       watts<&O::off>("off_W", "the whole node once it is powered off, at most `idle_W`",
                      {.check = check_off}),
       watts<&O::gpu_idle>("gpu_idle_W", "the part of `idle_W` that one GPU draws, for caps",
                           {.applies = [](O const& o) { return o.gpu_idle > 0; }, .check = check_gpu_idle}),
       field<O>("kernels", {rule::map(rules_of<O::OfKernel>())},
                "by name of the kernel: where its power differs",
                {.default_text = "none", .read = read_kernel_powers, .write = written_kernel_powers}),
       field<&O::gpu_speeds>("gpu_speeds", {rule::array(rules_of<O::CappedSpeed>(), 1)},
                             "speeds under caps, the smallest cap first, linear between; the last one is the "
                             "power without a cap, at speed 1",
                             {.default_text = "none: caps are refused",
                              .applies = [](O const& o) { return !o.gpu_speeds.empty(); },
                              .check = check_gpu_speeds})});
  return object;
}

ValueRules gpu_caps_rules() { return {rule::positive("W"), rule::array({rule::positive("W")}, 1, max_gpus)}; }

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
        fmt::format("caps the GPUs of \"{}\" (its \"power\" has no \"gpu_speeds\": how fast they are under a "
                    "cap is not known). Give these, or remove it",
                    type.name));
  double const least = *std::ranges::min_element(type.gpu_caps);
  if (least < speeds.front().cap)
    json.fail(
        fmt::format("caps GPUs of \"{}\" at {} W (their \"gpu_speeds\" begin at {} W: slower ones are not "
                    "known). Give at least that",
                    type.name, least, speeds.front().cap));
}

}  // namespace factosim
