#include "tests/fuzz/mutator.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace factosim::testing {

namespace {

using namespace std::string_view_literals;

/// Values at which readers have limits, or that are no numbers.
constexpr std::array numbers{
    "0"sv,          "-1"sv,         "1"sv,          "-0.0"sv,        "1e308"sv,
    "-1e308"sv,     "1e-320"sv,     "nan"sv,        "-inf"sv,        "1e999"sv,
    "2147483647"sv, "2147483648"sv, "4294967296"sv, "-2147483649"sv, "9223372036854775807"sv,
    "1e-30"sv,      "1e31"sv,       "65536"sv,      "1000001"sv,     "18446744073709551616"sv,
    "0.5"sv,        "5001"sv,       "null"sv,       "true"sv,        "\"\""sv,
    "[]"sv,         "{}"sv,         "0x1p3"sv,      "1e"sv,          "\xff\xfe"sv};

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '+' || c == '.';
}

/// Begin and end of the word at or after a place; both at the end of the text if there is none.
std::pair<std::size_t, std::size_t> word_at(std::string_view text, std::size_t place) {
  while (place < text.size() && !in_word(text[place])) ++place;
  std::size_t begin = place, end = place;
  while (begin > 0 && in_word(text[begin - 1])) --begin;
  while (end < text.size() && in_word(text[end])) ++end;
  return {begin, end};
}

/// Begin and end of the line at a place, with its end.
std::pair<std::size_t, std::size_t> line_at(std::string_view text, std::size_t place) {
  std::size_t const before = place == 0 ? std::string_view::npos : text.rfind('\n', place - 1);
  std::size_t const after = text.find('\n', place);
  return {before == std::string_view::npos ? 0 : before + 1,
          after == std::string_view::npos ? text.size() : after + 1};
}

}  // namespace

void Mutator::add(std::string input) {
  constexpr std::size_t most_words = 5000;
  for (std::size_t place = 0; place < input.size() && words_.size() < most_words;) {
    auto const [begin, end] = word_at(input, place);
    if (end > begin) words_.push_back(input.substr(begin, end - begin));
    place = end + 1;
  }
  inputs_.push_back(std::move(input));
}

std::string Mutator::next() {
  std::string text = any_input();
  for (std::size_t changes = std::size_t{1} << below(4), i = 0; i < changes; ++i) change(text);
  if (text.size() > max_size) text.resize(max_size);
  return text;
}

void Mutator::change(std::string& text) {
  std::size_t const kind = below(10);
  if (kind < 5)
    change_word(text);
  else if (kind < 7)
    change_lines(text);
  else if (kind < 9)
    change_bytes(text);
  else
    splice(text);
}

void Mutator::change_bytes(std::string& text) {
  std::size_t const place = below(text.size() + 1);
  constexpr std::string_view special("\0\n\r\t,:;\"'{}[]#=% \\\x7f\x80\xff", 22);
  switch (below(4)) {
    case 0:
      if (place < text.size()) text[place] = static_cast<char>(text[place] ^ (1 << below(8)));
      break;
    case 1:
      text.insert(place, 1, special[below(special.size())]);
      break;
    case 2:
      text.erase(place, below(16) + 1);
      break;
    default:
      for (std::size_t i = place; i < std::min(place + 8, text.size()); ++i)
        text[i] = static_cast<char>(random_());
  }
}

void Mutator::change_word(std::string& text) {
  auto const [begin, end] = word_at(text, below(text.size()));
  switch (below(4)) {
    case 0:
      text.replace(begin, end - begin, words_.empty() ? "x" : words_[below(words_.size())]);
      break;
    case 1:
      text.insert(end, 1, static_cast<char>('0' + below(10)));
      break;
    default:
      text.replace(begin, end - begin, numbers[below(numbers.size())]);
  }
}

void Mutator::change_lines(std::string& text) {
  auto const [begin, end] = line_at(text, below(text.size() + 1));
  std::string const line = text.substr(begin, end - begin);
  switch (below(3)) {
    case 0:
      text.erase(begin, end - begin);
      break;
    case 1:
      text.insert(line_at(text, below(text.size() + 1)).first, line);
      break;
    default:
      text.resize(begin + below(line.size() + 1));
  }
}

void Mutator::splice(std::string& text) {
  std::string const& other = any_input();
  std::size_t const from = below(other.size()), to = below(text.size() + 1);
  text.replace(to, below(text.size() - to + 1), other, from, below(other.size() - from + 1));
}

}  // namespace factosim::testing
