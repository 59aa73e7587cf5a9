#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "simulator/base/core/exit_code.hpp"
#include "simulator/base/core/suggestion.hpp"
#include "simulator/runtime/engine/simgrid.hpp"
#include "simulator/scenario/keys/cluster_keys.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

std::string some_of(Names names) {
  constexpr std::size_t shown = 5;
  bool const more = names.size() > shown;
  if (more) names.resize(shown);
  return fmt::format("{}{}", fmt::join(names, ", "), more ? ", ..." : "");
}

fs::path read_file(JsonReader const& json) {
  fs::path file = json.path();
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    json.fail(fmt::format(
        "{} cannot be read (no such file). Check the path; a relative one starts from the scenario's folder",
        file.string()));
  // SimGrid would run the code of a library.
  if (file.extension() != ".xml")
    json.fail(
        fmt::format("{} is no XML file by its name (SimGrid decides by the ending what it loads). Give a "
                    "file that ends in .xml",
                    file.string()));
  return file;
}

/// Returns the result of `work`; an error of SimGrid is a mistake in the file.
template <class Work>
auto checked_by_simgrid(JsonReader const& file, Work const& work) {
  try {
    return work();
  } catch (ChildFailure const& failure) {
    std::string why = failure.what();
    while (!why.empty() && (why.back() == '.' || why.back() == ' ')) why.pop_back();
    file.fail(
        fmt::format("SimGrid has no routes from it ({}). Correct the file, or choose other hosts", why));
  }
}

Names listed_hosts(JsonReader const& json, Names const& known) {
  Names names;
  for (JsonReader const& entry : json.elements()) {
    std::string const name = entry.string();
    if (std::find(known.begin(), known.end(), name) == known.end())
      entry.fail(fmt::format("no host is called \"{}\" (those of the file are {}). {}Use one of them", name,
                             some_of(known), did_you_mean(name, known)));
    if (std::find(names.begin(), names.end(), name) != names.end())
      entry.fail(fmt::format("\"{}\" a second time (two nodes cannot be the same host). Name another", name));
    names.push_back(name);
  }
  return names;
}

Names chosen_hosts(JsonReader const& json, Names const& known) {
  auto const list = json.find("hosts");
  auto const prefix = json.find("prefix");
  if (list && prefix) prefix->fail("\"hosts\" and \"prefix\" (either chooses the hosts). Keep one of them");
  if (list) return listed_hosts(*list, known);
  std::string const start = prefix ? prefix->string() : std::string();
  Names names;
  std::copy_if(known.begin(), known.end(), std::back_inserter(names),
               [&](std::string const& name) { return name.starts_with(start); });
  return names;
}

ValueRules simgrid_xml_rules() { return {rule::object(simgrid_xml_table)}; }

}  // namespace

ObjectKeys const& simgrid_xml_table() {
  static ObjectKeys const table{
      "simgrid_xml",
      "Routes between nodes from a SimGrid platform file.",
      {stated_key("file", {rule::path()}, "SimGrid platform file, `.xml`", {.required = true}),
       stated_key("hosts", {rule::array({rule::text()})}, "hosts of the nodes, in order",
                  {.default_text = "all, numbers in names by value"}),
       stated_key("prefix", {rule::text()}, "instead of `hosts`: hosts whose names begin so",
                  {.default_value = ""})}};
  return table;
}

RouteTable read_simgrid_xml(JsonReader const& given, std::size_t nodes) {
  JsonReader const json = given.by(simgrid_xml_rules);
  JsonReader const file_key = json.at("file", "the path of a SimGrid platform file");
  fs::path const file = read_file(file_key);
  Names const known = checked_by_simgrid(file_key, [&] { return hosts_of_simgrid_xml(file); });
  Names hosts = chosen_hosts(json, known);
  json.finish();
  if (hosts.size() < nodes)
    json.fail(
        fmt::format("{} hosts for {} nodes (each node needs a host of its own; those of the file are {}). "
                    "Use fewer nodes, or choose more hosts",
                    hosts.size(), nodes, some_of(known)));
  hosts.resize(nodes);
  return checked_by_simgrid(file_key, [&] { return routes_of_simgrid_xml(file, hosts); });
}

}  // namespace factosim
