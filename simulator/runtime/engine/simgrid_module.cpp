// The module factosim_simgrid.so.

#include <simgrid/s4u.hpp>

#include "simulator/base/os/module.hpp"
#include "simulator/runtime/engine/simgrid.hpp"
#include "simulator/runtime/engine/simgrid_network.hpp"
#include "simulator/runtime/engine/simgrid_routes.hpp"

namespace factosim {

namespace {

class SimGridModule final : public SimGrid {
 public:
  [[nodiscard]] std::unique_ptr<Network> make_network(Topology const& topology, bool lazy) const override {
    return std::make_unique<SimGridNetwork>(topology, lazy);
  }
  [[nodiscard]] bool is_used() const override { return simgrid::s4u::Engine::is_initialized(); }
  [[nodiscard]] std::vector<std::string> hosts(std::filesystem::path const& file) const override {
    return simgrid_hosts(file);
  }
  [[nodiscard]] RouteTable routes(std::filesystem::path const& file,
                                  std::vector<std::string> const& names) const override {
    return simgrid_routes(file, names);
  }
};

}  // namespace

}  // namespace factosim

FACTOSIM_OFFER_MODULE(factosim::SimGrid, factosim::SimGridModule)
