#include "simulator/core/error.hpp"

namespace factosim {

void throw_contract_error(char const* file, int line, char const* condition, std::string const& message) {
  throw ContractError(std::string("internal error: ") + message + " [" + condition + " is false at " + file +
                      ":" + std::to_string(line) + "]. Please report it with the scenario");
}

}  // namespace factosim
