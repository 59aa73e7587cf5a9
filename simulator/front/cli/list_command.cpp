#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "factosim/error.hpp"
#include "models/kernel_model_json.hpp"
#include "platforms/bus_rates.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/presets.hpp"
#include "platforms/shipped_files.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/runtime/policies/policies.hpp"
#include "simulator/scenario/keys/application_keys.hpp"
#include "simulator/scenario/placement/distribution_keys.hpp"
#include "simulator/traces/export/trace_formats.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

/// Something that a user can name, with one line about it.
struct CatalogueEntry {
  std::string name, description;
  std::string file{};  // where it is described; empty: in the program
};

/// A kind of things that `factosim list` lists.
struct Catalogue {
  char const* name;
  char const* description;
  std::vector<CatalogueEntry> (*entries)();
};

std::vector<CatalogueEntry> entries_of(std::vector<DescribedName> const& names) {
  std::vector<CatalogueEntry> out;
  for (auto const& [name, description] : names) out.push_back({name, description});
  return out;
}

/// Lists the files of a kind. A file that cannot be read has the reason as its description.
std::vector<CatalogueEntry> files_of(ShippedKind kind,
                                     std::function<std::string(fs::path const&)> const& describe) {
  std::vector<CatalogueEntry> out;
  for (auto const& [name, file] : shipped_files(kind)) {
    std::string description;
    try {
      description = describe(file);
    } catch (InputError const& error) {
      description = fmt::format("cannot be read: {}", error.what());
    }
    out.push_back({name, std::move(description), file.string()});
  }
  return out;
}

/// Returns the part of a text up to its first full stop, at most `maximum` characters.
std::string first_sentence(std::string const& text, std::size_t maximum) {
  std::string out = text.substr(0, std::min({text.size(), text.find(". "), text.find("; ")}));
  return out.size() <= maximum ? out : out.substr(0, out.rfind(' ', maximum)) + " ...";
}

/// Returns "12 cores + 3 Tesla M2070".
std::string hardware_of(NodeType const& type) {
  std::string const cores = type.cores == 1 ? "one core" : fmt::format("{} cores", type.cores);
  if (type.gpus.empty()) return cores;
  std::string const& model = type.gpus.front().model;
  return fmt::format("{} + {} {}", cores, type.gpus.size(), model.empty() ? "GPUs" : model);
}

std::string network_description(fs::path const& file) {
  NetworkPreset const network = read_network_file(file);
  return fmt::format("{}: {}{:g} GB/s, {:g} us{}", network.description, cards_text(network.nics),
                     network.nic.bandwidth.value / 1e9, 2e6 * network.nic.latency.value,
                     network.spec.estimate ? " (estimate)" : "");
}

std::string disk_description(fs::path const& file) {
  DiskSpec const disk = read_disk_file(file);
  return fmt::format("{}: reads {:g} GB/s, writes {:g} GB/s{}", disk.model, disk.read.bandwidth.value / 1e9,
                     disk.write.bandwidth.value / 1e9, disk.estimate ? " (estimate)" : "");
}

std::string platform_description(fs::path const& file) {
  if (parse_json_file(file).contains("graph")) return "graph of processors, for the application \"ring\"";
  std::string out;
  for (NodeType const& type : read_platform_types(file).types)
    out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", type.name, hardware_of(type));
  return out;
}

std::string kernels_description(fs::path const& file) {
  constexpr std::size_t maximum = 70;
  KernelModel const model = read_kernel_model(file);
  return fmt::format("{} timings; {}", model.timings.size(), first_sentence(model.provenance, maximum));
}

std::string example_description(fs::path const& file) { return parse_json_file(file).value("$comment", ""); }

/// Returns all kinds, in the order of the help. Their entries come from the tables that readers use.
std::vector<Catalogue> const& catalogues() {
  static std::vector<Catalogue> const all = {
      {"applications", "values of /application/type", [] { return entries_of(application_types()); }},
      {"disks", "disks that a platform or a scenario may name as \"disk\"",
       [] { return files_of(ShippedKind::disk, disk_description); }},
      {"distributions", "values of /distribution/type", [] { return entries_of(described_distributions()); }},
      {"examples", "scenarios and sweeps to start from, for `factosim init --example`",
       [] { return files_of(ShippedKind::example, example_description); }},
      {"kernels", "kernel models that a platform may name",
       [] { return files_of(ShippedKind::kernels, kernels_description); }},
      {"networks", "networks that a platform or a scenario may name as \"preset\" or \"nic\"",
       [] { return files_of(ShippedKind::network, network_description); }},
      {"platforms", "machines that a scenario may name",
       [] { return files_of(ShippedKind::platform, platform_description); }},
      {"policies", "values of /scheduler/type", [] { return entries_of(described_policies()); }},
      {"topics", "pages of `factosim help`", [] { return entries_of(described(help_topics())); }},
      {"traces", "formats of `factosim export` and of /outputs",
       [] { return entries_of(described(trace_formats())); }},
  };
  return all;
}

struct ListArguments {
  std::string kind;
  bool json = false;
};

/// Returns what there is of a kind; the kinds if it is empty.
std::vector<CatalogueEntry> listed(std::string const& kind) {
  std::vector<CatalogueEntry> kinds;
  for (Catalogue const& catalogue : catalogues()) {
    if (kind == catalogue.name) return catalogue.entries();
    kinds.push_back({catalogue.name, catalogue.description});
  }
  return kinds;
}

void list(ListArguments const& arguments) {
  std::vector<CatalogueEntry> const entries = listed(arguments.kind);
  if (!arguments.json) {
    std::vector<std::vector<std::string>> rows;
    for (CatalogueEntry const& entry : entries) rows.push_back({entry.name, entry.description});
    fmt::print("{}", aligned(rows));
    return;
  }
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (CatalogueEntry const& entry : entries) {
    out.push_back({{"name", entry.name}, {"description", entry.description}});
    if (!entry.file.empty()) out.back()["file"] = entry.file;
  }
  print_json(out);
}

}  // namespace

void add_list_command(CLI::App& program) {
  auto [options, a] =
      add_command(program, "list", "What a scenario can name: platforms, policies, distributions, ...", list,
                  "Example: factosim list platforms\n"
                  "         factosim list policies --json");
  options.choice("kind", a.kind, "What to list; without it, what can be listed", names_of(catalogues()));
  options.json(a.json, "Print the list as JSON on standard output");
}

}  // namespace factosim
