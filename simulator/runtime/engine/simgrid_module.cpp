// The module factosim_simgrid.so.

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <map>
#include <simgrid/s4u.hpp>
#include <stdexcept>
#include <utility>

#include "simulator/base/os/module.hpp"
#include "simulator/runtime/engine/simgrid.hpp"

namespace factosim {

std::unique_ptr<Network> make_simgrid_network(Topology const& topology,
                                              NetworkOptions const& options);  // simgrid_network.cpp

namespace {

namespace s4u = simgrid::s4u;

/// Reads a platform file into SimGrid's engine of this process, which must not exist yet.
s4u::Engine* load(std::filesystem::path const& file) {
  std::array<std::string, 3> options{"factosim", "--log=root.thres:error", "--log=root.fmt:%m%n"};
  std::array<char*, 4> arguments{options[0].data(), options[1].data(), options[2].data(), nullptr};
  int count = 3;
  auto* const engine = new s4u::Engine(&count, arguments.data());  // lives until its process ends
  engine->load_platform(file.string());
  engine->seal_platform();
  return engine;
}

/// Collects routes; equal routes are stored once.
class RouteCollector {
 public:
  explicit RouteCollector(RouteTable& table) : table_(table) { table_.first.push_back(0); }

  std::uint32_t add(s4u::Host const& from, s4u::Host const& to) {
    std::vector<s4u::Link*> links;
    double latency = 0;
    from.route_to(&to, links, &latency);
    if (links.empty())
      throw std::runtime_error(fmt::format("no link lies between {} and {}", from.get_name(), to.get_name()));
    std::vector<std::uint32_t> crossed;
    crossed.reserve(links.size());
    for (s4u::Link const* const link : links) crossed.push_back(add(*link));
    auto const next = static_cast<std::uint32_t>(table_.latency.size());
    auto const [place, is_new] = routes_.try_emplace({latency, crossed}, next);
    if (is_new) {
      table_.latency.push_back({latency});
      table_.crossed.insert(table_.crossed.end(), crossed.begin(), crossed.end());
      table_.first.push_back(static_cast<std::uint32_t>(table_.crossed.size()));
    }
    return place->second;
  }

 private:
  std::uint32_t add(s4u::Link const& link) {
    auto const next = static_cast<std::uint32_t>(table_.links.size());
    auto const [place, is_new] = links_.try_emplace(link.get_name(), next);
    if (!is_new) return place->second;
    using Policy = s4u::Link::SharingPolicy;
    Policy const policy = link.get_sharing_policy();
    if (policy != Policy::SHARED && policy != Policy::FATPIPE)
      throw std::runtime_error(
          fmt::format("the link {} is neither SHARED nor SPLITDUPLEX nor FATPIPE", link.get_name()));
    if (!(link.get_bandwidth() > 0))
      throw std::runtime_error(
          fmt::format("the link {} has a bandwidth of {}", link.get_name(), link.get_bandwidth()));
    if (!(link.get_latency() >= 0))
      throw std::runtime_error(fmt::format("the link {} has a latency of {} s, which is negative",
                                           link.get_name(), link.get_latency()));
    table_.links.push_back({link.get_name(), {link.get_bandwidth()}, policy == Policy::SHARED});
    return next;
  }

  RouteTable& table_;
  std::map<std::string, std::uint32_t> links_;
  std::map<std::pair<double, std::vector<std::uint32_t>>, std::uint32_t> routes_;
};

class SimGridModule final : public SimGrid {
 public:
  [[nodiscard]] std::unique_ptr<Network> make_network(Topology const& topology,
                                                      NetworkOptions const& options) const override {
    return make_simgrid_network(topology, options);
  }
  [[nodiscard]] bool is_used() const override { return s4u::Engine::is_initialized(); }
  [[nodiscard]] std::vector<std::string> hosts(std::filesystem::path const& file) const override {
    std::vector<std::string> names;
    for (s4u::Host const* const host : load(file)->get_all_hosts()) names.push_back(host->get_name());
    return names;
  }
  [[nodiscard]] RouteTable routes(std::filesystem::path const& file,
                                  std::vector<std::string> const& names) const override {
    s4u::Engine const* const engine = load(file);
    std::vector<s4u::Host const*> hosts;
    hosts.reserve(names.size());
    for (std::string const& name : names) hosts.push_back(engine->host_by_name(name));
    RouteTable table;
    RouteCollector collector(table);
    for (s4u::Host const* const from : hosts)
      for (s4u::Host const* const to : hosts)
        table.route.push_back(from == to ? 0 : collector.add(*from, *to));
    return table;
  }
};

}  // namespace

}  // namespace factosim

FACTOSIM_OFFER_MODULE(factosim::SimGrid, factosim::SimGridModule)
