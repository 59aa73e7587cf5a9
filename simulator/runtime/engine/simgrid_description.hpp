#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace factosim {

/// The part of a SimGrid platform file that describes hosts, links and routes.
struct SimGridDescription {
  std::string xml;
  std::vector<std::string> dropped;  // names of elements that SimGrid must not see, such as "config"; sorted
};

/// Reads a SimGrid platform file and leaves out what would make SimGrid read or write other files or change its
/// options: settings, profiles, included files. Throws ChildFailure if the file is not XML, is nested
/// too deep, or its clusters have too many hosts.
SimGridDescription read_simgrid_description(std::filesystem::path const& file);

}  // namespace factosim
