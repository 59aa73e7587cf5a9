#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace factosim {

/// A mistake in what the user gave. Exit code 2.
/// The message reads `FILE#/json/pointer: problem (why). what to do`.
class InputError : public std::runtime_error {
 public:
  InputError(std::string_view where, std::string_view message)
      : std::runtime_error(std::string(where) + ": " + std::string(message)) {}
};

/// The input is sound and has no solution (a node too small for its tiles, say). Exit code 4.
class InfeasibleError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A comparison beyond its tolerance. Exit code 5.
class ToleranceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A mistake of ours. Exit code 3.
class ContractError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void throw_contract_error(char const* file, int line, char const* condition,
                                       std::string const& message);

}  // namespace factosim

/// Checked in every build: what is cheap, or what would give a wrong answer silently.
#define FACTOSIM_ALWAYS(condition, message)                                      \
  do {                                                                           \
    if (!(condition)) [[unlikely]]                                               \
      ::factosim::throw_contract_error(__FILE__, __LINE__, #condition, message); \
  } while (false)

/// Preconditions and postconditions: checked where FACTOSIM_CONTRACTS is 1 (dev, asan, audit).
#if FACTOSIM_CONTRACTS
#define FACTOSIM_EXPECT(condition, message) FACTOSIM_ALWAYS(condition, message)
#define FACTOSIM_ENSURE(condition, message) FACTOSIM_ALWAYS(condition, message)
#else
#define FACTOSIM_EXPECT(condition, message) static_cast<void>(0)
#define FACTOSIM_ENSURE(condition, message) static_cast<void>(0)
#endif
