#include "models/hpl_costs.hpp"

#include "simulator/base/core/json_reader.hpp"

namespace factosim {

namespace {

double optional_number(JsonReader const& json, char const* key) {
  auto const value = json.find(key);
  return value ? value->non_negative() : 0.0;
}

HplMachineCosts::Gemm read_gemm(JsonReader const& json) {
  HplMachineCosts::Gemm out{.call = optional_number(json, "call_s"),
                            .mnk = json.at("mnk_s", "seconds per m n k").positive(),
                            .mn = optional_number(json, "mn_s"),
                            .mk = optional_number(json, "mk_s"),
                            .nk = optional_number(json, "nk_s")};
  json.finish();
  return out;
}

HplMachineCosts::Trsm read_trsm(JsonReader const& json) {
  HplMachineCosts::Trsm out{.call = optional_number(json, "call_s"),
                            .mmn = json.at("mmn_s", "seconds per m m n").positive()};
  json.finish();
  return out;
}

HplMachineCosts::Panel read_panel(JsonReader const& json) {
  HplMachineCosts::Panel out{
      .flops_per_s = json.at("flops_per_s", "the speed of a process in a panel").positive(),
      .column = optional_number(json, "column_s")};
  json.finish();
  return out;
}

LinkRate read_local(JsonReader const& json) {
  LinkRate out{.bandwidth = {json.at("bandwidth_Bps", "between two processes").positive()},
               .latency = {json.at("latency_s", "between two processes").non_negative()}};
  json.finish();
  return out;
}

HplMachineCosts read_machine(JsonReader const& json) {
  HplMachineCosts out;
  out.gemm = read_gemm(json.at("dgemm", "coefficients of its duration"));
  out.trsm = read_trsm(json.at("dtrsm", "coefficients of its duration"));
  out.panel = read_panel(json.at("panel", "the speed of its factorization"));
  out.memory = {json.at("memory_Bps", "of copies of a process, read plus written").positive()};
  if (auto const local = json.find("local")) out.local = read_local(*local);
  if (auto const factors = json.find("factors"))
    for (JsonReader const& factor : factors->elements()) out.factors.push_back(factor.positive());
  out.deviation = optional_number(json, "deviation");
  json.finish();
  return out;
}

}  // namespace

HplCosts read_hpl_costs(std::filesystem::path const& file) {
  nlohmann::json const document = parse_json_file(file);
  JsonReader const json(document, file.string());
  json.check_own_format("factosim-hpl-costs", 1);
  HplCosts costs;
  costs.file = file.string();
  costs.estimate = json.at("estimate", "false if all of it was measured").boolean();
  costs.provenance = json.at("provenance", "who measured, or what is assumed").string();
  for (auto const& [name, machine] : json.at("machines", "by node type").members())
    costs.machines.emplace(name, read_machine(machine));
  json.finish();
  return costs;
}

}  // namespace factosim
