#include "simulator/front/cli/import_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "factosim/error.hpp"

namespace factosim {

void add_host_arguments(CLI::App& command, std::vector<std::string>& hosts, std::vector<std::string>& names) {
  command
      .add_option("--host", hosts,
                  "Name of the machine in the files (STARPU_HOSTNAME), if there are several; may be repeated")
      ->type_name("NAME")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      .add_option("--name", names,
                  "Name to give the machine, instead of that of the host; one for each --host")
      ->type_name("NAME")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void check_names(std::vector<std::string> const& names, std::size_t hosts) {
  if (!names.empty() && names.size() != hosts)
    throw InputError("--name#",
                     fmt::format("{} names for {} hosts (each machine has one). Give one for each --host, or "
                                 "none",
                                 names.size(), hosts));
  for (std::string const& name : names)
    if (name.empty() || name.find('/') != std::string::npos || std::ranges::count(names, name) > 1)
      throw InputError("--name#",
                       fmt::format("\"{}\" is no name for one machine (it must be unique, not empty, without "
                                   "slashes). Give another",
                                   name));
}

}  // namespace factosim
