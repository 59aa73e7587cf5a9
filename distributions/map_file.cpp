#include "distributions/map_file.hpp"

#include <fmt/format.h>

#include <optional>
#include <sstream>
#include <string_view>

#include "factosim/error.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/parsed.hpp"

namespace factosim {

namespace {

constexpr int largest_side = 100'000;

/// The whitespace-separated integers of one line; its errors name line and column.
class MapLine {
 public:
  MapLine(std::string const& file, int number, std::string_view text)
      : file_(file), number_(number), text_(text) {}

  /// Returns the next number, in [minimum, maximum], or nothing at the end of the line.
  std::optional<int> next(int minimum, int maximum) {
    std::size_t const begin = text_.find_first_not_of(" \t\r", place_);
    if (begin == std::string_view::npos) return std::nullopt;
    std::size_t end = text_.find_first_of(" \t\r", begin);
    if (end == std::string_view::npos) end = text_.size();
    auto const value = parsed<int>(text_.substr(begin, end - begin));
    if (!value || *value < minimum || *value > maximum)
      fail(begin, fmt::format("\"{}\" does not fit (a whole number from {} to {} is expected). Correct it",
                              text_.substr(begin, std::min<std::size_t>(end - begin, 20)), minimum, maximum));
    place_ = end;
    return value;
  }

  [[noreturn]] void fail(std::size_t column, std::string const& problem) const {
    throw InputError(fmt::format("{}#line {} column {}", file_, number_, column + 1), problem);
  }
  [[nodiscard]] std::size_t place() const { return place_; }

 private:
  std::string const& file_;
  int number_;
  std::string_view text_;
  std::size_t place_ = 0;
};

/// Appends the owners of the next row to the map.
void read_row(MapLine line, TileMap& map) {
  constexpr int max_owner = 10'000'000;
  for (int n = 0; n < map.nt; ++n) {
    auto const owner = line.next(1, max_owner);
    if (!owner)
      line.fail(
          line.place(),
          fmt::format("the row ends after {} of {} tiles (each needs an owner). Add the rest", n, map.nt));
    map.owner.emplace_back(*owner - 1);
  }
  if (line.next(0, max_owner))
    line.fail(
        line.place(),
        fmt::format("the row has more than {} tiles (the head line announces that many). Remove the rest",
                    map.nt));
}

}  // namespace

TileMap read_map(std::filesystem::path const& path) {
  std::string const file = path.string();
  std::istringstream in(read_input_text(path));
  std::string text;
  std::getline(in, text);
  MapLine head(file, 1, text);
  auto const mt = head.next(1, largest_side);
  auto const nt = head.next(1, largest_side);
  if (!mt || !nt || head.next(0, largest_side))
    head.fail(head.place(),
              "is not a head line (rows and columns of the map are expected: M N). Write two numbers");
  TileMap map{*mt, *nt, {}};
  for (int m = 0; m < *mt; ++m) {
    if (!std::getline(in, text))
      throw InputError(
          file + "#",
          fmt::format("ends after {} of {} rows (the head line announces more). Add the rest", m, *mt));
    read_row(MapLine(file, m + 2, text), map);
  }
  for (int number = *mt + 2; std::getline(in, text); ++number)
    if (text.find_first_not_of(" \t\r") != std::string::npos)
      throw InputError(
          fmt::format("{}#line {}", file, number),
          fmt::format("a row too many (the head line announces {}). Remove it or correct the head line",
                      *mt));
  return map;
}

std::string map_text(TileMap const& map) {
  std::string out = fmt::format("{} {}\n", map.mt, map.nt);
  for (int m = 0; m < map.mt; ++m)
    for (int n = 0; n < map.nt; ++n) {
      FACTOSIM_EXPECT(map.at(m, n).valid(), "a tile without owner cannot be written");
      out += fmt::format("{}{}", map.at(m, n).value() + 1, n + 1 < map.nt ? ' ' : '\n');
    }
  return out;
}

}  // namespace factosim
