#include "factosim/error.hpp"

#include <fmt/format.h>

namespace factosim {

void throw_contract_error(char const* file, int line, char const* condition, std::string const& message) {
  throw ContractError(
      fmt::format("internal error: {} [{} is false at {}:{}]. Please report it with the scenario", message,
                  condition, file, line));
}

}  // namespace factosim
