#include "platforms/starpu_bus.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <pugixml.hpp>
#include <set>
#include <sstream>
#include <string_view>

#include "factosim/error.hpp"
#include "platforms/bus_rates.hpp"
#include "platforms/platform_limits.hpp"
#include "simulator/base/core/decimal.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/input_limits.hpp"
#include "simulator/base/core/parsed.hpp"

namespace factosim {

namespace {

/// Reads the SimGrid description of one node that StarPU writes, HOST.platform.v4.xml.
class BusXmlReader {
 public:
  BusXmlReader(std::filesystem::path const& file, NodeType& type, std::vector<Finding>& findings)
      : file_(file.string()), type_(type), findings_(findings) {
    std::string const text = read_input_text(file);
    check_xml(text, file_ + "#");
    pugi::xml_parse_result const parsed = document_.load_buffer(text.data(), text.size());
    if (!parsed)
      throw InputError(
          file_ + "#",
          fmt::format("cannot be read as XML ({} at byte {}). Check the path, or calibrate the bus again",
                      parsed.description(), parsed.offset));
    platform_ = document_.child("platform");
    zone_ = platform_.child("AS") ? platform_.child("AS") : platform_.child("zone");
    if (!zone_)
      fail("/platform", "holds no AS or zone (it is no SimGrid platform). Give StarPU's .platform.v4.xml");
  }

  /// Reads the GPUs, and with some the links and routes.
  void read() {
    read_gpus();
    if (type_.gpus.empty()) return;
    type_.bus.routes.resize(memories() * memories());
    read_links();
    read_routes();
    check_routes();
  }

 private:
  [[noreturn]] void fail(std::string const& place, std::string const& message) const {
    throw InputError(file_ + "#" + place, message);
  }

  [[nodiscard]] std::size_t memories() const { return 1 + type_.gpus.size(); }

  void read_gpus() {
    for (pugi::xml_node const host : zone_.children("host")) {
      std::string const id = host.attribute("id").value();
      if (!id.starts_with("CUDA")) continue;
      std::string const place = "/host/" + id;
      if (id != "CUDA" + std::to_string(type_.gpus.size()))
        fail(place,
             fmt::format("CUDA{} is expected here (GPUs are numbered from 0 in order). Correct the file",
                         type_.gpus.size()));
      GpuSpec gpu;
      for (pugi::xml_node const prop : host.children("prop")) {
        std::string_view const key = prop.attribute("id").value();
        if (key == "model") gpu.model = prop.attribute("value").value();
        if (key == "memsize") gpu.memory = memory(prop.attribute("value").value(), place);
      }
      if (gpu.memory.value <= 0)
        fail(place, "has no memsize (the simulator must know when the GPU is full). Add it");
      if (type_.gpus.size() == max_gpus)
        fail(place,
             fmt::format("is one more than {} GPUs (each pair of them has a route). Remove some", max_gpus));
      if (gpu.model.empty()) findings_.push_back({file_, 0, id + " has no model name"});
      type_.gpus.push_back(gpu);
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
      if (!link_index_.try_emplace(id, static_cast<std::uint32_t>(type_.bus.links.size())).second)
        fail(place, "stands twice (routes could mean either). Keep one");
      type_.bus.links.push_back(spec);
    }
  }

  void read_routes() {
    for (pugi::xml_node const route : zone_.children("route")) {
      auto const pair = endpoints(route);
      if (!pair) continue;
      std::string const place =
          fmt::format("/route/{}-{}", route.attribute("src").value(), route.attribute("dst").value());
      auto& links = type_.bus.routes[*pair];
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
    for (std::size_t gpu = 1; gpu < memories(); ++gpu)
      for (std::size_t pair : {gpu, gpu * memories()})
        if (type_.bus.routes[pair].empty())
          fail("/route",
               fmt::format(
                   "no route {} (every GPU must reach the RAM both ways). Calibrate the bus again",
                   pair == gpu ? fmt::format("RAM-CUDA{}", gpu - 1) : fmt::format("CUDA{}-RAM", gpu - 1)));
    for (std::size_t from = 1; from < memories(); ++from)
      for (std::size_t to = 1; to < memories(); ++to)
        if (from != to && type_.bus.routes[from * memories() + to].empty())
          findings_.push_back(
              {file_, 0, fmt::format("no route CUDA{}-CUDA{}: copies go through the RAM", from - 1, to - 1)});
  }

  /// Returns 0 for RAM and 1 + i for CUDA<i>.
  [[nodiscard]] std::optional<std::size_t> memory_node(std::string_view host) const {
    if (host == "RAM") return 0;
    for (std::size_t gpu = 0; gpu < type_.gpus.size(); ++gpu)
      if (host == "CUDA" + std::to_string(gpu)) return gpu + 1;
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::size_t> endpoints(pugi::xml_node const& route) const {
    auto const from = memory_node(route.attribute("src").value());
    auto const to = memory_node(route.attribute("dst").value());
    if (!from || !to) return std::nullopt;
    return *from * memories() + *to;
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
  NodeType& type_;
  std::vector<Finding>& findings_;
  pugi::xml_document document_;
  pugi::xml_node platform_;
  pugi::xml_node zone_;
  std::map<std::string, std::uint32_t> link_index_;
};

namespace fs = std::filesystem;

struct TextLine {
  int number = 0;
  std::string text;
};

/// Returns the lines that are neither blank nor comments.
std::vector<TextLine> value_lines(fs::path const& file) {
  std::istringstream in(
      read_input_text(file,
                      "Give the folder that holds all files of a host: StarPU writes .config, .affinity, "
                      ".bandwidth, .latency and .platform.v4.xml together"));
  std::vector<TextLine> lines;
  std::string text;
  for (int number = 1; std::getline(in, text); ++number)
    if (text.find_first_not_of(" \t\r") != std::string::npos && text.front() != '#') {
      check_input(InputLimit::rows, lines.size() + 1, file.string() + "#");
      lines.push_back({number, text});
    }
  return lines;
}

[[noreturn]] void fail(fs::path const& file, int line, std::string const& message) {
  throw InputError(fmt::format("{}#line {}", file.string(), line), message);
}

double number(std::string const& text, fs::path const& file, int line) {
  auto const value = parsed<double>(text);
  if (!value)
    fail(file, line,
         fmt::format("\"{}\" is not a number (it cannot be computed with). Calibrate the bus again", text));
  return *value;
}

/// The counts of HOST.config by device: "CPUs", "CUDA", "NUMA", ...
std::map<std::string, int> read_counts(fs::path const& file) {
  std::map<std::string, int> counts;
  for (TextLine const& line : value_lines(file)) {
    constexpr std::string_view label = "# Number of ";
    std::size_t const at = line.text.find(label);
    std::istringstream value(line.text);
    int count = -1;
    if (at == std::string::npos || !(value >> count) || count < 0)
      fail(file, line.number,
           "is not \"COUNT # Number of ...\" (StarPU writes such lines). Calibrate the bus again");
    std::string const what = line.text.substr(at + label.size());
    counts[what.substr(0, what.find_first_of(" \r"))] = count;
  }
  for (auto const& [what, count] : counts)
    if (count > max_cores || (what == "CPUs" && count == 0))
      fail(file, 1, fmt::format("has {} {} (no machine has). Calibrate the bus again", count, what));
  if (!counts.contains("CPUs") || !counts.contains("CUDA"))
    fail(file, 1,
         "does not say how many CPUs and CUDA devices there are (the node cannot be built). Calibrate the "
         "bus again");
  return counts;
}

using Matrix = std::vector<std::vector<double>>;  // [from][to] memory nodes

Matrix read_matrix(fs::path const& file) {
  Matrix matrix;
  std::vector<TextLine> const lines = value_lines(file);
  for (TextLine const& line : lines) {
    std::istringstream values(line.text);
    std::vector<double>& row = matrix.emplace_back();
    for (std::string value; values >> value;) row.push_back(number(value, file, line.number));
    if (row.size() != lines.size())
      fail(file, line.number,
           fmt::format("{} values in a matrix of {} rows (it must be square). Calibrate the bus again",
                       row.size(), lines.size()));
  }
  return matrix;
}

/// Returns the value between two memory nodes (RAM, then GPUs) from a matrix in StarPU's order (NUMA nodes, then
/// CUDA devices, then others). Nothing if the file has no usable value.
std::optional<double> measured(Matrix const& matrix, std::size_t numa_nodes, std::size_t from,
                               std::size_t to) {
  auto const starpu_node = [&](std::size_t ours) { return ours == 0 ? 0 : numa_nodes + ours - 1; };
  std::size_t const row = starpu_node(from);
  std::size_t const column = starpu_node(to);
  if (row >= matrix.size() || column >= matrix.size()) return std::nullopt;
  double const value = matrix[row][column];
  return std::isfinite(value) && value > 0 ? std::optional(value) : std::nullopt;
}

void fill_predictions(NodeType& type, fs::path const& stem, std::size_t numa_nodes,
                      std::vector<Finding>& findings) {
  std::size_t const memories = 1 + type.gpus.size();
  fs::path const bandwidth_file = stem.string() + ".bandwidth";
  fs::path const latency_file = stem.string() + ".latency";
  Matrix const bandwidths = read_matrix(bandwidth_file);
  Matrix const latencies = read_matrix(latency_file);
  auto const lacks = [&](fs::path const& file, std::size_t from, std::size_t to) {
    findings.push_back(
        {file.string(), 0,
         fmt::format("no usable value from memory node {} to {}, which are in use: taken from the route",
                     from, to)});
  };
  type.bus.predicted = predict_from_routes(type.bus, memories);
  for (std::size_t from = 0; from < memories; ++from) {
    for (std::size_t to = 0; to < memories; ++to) {
      if (from == to) continue;
      LinkRate& copy = type.bus.predicted[from * memories + to];
      auto const bandwidth = measured(bandwidths, numa_nodes, from, to);
      auto const latency = measured(latencies, numa_nodes, from, to);
      // MB/s of 10^6 bytes; microseconds.
      if (bandwidth)
        copy.bandwidth = {rounded_to_12_digits(*bandwidth * 1e6)};
      else
        lacks(bandwidth_file, from, to);
      if (latency)
        copy.latency = {rounded_to_12_digits(*latency * 1e-6)};
      else
        lacks(latency_file, from, to);
    }
  }
}

/// Each GPU has a line that begins with its number; the second block of lines belongs to OpenCL devices.
void check_affinity(fs::path const& file, std::size_t gpus, std::vector<Finding>& findings) {
  std::vector<TextLine> const lines = value_lines(file);
  for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
    std::size_t first = 0;
    if (gpu < lines.size() && std::istringstream(lines[gpu].text) >> first && first == gpu) continue;
    findings.push_back({file.string(), gpu < lines.size() ? lines[gpu].number : 0,
                        fmt::format("GPU {} of {} has no line of its own", gpu, gpus)});
    return;
  }
}

void check_counts(NodeType const& type, std::map<std::string, int> const& counts, fs::path const& file,
                  std::vector<Finding>& findings) {
  if (static_cast<std::size_t>(counts.at("CUDA")) != type.gpus.size())
    findings.push_back({file.string(), 0,
                        fmt::format("{} CUDA devices where the .platform.v4.xml has {}: the latter are taken",
                                    counts.at("CUDA"), type.gpus.size())});
  if (type.cores <= static_cast<int>(type.gpus.size()))
    findings.push_back({file.string(), 0, "fewer cores than one a GPU and one more"});
  if (auto numa = counts.find("NUMA"); numa != counts.end() && numa->second > 1)
    findings.push_back(
        {file.string(), 0,
         fmt::format("{} NUMA nodes: taken for one RAM, with the transfers of the first", numa->second)});
}

/// Returns the folder in a folder of StarPU that holds the bus calibrations.
fs::path bus_folder(fs::path const& directory) {
  fs::path out = directory;
  for (char const* const inside : {"bus", "sampling/bus"})
    if (fs::is_directory(directory / inside)) out = directory / inside;
  return out;
}

}  // namespace

std::vector<std::string> starpu_bus_hosts(fs::path const& directory) {
  std::set<std::string> out;
  std::error_code error;
  for (fs::directory_iterator entry(bus_folder(directory), error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".config") out.insert(entry->path().stem().string());
  return {out.begin(), out.end()};
}

StarpuBusImport read_starpu_bus(fs::path const& directory, std::string const& host) {
  fs::path const stem = bus_folder(directory) / host;
  fs::path const config = stem.string() + ".config";
  std::map<std::string, int> const counts = read_counts(config);
  StarpuBusImport import;
  NodeType& type = import.type;
  type.name = host;
  type.cores = counts.at("CPUs");
  BusXmlReader(stem.string() + ".platform.v4.xml", type, import.findings).read();
  check_counts(type, counts, config, import.findings);
  if (type.gpus.empty()) return import;
  auto const numa = counts.find("NUMA");
  fill_predictions(type, stem,
                   numa == counts.end() || numa->second < 1 ? 1 : static_cast<std::size_t>(numa->second),
                   import.findings);
  check_affinity(stem.string() + ".affinity", type.gpus.size(), import.findings);
  return import;
}

}  // namespace factosim
