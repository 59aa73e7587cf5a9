#include "simulator/engine/simgrid_xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstring>
#include <map>
#include <simgrid/s4u.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/os/process_pool.hpp"

namespace factosim {

namespace {

namespace s4u = simgrid::s4u;

/// The work that a small file asks for is unbounded: a line of XML may ask for 10^9 hosts.
constexpr ChildLimits small_input{.cpu = std::chrono::seconds(120), .further_bytes = std::uint64_t{4} << 30U};

/// The members of a link, and of a table of routes without the names of file and hosts, in the order of the
/// bytes.
template <class Archive, class Link>
void link_fields(Archive& archive, Link& link) {
  archive(link.name);
  archive(link.bandwidth);
  archive(link.shared);
}
template <class Archive, class Table>
void route_fields(Archive& archive, Table& table) {
  archive(table.links);
  archive(table.first);
  archive(table.crossed);
  archive(table.latency);
  archive(table.route);
}

/// Packs plain values into bytes for another process of the same program.
class Packer {
 public:
  template <class Value>
  void operator()(Value const& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    bytes_.append(reinterpret_cast<char const*>(&value), sizeof(Value));
  }
  void operator()(std::string const& text) {
    (*this)(text.size());
    bytes_ += text;
  }
  void operator()(RouteTable::Link const& link) { link_fields(*this, link); }
  template <class Value>
  void operator()(std::vector<Value> const& values) {
    (*this)(values.size());
    for (Value const& value : values) (*this)(value);
  }
  [[nodiscard]] std::string const& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

  template <class Value>
  void operator()(Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    std::memcpy(&value, take(sizeof(Value)).data(), sizeof(Value));
  }
  void operator()(std::string& text) {
    std::size_t size = 0;
    (*this)(size);
    text = take(size);
  }
  void operator()(RouteTable::Link& link) { link_fields(*this, link); }
  template <class Value>
  void operator()(std::vector<Value>& values) {
    std::size_t size = 0;
    (*this)(size);
    for (std::size_t i = 0; i < size; ++i) (*this)(values.emplace_back());
  }

 private:
  std::string_view take(std::size_t size) {
    FACTOSIM_ALWAYS(size <= bytes_.size(), "a child process sent less than it announced");
    std::string_view const out = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return out;
  }
  std::string_view bytes_;
};

/// Compares names: digits by the value of the number, other characters by themselves.
bool in_natural_order(std::string const& a, std::string const& b) {
  auto const digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!digit(a[i]) || !digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    while (i < a.size() && a[i] == '0') ++i;
    while (j < b.size() && b[j] == '0') ++j;
    std::size_t const from_a = i, from_b = j;
    while (i < a.size() && digit(a[i])) ++i;
    while (j < b.size() && digit(b[j])) ++j;
    if (i - from_a != j - from_b) return i - from_a < j - from_b;
    int const order = a.compare(from_a, i - from_a, b, from_b, j - from_b);
    if (order != 0) return order < 0;
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;
}

s4u::Engine* load(std::filesystem::path const& file) {
  std::array<std::string, 3> words{"factosim", "--log=root.thres:error", "--log=root.fmt:%m%n"};
  std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
  int count = 3;
  auto* const engine = new s4u::Engine(&count, arguments.data());  // destroyed at the end of the process
  engine->load_platform(file.string());
  engine->seal_platform();
  return engine;
}

/// Collects routes; equal ones are stored once.
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
    table_.links.push_back({link.get_name(), {link.get_bandwidth()}, policy == Policy::SHARED});
    return next;
  }

  RouteTable& table_;
  std::map<std::string, std::uint32_t> links_;
  std::map<std::pair<double, std::vector<std::uint32_t>>, std::uint32_t> routes_;
};

std::string packed_hosts(std::filesystem::path const& file) {
  std::vector<std::string> names;
  for (s4u::Host const* const host : load(file)->get_all_hosts()) names.push_back(host->get_name());
  std::sort(names.begin(), names.end(), in_natural_order);
  Packer out;
  out(names);
  return out.bytes();
}

std::string packed_routes(std::filesystem::path const& file, std::vector<std::string> const& names) {
  s4u::Engine const* const engine = load(file);
  std::vector<s4u::Host const*> hosts;
  hosts.reserve(names.size());
  for (std::string const& name : names) hosts.push_back(engine->host_by_name(name));
  RouteTable table;
  RouteCollector collector(table);
  for (s4u::Host const* const from : hosts)
    for (s4u::Host const* const to : hosts) table.route.push_back(from == to ? 0 : collector.add(*from, *to));
  Packer out;
  route_fields(out, table);
  return out.bytes();
}

void expect_no_engine() {
  FACTOSIM_ALWAYS(!s4u::Engine::is_initialized(),
                  "a SimGrid file is read after SimGrid was used: it keeps static state");
}

}  // namespace

std::vector<std::string> hosts_of_simgrid_xml(std::filesystem::path const& file) {
  expect_no_engine();
  std::string const bytes = run_in_child([&] { return packed_hosts(file); }, small_input);
  std::vector<std::string> names;
  Unpacker in(bytes);
  in(names);
  return names;
}

RouteTable routes_of_simgrid_xml(std::filesystem::path const& file, std::vector<std::string> const& hosts) {
  expect_no_engine();
  std::string const bytes = run_in_child([&] { return packed_routes(file, hosts); }, small_input);
  RouteTable table;
  table.file = file.string();
  table.hosts = hosts;
  Unpacker in(bytes);
  route_fields(in, table);
  return table;
}

}  // namespace factosim
