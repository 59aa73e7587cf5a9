#include "platforms/starpu_bus_xml.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>
#include <pugixml.hpp>
#include <set>

#include "factosim/error.hpp"
#include "platforms/platform_limits.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/input_limits.hpp"

namespace factosim {

namespace {

class Reader {
 public:
  Reader(std::filesystem::path const& file, std::vector<Finding>& findings)
      : file_(file.string()), findings_(findings) {
    std::string const text = read_input_text(file);
    check_xml(text, file_ + "#");
    pugi::xml_parse_result const parsed = document_.load_buffer(text.data(), text.size());
    if (!parsed)
      throw InputError(file_ + "#",
                       fmt::format("cannot be read as XML ({} at byte {}). Check the path, or calibrate "
                                   "the bus again",
                                   parsed.description(), parsed.offset));
    platform_ = document_.child("platform");
    zone_ = platform_.child("AS") ? platform_.child("AS") : platform_.child("zone");
    if (!zone_)
      fail("/platform", "holds no AS or zone (it is no SimGrid platform). Give StarPU's .platform.v4.xml");
  }

  BusXml read() {
    read_gpus();
    std::size_t const memories = 1 + xml_.gpus.size();
    xml_.bus.routes.resize(memories * memories);
    if (!xml_.gpus.empty()) {
      read_links();
      read_routes();
      check_routes();
    }
    return std::move(xml_);
  }

 private:
  [[noreturn]] void fail(std::string const& place, std::string const& message) const {
    throw InputError(file_ + "#" + place, message);
  }

  void read_gpus() {
    for (pugi::xml_node const host : zone_.children("host")) {
      std::string const id = host.attribute("id").value();
      if (!id.starts_with("CUDA")) continue;
      std::string const place = "/host/" + id;
      if (id != "CUDA" + std::to_string(xml_.gpus.size()))
        fail(place,
             fmt::format("CUDA{} is expected here (GPUs are numbered from 0 in order). Correct the file",
                         xml_.gpus.size()));
      GpuSpec gpu;
      for (pugi::xml_node const prop : host.children("prop")) {
        std::string_view const key = prop.attribute("id").value();
        if (key == "model") gpu.model = prop.attribute("value").value();
        if (key == "memsize") gpu.memory = memory(prop.attribute("value").value(), place);
      }
      if (gpu.memory.value <= 0)
        fail(place, "has no memsize (the simulator must know when the GPU is full). Add it");
      if (xml_.gpus.size() == max_gpus)
        fail(place,
             fmt::format("is one more than {} GPUs (each pair of them has a route). Remove some", max_gpus));
      if (gpu.model.empty()) findings_.push_back({file_, 0, id + " has no model name"});
      xml_.gpus.push_back(gpu);
    }
  }

  /// Reads the links in the order of the file, except those of disks and OpenCL devices, which no route uses.
  void read_links() {
    std::set<std::string> used;
    for (pugi::xml_node const route : zone_.children("route"))
      if (endpoints(route))
        for (pugi::xml_node const link : route.children("link_ctn"))
          used.insert(link.attribute("id").value());
    for (pugi::xml_node const link : zone_.children("link")) {
      std::string const id = link.attribute("id").value();
      if (!used.contains(id)) continue;
      std::string const place = "/link/" + id;
      LinkRate const rate{.bandwidth = {number(link.attribute("bandwidth").value(), "Bps", place)},
                          .latency = {number(link.attribute("latency").value(), "s", place)}};
      LinkSpec const spec{.name = id, .rate = rate};
      if (!(rate.bandwidth.value > 0) || !(rate.latency.value >= 0))
        fail(place,
             "its bandwidth must be above zero and its latency not negative (a transfer would never end). "
             "Calibrate the bus again");
      if (!link_index_.try_emplace(id, static_cast<std::uint32_t>(xml_.bus.links.size())).second)
        fail(place, "stands twice (routes could mean either). Keep one");
      xml_.bus.links.push_back(spec);
    }
  }

  void read_routes() {
    for (pugi::xml_node const route : zone_.children("route")) {
      auto const pair = endpoints(route);
      if (!pair) continue;
      std::string const place =
          fmt::format("/route/{}-{}", route.attribute("src").value(), route.attribute("dst").value());
      auto& links = xml_.bus.routes[*pair];
      if (!links.empty()) fail(place, "stands twice (only one could be followed). Keep one");
      for (pugi::xml_node const link : route.children("link_ctn")) {
        auto const found = link_index_.find(link.attribute("id").value());
        if (found == link_index_.end())
          fail(place, fmt::format("uses the unknown link \"{}\" (its bandwidth is not given). Add the link",
                                  link.attribute("id").value()));
        links.push_back(found->second);
      }
    }
  }

  void check_routes() {
    std::size_t const memories = 1 + xml_.gpus.size();
    for (std::size_t gpu = 1; gpu < memories; ++gpu)
      for (std::size_t pair : {gpu, gpu * memories})
        if (xml_.bus.routes[pair].empty())
          fail("/route",
               fmt::format(
                   "no route {} (every GPU must reach the RAM both ways). Calibrate the bus again",
                   pair == gpu ? fmt::format("RAM-CUDA{}", gpu - 1) : fmt::format("CUDA{}-RAM", gpu - 1)));
    for (std::size_t from = 1; from < memories; ++from)
      for (std::size_t to = 1; to < memories; ++to)
        if (from != to && xml_.bus.routes[from * memories + to].empty())
          findings_.push_back(
              {file_, 0, fmt::format("no route CUDA{}-CUDA{}: copies go through the RAM", from - 1, to - 1)});
  }

  /// Returns 0 for RAM and 1 + i for CUDA<i>.
  [[nodiscard]] std::optional<std::size_t> memory_node(std::string_view host) const {
    if (host == "RAM") return 0;
    for (std::size_t gpu = 0; gpu < xml_.gpus.size(); ++gpu)
      if (host == "CUDA" + std::to_string(gpu)) return gpu + 1;
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::size_t> endpoints(pugi::xml_node const& route) const {
    auto const from = memory_node(route.attribute("src").value());
    auto const to = memory_node(route.attribute("dst").value());
    if (!from || !to) return std::nullopt;
    return *from * (1 + xml_.gpus.size()) + *to;
  }

  [[nodiscard]] Bytes memory(std::string_view text, std::string const& place) const {
    double const bytes = number(text, "", place);
    if (!(bytes > 0 && bytes < 1e18))
      fail(place, fmt::format("has a memsize of {} (that is no memory). Correct it", bytes));
    return {static_cast<std::int64_t>(bytes)};
  }

  /// A number in that unit, which may be left out: StarPU writes some latencies of 0 without it.
  [[nodiscard]] double number(std::string_view text, std::string_view unit, std::string const& place) const {
    double value{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    std::string_view const rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (error != std::errc{} || (!rest.empty() && rest != unit))
      fail(place, fmt::format("\"{}\" is not a number{} (it cannot be computed with). Correct it", text,
                              unit.empty() ? "" : fmt::format(" of {}", unit)));
    return value;
  }

  std::string file_;
  std::vector<Finding>& findings_;
  pugi::xml_document document_;
  pugi::xml_node platform_;
  pugi::xml_node zone_;
  BusXml xml_;
  std::map<std::string, std::uint32_t> link_index_;
};

}  // namespace

BusXml read_bus_xml(std::filesystem::path const& file, std::vector<Finding>& findings) {
  return Reader(file, findings).read();
}

}  // namespace factosim
