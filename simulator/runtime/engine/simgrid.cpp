#include "simulator/runtime/engine/simgrid.hpp"

#include "simulator/base/os/module.hpp"

namespace factosim {

SimGrid const& load_simgrid() {
  constexpr Module simgrid{.file = "factosim_simgrid.so",
                           .feature = "the network model \"simgrid\", as the key \"simgrid_xml\",",
                           .packages = "libsimgrid-dev"};
  static auto const& loaded = *static_cast<SimGrid const*>(load_module(simgrid));
  return loaded;
}

std::string simgrid_version() { return FACTOSIM_SIMGRID_VERSION; }

std::vector<std::pair<std::string, std::string>> simgrid_settings(bool lazy) {
  return {{"network/model", "CM02"},         {"network/optim", lazy ? "Lazy" : "Full"},
          {"network/crosstraffic", "0"},     {"network/latency-factor", "1"},
          {"network/bandwidth-factor", "1"}, {"network/weight-S", "0"},
          {"network/TCP-gamma", "0"},        {"surf/precision", "1e-9"},
          {"maxmin/precision", "1e-9"},      {"network/maxmin-selective-update", "yes"}};
}

}  // namespace factosim
