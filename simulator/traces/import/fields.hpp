#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "simulator/traces/import/line_reader.hpp"

namespace factosim {

// Parsers of field values. Each throws InputError at the reader's line if the value is malformed; `what`
// describes the field.

/// A date or a duration in units of `unit_s`, in seconds; that of a run (`plausible_date`).
[[nodiscard]] double date_s(LineReader const& at, std::string_view field, double unit_s,
                            std::string_view what);
/// A finite number of milliseconds, as seconds; `unknown` for an empty field.
[[nodiscard]] double milliseconds(LineReader const& at, std::string_view field, std::string_view what);
/// A finite number.
[[nodiscard]] double number(LineReader const& at, std::string_view field, std::string_view what);
/// A whole number in [minimum, maximum].
[[nodiscard]] std::int64_t integer(LineReader const& at, std::string_view field, std::int64_t minimum,
                                   std::int64_t maximum, std::string_view what);
/// A 64-bit hexadecimal number.
[[nodiscard]] std::uint64_t hexadecimal(LineReader const& at, std::string_view field, std::string_view what);

/// Number of a task and the node that assigned it: "12" or "3_12".
struct TaskName {
  std::uint32_t node = 0;
  std::uint32_t number = 0;
  [[nodiscard]] constexpr std::uint64_t key() const { return std::uint64_t{node} << 32U | number; }
};
[[nodiscard]] TaskName task_name(LineReader const& at, std::string_view field,
                                 std::uint32_t node_without_prefix);

constexpr std::uint8_t reduces = 4, commutes = 8;  // beyond the bits of Access
/// StarPU's access modes: R, W, S(cratch), X (reduction), C(ommuting). Returns these bits; 0: scratch.
[[nodiscard]] std::uint8_t access_mode(LineReader const& at, std::string_view text);

/// Calls `use` for each of the words between the blanks of a field.
template <class Use>
void for_each_word(std::string_view field, Use use) {
  constexpr std::string_view blanks = " \t";
  for (std::size_t at = field.find_first_not_of(blanks); at != std::string_view::npos;) {
    std::size_t const end = std::min(field.find_first_of(blanks, at), field.size());
    use(field.substr(at, end - at));
    at = field.find_first_not_of(blanks, end);
  }
}
/// Splits a field at blanks.
void split_words(std::string_view field, std::vector<std::string_view>& words);
[[nodiscard]] std::string_view trimmed(std::string_view field);

/// Maximum number of nodes; bounds tables indexed by node.
constexpr std::uint32_t max_nodes = 100'000;

}  // namespace factosim
