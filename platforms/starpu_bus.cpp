#include "platforms/starpu_bus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
#include "simulator/base/core/value_rules.hpp"

namespace factosim {

namespace {

/// StarPU's kinds of devices that are GPUs here; those of a machine are of the first kind that it has.
constexpr std::array<std::string_view, 3> gpu_kinds{"CUDA", "HIP", "SYCL"};

bool in_range(double quantity) { return quantity >= smallest_quantity && quantity <= largest_quantity; }

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

  /// Reads the GPUs, and with some the links and routes. Returns the kind of the GPUs; "" without any.
  std::string read() {
    for (std::string_view const kind : gpu_kinds)
      for (pugi::xml_node const host : zone_.children("host"))
        if (kind_.empty() && std::string_view(host.attribute("id").value()).starts_with(kind)) kind_ = kind;
    if (kind_.empty()) return {};
    read_gpus();
    type_.bus.routes.resize(memories() * memories());
    read_links();
    read_routes();
    check_routes();
    return kind_;
  }

 private:
  [[noreturn]] void fail(std::string const& place, std::string const& message) const {
    throw InputError(file_ + "#" + place, message);
  }

  [[nodiscard]] std::size_t memories() const { return 1 + type_.gpus.size(); }

  void read_gpus() {
    for (pugi::xml_node const host : zone_.children("host")) {
      std::string const id = host.attribute("id").value();
      if (!id.starts_with(kind_)) continue;
      std::string const place = "/host/" + id;
      if (id != name_of(type_.gpus.size()))
        fail(place, fmt::format("{} is expected here (GPUs are numbered from 0 in order). Correct the file",
                                name_of(type_.gpus.size())));
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

  /// Reads the links in the order of the file, except those of disks and other devices, which no route uses.
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
      if (!in_range(rate.bandwidth.value) || !(rate.latency.value >= 0))
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
               fmt::format("no route {} (every GPU must reach the RAM both ways). Calibrate the bus again",
                           pair == gpu ? "RAM-" + name_of(gpu - 1) : name_of(gpu - 1) + "-RAM"));
    for (std::size_t from = 1; from < memories(); ++from)
      for (std::size_t to = 1; to < memories(); ++to)
        if (from != to && type_.bus.routes[from * memories() + to].empty())
          findings_.push_back(
              {file_, 0,
               fmt::format("no route {}-{}: copies go through the RAM", name_of(from - 1), name_of(to - 1))});
  }

  [[nodiscard]] std::string name_of(std::size_t gpu) const { return kind_ + std::to_string(gpu); }

  /// Returns 0 for RAM and 1 + i for GPU i.
  [[nodiscard]] std::optional<std::size_t> memory_node(std::string_view host) const {
    if (host == "RAM") return 0;
    for (std::size_t gpu = 0; gpu < type_.gpus.size(); ++gpu)
      if (host == name_of(gpu)) return gpu + 1;
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
    if (error != std::errc{} || !(std::abs(value) <= largest_quantity) || (!rest.empty() && rest != unit))
      fail(place, fmt::format("\"{}\" is not a number{} (it cannot be computed with). Correct it", text,
                              unit.empty() ? "" : fmt::format(" of {}", unit)));
    return value;
  }

  std::string file_;
  NodeType& type_;
  std::vector<Finding>& findings_;
  std::string kind_;  // of the GPUs: "CUDA"
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
                      "Give the folder that holds all files of a host: StarPU writes .config, "
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

/// The counts of HOST.config by device, as there: "CPUs", "NUMA", "CUDA", ... After the first, they are memory nodes.
using Counts = std::vector<std::pair<std::string, int>>;

/// Returns how many there are of a kind; 0 if the file does not say.
int count_of(Counts const& counts, std::string_view what) {
  for (auto const& [known, count] : counts)
    if (known == what) return count;
  return 0;
}

Counts read_counts(fs::path const& file) {
  Counts counts;
  for (TextLine const& line : value_lines(file)) {
    constexpr std::string_view label = "# Number of ";
    std::size_t const at = line.text.find(label);
    std::istringstream value(line.text);
    int count = -1;
    if (at == std::string::npos || !(value >> count) || count < 0)
      fail(file, line.number,
           "is not \"COUNT # Number of ...\" (StarPU writes such lines). Calibrate the bus again");
    std::string const what = line.text.substr(at + label.size());
    counts.emplace_back(what.substr(0, what.find_first_of(" \r")), count);
  }
  for (auto const& [what, count] : counts)
    if (count > max_cores || (what == "CPUs" && count == 0))
      fail(file, 1, fmt::format("has {} {} (no machine has). Calibrate the bus again", count, what));
  if (count_of(counts, "CPUs") == 0)
    fail(file, 1, "does not say how many CPUs there are (the node cannot be built). Calibrate the bus again");
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

/// Returns the value in `unit` between two memory nodes (RAM, then GPUs) from a matrix in StarPU's order, with the GPUs
/// from `first_gpu` on. Nothing if the file has no usable value.
std::optional<double> measured(Matrix const& matrix, std::size_t first_gpu, std::size_t from, std::size_t to,
                               double unit) {
  auto const starpu_node = [&](std::size_t ours) { return ours == 0 ? 0 : first_gpu + ours - 1; };
  std::size_t const row = starpu_node(from);
  std::size_t const column = starpu_node(to);
  if (row >= matrix.size() || column >= matrix.size()) return std::nullopt;
  double const value = rounded_to_12_digits(matrix[row][column] * unit);
  return in_range(value) ? std::optional(value) : std::nullopt;
}

void fill_predictions(NodeType& type, fs::path const& stem, std::size_t first_gpu,
                      std::vector<Finding>& findings) {
  std::size_t const memories = 1 + type.gpus.size();
  type.bus.predicted = predict_from_routes(type.bus, memories);
  auto const fill = [&](std::string const& file, double unit, auto const& set) {
    Matrix const matrix = read_matrix(file);
    for (std::size_t from = 0; from < memories; ++from)
      for (std::size_t to = 0; to < memories; ++to) {
        if (from == to) continue;
        if (auto const value = measured(matrix, first_gpu, from, to, unit))
          set(type.bus.predicted[from * memories + to], *value);
        else
          findings.push_back(
              {file, 0,
               fmt::format(
                   "no usable value from memory node {} to {}, which are in use: taken from the route", from,
                   to)});
      }
  };
  // MB/s of 10^6 bytes; microseconds.
  fill(stem.string() + ".bandwidth", 1e6, [](LinkRate& copy, double value) { copy.bandwidth = {value}; });
  fill(stem.string() + ".latency", 1e-6, [](LinkRate& copy, double value) { copy.latency = {value}; });
}

void check_counts(NodeType const& type, Counts const& counts, std::string const& kind, fs::path const& file,
                  std::vector<Finding>& findings) {
  if (!kind.empty() && static_cast<std::size_t>(count_of(counts, kind)) != type.gpus.size())
    findings.push_back({file.string(), 0,
                        fmt::format("{} {} devices where the .platform.v4.xml has {}: the latter are taken",
                                    count_of(counts, kind), kind, type.gpus.size())});
  for (auto const& [what, count] : counts)
    if (count > 0 && what != "CPUs" && what != "NUMA" && what != kind)
      findings.push_back(
          {file.string(), 0,
           fmt::format("{} {} devices are left out (cores and GPUs of one kind are simulated)", count, what),
           Finding::Kind::lasting});
  if (type.cores <= static_cast<int>(type.gpus.size()))
    findings.push_back({file.string(), 0, "fewer cores than one a GPU and one more"});
  if (int const numa = count_of(counts, "NUMA"); numa > 1)
    findings.push_back(
        {file.string(), 0,
         fmt::format("{} NUMA nodes: taken for one RAM, with the transfers of the first", numa)});
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
  Counts const counts = read_counts(config);
  StarpuBusImport import;
  NodeType& type = import.type;
  type.name = host;
  type.cores = count_of(counts, "CPUs");
  fs::path const older = stem.string() + ".platform.xml";  // until StarPU 1.2
  fs::path const newer = stem.string() + ".platform.v4.xml";
  std::string const kind =
      BusXmlReader(!fs::exists(newer) && fs::exists(older) ? older : newer, type, import.findings).read();
  check_counts(type, counts, kind, config, import.findings);
  if (type.gpus.empty()) return import;
  int first_gpu = std::max(1, count_of(counts, "NUMA"));  // memory node, after those of the RAM
  for (auto const& [what, count] : counts) {
    if (what == kind) break;
    if (what != "CPUs" && what != "NUMA") first_gpu += count;
  }
  fill_predictions(type, stem, static_cast<std::size_t>(first_gpu), import.findings);
  return import;
}

}  // namespace factosim
