#include "simulator/runtime/engine/simgrid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <pugixml.hpp>
#include <set>
#include <sstream>
#include <string_view>
#include <type_traits>

#include "factosim/error.hpp"
#include "simulator/base/core/exit_code.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/input_limits.hpp"
#include "simulator/base/os/module.hpp"
#include "simulator/base/os/process_pool.hpp"

namespace factosim {

SimGrid const& load_simgrid() {
  constexpr Module simgrid{.file = "factosim_simgrid.so",
                           .feature = "the network model \"simgrid\", as the key \"simgrid_xml\",",
                           .packages = "libsimgrid-dev"};
  static auto const& loaded = *static_cast<SimGrid const*>(load_module(simgrid));
  return loaded;
}

std::string simgrid_version() { return FACTOSIM_SIMGRID_VERSION; }

std::vector<std::pair<std::string, std::string>> simgrid_settings(NetworkOptions const& options) {
  return {{"network/model", "CM02"},
          {"network/optim", "Full"},
          {"network/crosstraffic", options.crosstraffic ? "1" : "0"},
          {"network/latency-factor", "1"},
          {"network/bandwidth-factor", "1"},
          {"network/weight-S", "0"},
          {"network/TCP-gamma", "0"},
          {"surf/precision", "1e-9"},
          {"maxmin/precision", "1e-9"},
          {"network/maxmin-selective-update", "yes"}};
}

namespace {

constexpr std::array<std::string_view, 8> unwanted{"actor",   "config", "include",       "model_prop",
                                                   "process", "trace",  "trace_connect", "trace:connect"};

/// Returns how many hosts a list of numbers and ranges such as "0-3,7" stands for; what is no number counts as
/// one, since SimGrid refuses it.
std::uint64_t hosts_of_radical(std::string_view radical) {
  auto const number = [](std::string_view text) {
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  };
  std::uint64_t const max_hosts = input_limit(InputLimit::simgrid_hosts);
  std::uint64_t hosts = 0;
  while (!radical.empty()) {
    std::string_view const range = radical.substr(0, radical.find(','));
    radical.remove_prefix(std::min(range.size() + 1, radical.size()));
    std::size_t const dash = range.find('-');
    std::uint64_t const first = number(range.substr(0, dash));
    std::uint64_t const last = dash == std::string_view::npos ? first : number(range.substr(dash + 1));
    hosts += last > first ? std::min(last - first, max_hosts) + 1 : 1;
  }
  return hosts;
}

/// Refuses what SimGrid would need much more memory and time for than the file has bytes: 3 kB a host.
struct Size {
  std::string const where;
  std::uint64_t hosts = 0;

  void enter(pugi::xml_node element, std::uint64_t depth) {
    check_input(InputLimit::nesting, depth, where);
    hosts += hosts_of_radical(element.attribute("radical").value());
    check_input(InputLimit::simgrid_hosts, hosts, where);
  }
};

/// Removes unwanted elements, and attributes with names of files (profiles).
void clean(pugi::xml_node element, std::set<std::string>& dropped, Size& size, std::uint64_t depth) {
  size.enter(element, depth);
  for (pugi::xml_attribute attribute = element.first_attribute(); attribute;) {
    pugi::xml_attribute const next = attribute.next_attribute();
    std::string const name = attribute.name();
    if (name.ends_with("_file") || name == "file") {
      dropped.insert(name);
      element.remove_attribute(attribute);
    }
    attribute = next;
  }
  for (pugi::xml_node child = element.first_child(); child;) {
    pugi::xml_node const next = child.next_sibling();
    if (std::ranges::find(unwanted, std::string_view(child.name())) != unwanted.end()) {
      dropped.insert(child.name());
      element.remove_child(child);
    } else {
      clean(child, dropped, size, depth + 1);
    }
    child = next;
  }
}

/// The part of a SimGrid platform file that describes hosts, links and routes.
struct SimGridDescription {
  std::string xml;
  std::vector<std::string> dropped;  // names of elements that SimGrid must not see, such as "config"; sorted
};

/// Reads a SimGrid platform file and leaves out what would make SimGrid read or write other files or change its
/// options: settings, profiles, included files. Throws ChildFailure if the file is not XML, is nested
/// too deep, or its clusters have too many hosts.
SimGridDescription read_simgrid_description(std::filesystem::path const& file) {
  // Elements and attributes only: no comments, text, processing instructions or document types.
  constexpr unsigned elements_only = pugi::parse_escapes | pugi::parse_eol | pugi::parse_wconv_attribute;
  pugi::xml_document document;
  std::string const text = read_input_text(file);
  check_xml(text, file.string() + "#");
  pugi::xml_parse_result const parsed = document.load_buffer(text.data(), text.size(), elements_only);
  if (!parsed)
    throw ChildFailure(
        {ExitCode::bad_input, fmt::format("{} at byte {}", parsed.description(), parsed.offset)});
  std::set<std::string> dropped;
  Size size{.where = file.string() + "#"};
  clean(document, dropped, size, 0);
  std::ostringstream xml;
  xml << "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n";
  document.save(xml, " ", pugi::format_default | pugi::format_no_declaration);
  return {std::move(xml).str(), {dropped.begin(), dropped.end()}};
}

/// The work for a small file is unbounded: a line of XML may define 10^9 hosts.
ChildLimits limits_of_reading() {
  return {.cpu = std::chrono::seconds(input_limit(InputLimit::simgrid_seconds)),
          .further_bytes = input_limit(InputLimit::simgrid_bytes)};
}

/// The fields of a link, and those of a table but `file` and `hosts`, in the order in which they are sent.
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

/// Reads what a `Packer` has written.
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

/// Returns the library, in which nothing may have run: the child processes are copies of this one.
SimGrid const& unused_simgrid() {
  SimGrid const& simgrid = load_simgrid();
  FACTOSIM_ALWAYS(!simgrid.is_used(), "a SimGrid file is read after SimGrid was used: it keeps static state");
  return simgrid;
}

/// Returns SimGrid's message about `copy` as one about the user's file: without the number of a line, of which the copy has
/// fewer, and without addresses of objects in memory.
std::string message_about(std::filesystem::path const& file, std::string const& copy, std::string message) {
  if (std::size_t const at = message.find(copy); at != std::string::npos) {
    std::size_t end = at + copy.size();
    if (end < message.size() && message[end] == ':') end = message.find_first_not_of("0123456789", end + 1);
    message.replace(at, std::min(end, message.size()) - at, file.string());
  }
  for (std::size_t at = 0; (at = message.find(" (0x", at)) != std::string::npos;)
    message.erase(at, message.find_first_not_of("0123456789abcdef", at + 4) + 1 - at);
  return message;
}

/// Returns the answer of `work` on a platform file, in a child process.
template <class Work>
std::string answer_of(SimGridDescription const& platform, std::filesystem::path const& file,
                      Work const& work) {
  MemoryFile const copy(platform.xml);
  try {
    return run_in_child([&] { return work(copy.path()); }, limits_of_reading());
  } catch (ChildFailure const& failure) {
    Failure renamed = failure.failure();
    renamed.message = message_about(file, copy.path().string(), renamed.message);
    throw ChildFailure(renamed);
  }
}

}  // namespace

std::vector<std::string> hosts_of_simgrid_xml(std::filesystem::path const& file) {
  SimGrid const& simgrid = unused_simgrid();
  SimGridDescription const platform = read_simgrid_description(file);
  if (platform.xml.find(" id=") == std::string::npos)  // SimGrid would crash
    throw ChildFailure({ExitCode::bad_input, "it holds no host; actors alone are a deployment"});
  std::string const bytes = answer_of(platform, file, [&](auto const& copy) {
    Packer out;
    out(simgrid.hosts(copy));
    return out.bytes();
  });
  std::vector<std::string> names;
  Unpacker in(bytes);
  in(names);
  std::sort(names.begin(), names.end(), in_natural_order);
  return names;
}

RouteTable routes_of_simgrid_xml(std::filesystem::path const& file, std::vector<std::string> const& hosts) {
  SimGrid const& simgrid = unused_simgrid();
  SimGridDescription const platform = read_simgrid_description(file);
  std::string const bytes = answer_of(platform, file, [&](auto const& copy) {
    RouteTable const found = simgrid.routes(copy, hosts);
    Packer out;
    route_fields(out, found);
    return out.bytes();
  });
  RouteTable table;
  table.file = file.string();
  table.hosts = hosts;
  Unpacker in(bytes);
  route_fields(in, table);
  if (!platform.dropped.empty())
    table.findings.push_back(fmt::format("{}: left out: {} (only hosts, links and routes are read)",
                                         file.filename().string(), fmt::join(platform.dropped, ", ")));
  return table;
}

}  // namespace factosim
