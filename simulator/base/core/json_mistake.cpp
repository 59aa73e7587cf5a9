#include "simulator/base/core/json_mistake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/base/core/json_text.hpp"

namespace factosim {

namespace {

struct JsonMistake {
  std::size_t at;  // byte
  std::string message;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// Letters of bare words; all bytes of characters beyond ASCII count.
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// Finds the first mistake: throws it as JsonMistake. Recursion is as deep as the text is nested, which InputLimit::nesting
/// limits.
class MistakeFinder {
 public:
  explicit MistakeFinder(std::string_view text) : text_(text) {}

  void document() {
    skip_blanks();
    if (at_end()) fail(0, "it is empty", "Write {...}");
    value();
    skip_blanks();
    if (at_end()) return;
    if (peek() == '}' || peek() == ']')
      fail(at_, fmt::format("this {} closes nothing", peek()), "Remove it, or add what it closes");
    fail(at_, "text stands after the end", "Remove it: a file has one value");
  }

 private:
  [[noreturn]] static void fail(std::size_t at, std::string_view why, std::string_view remedy) {
    throw JsonMistake{at, fmt::format("is not valid JSON ({}). {}", why, remedy)};
  }

  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[at_]; }
  [[nodiscard]] bool is_next(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  [[nodiscard]] std::ptrdiff_t line_of(std::size_t at) const {
    return 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  }

  void skip_blanks() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    if (peek() == '#' || is_next("//") || is_next("/*"))
      fail(at_, "JSON has no comments", "Remove it, or write a key \"$comment\": \"...\"");
    for (std::string_view const blank : {"\u00a0", "\u200b", "\u202f", "\ufeff"})
      if (is_next(blank)) fail(at_, "this invisible character is not a space", "Write a space");
  }

  /// Returns the run of characters from here that numbers and bare words have.
  [[nodiscard]] std::string word() const {
    std::size_t end = at_;
    auto const belongs = [&](char c) {
      return is_digit(c) || is_letter(c) || c == '+' || c == '-' || c == '.' || c == '%' ||
             (c == '/' && end + 1 < text_.size() && is_letter(text_[end + 1]));
    };
    while (end < text_.size() && belongs(text_[end])) ++end;
    return std::string(text_.substr(at_, end - at_));
  }

  void value() {
    char const c = peek();
    if (c == '{' || c == '[') return container();
    if (c == '"') return string();
    refuse_quotes();
    if (is_digit(c) || c == '-' || c == '+' || c == '.') return number();
    if (is_letter(c)) return bare_word();
    if (at_end()) fail(at_, "it ends where a value is expected", "Complete it; is the file cut off?");
    if (c == '}' || c == ']' || c == ',')
      fail(at_, fmt::format("a value is missing before this {}", c), "Add the value");
    fail(at_, fmt::format("no value begins with {}", json_text(std::string_view(&c, 1))),
         "Write a number, true, false, null, \"text\", [...] or {...}");
  }

  void refuse_quotes() const {
    char const* const remedy = "Write \" around text";
    if (peek() == '\'' || peek() == '`')
      fail(at_, fmt::format("text stands in \" and not in {}", peek()), remedy);
    for (std::string_view const quote : {"\u201c", "\u201d", "\u201e", "\u2018", "\u2019", "\u00ab"})
      if (is_next(quote)) fail(at_, fmt::format("text stands in \" and not in {}", quote), remedy);
  }

  void container() {
    std::size_t const start = at_++;
    char const open = text_[start], close = open == '{' ? '}' : ']';
    std::set<std::string> keys;
    skip_blanks();
    if (peek() == close) {
      ++at_;
      return;
    }
    do {
      if (at_end()) fail_open(start, close);
      if (peek() == ',') fail(at_, "nothing stands before this comma", "Remove it, or add what is missing");
      if (open == '{') key(keys);
      value();
    } while (goes_on(start, close));
  }

  /// Returns whether another item follows; the container is left behind otherwise.
  bool goes_on(std::size_t start, char close) {
    std::size_t const end = at_;
    skip_blanks();
    char const c = peek();
    if (c == ',') {
      std::size_t const comma = at_++;
      skip_blanks();
      if (peek() == '}' || peek() == ']')
        fail(comma, fmt::format("a comma stands before {}", peek()), "Remove the comma");
      return true;
    }
    if (c == close) {
      ++at_;
      return false;
    }
    if (at_end()) fail_open(start, close);
    if (c == '}' || c == ']')
      fail(at_, fmt::format("this {} cannot close the {} of line {}", c, text_[start], line_of(start)),
           fmt::format("Write {}, or add it before", close));
    if (c == ';') fail(at_, "a semicolon stands where a comma is expected", "Write ,");
    if (c == ':' && close == ']') fail(at_, "a list has no keys", "Write {...} around keys and values");
    if (c == '=' || c == ':')
      fail(at_, fmt::format("this {} follows a value", c), "Write \"KEY\": VALUE, ...");
    if (end == at_ && text_[end - 1] == '"')
      fail(end, "a comma is missing, or a \" within text lacks its backslash",
           "Add the comma, or write \\\"");
    fail(end, "a comma is missing after the value", "Add the comma");
  }

  [[noreturn]] void fail_open(std::size_t start, char close) const {
    fail(start, fmt::format("this {} is never closed", text_[start]), fmt::format("Add the {}", close));
  }

  void key(std::set<std::string>& keys) {
    refuse_quotes();
    std::size_t const start = at_;
    if (std::string const name = word(); !name.empty()) {
      bool const half = start + name.size() < text_.size() && text_[start + name.size()] == '"';
      if (is_digit(name.front()) || name.front() == '-' || name.front() == '.')
        fail(start, "a number stands where a key is expected",
             "Write decimals with a point (0.5) and keys in quotes");
      fail(start, fmt::format("the key {} has no {}", name, half ? "opening quote" : "quotes"),
           fmt::format("Write \"{}\"", name));
    }
    if (peek() != '"') fail(at_, "a key is expected here", "Write \"KEY\": VALUE");
    string();
    std::string const name(text_.substr(start, at_ - start));
    if (!keys.insert(name).second)
      throw JsonMistake{start, fmt::format("the key {} stands twice in one object (one of them would be "
                                           "ignored). Keep one",
                                           name)};
    skip_blanks();
    if (peek() == '=') fail(at_, "= stands where a colon is expected", "Write :");
    if (peek() != ':')
      fail(start, fmt::format("no colon and value follow the key {}", shortened(name)),
           fmt::format("Write {}: VALUE", shortened(name)));
    ++at_;
    skip_blanks();
  }

  static std::string shortened(std::string const& text) {
    return text.size() <= 40 ? text : text.substr(0, 36) + "...\"";
  }

  void string() {
    std::size_t const start = at_++;
    for (; peek() != '"' || at_end(); ++at_) {
      if (at_end() || peek() == '\n' || peek() == '\r')
        fail(start, "the text that begins here has no closing quote",
             "Add the quote on the same line; a line break in text is \\n");
      if (static_cast<unsigned char>(peek()) < 0x20)
        fail(at_, peek() == '\t' ? "a tabulator stands in text" : "a control character stands in text",
             peek() == '\t' ? "Write \\t" : "Remove it");
      if (peek() == '\\') escape();
    }
    ++at_;
  }

  /// Checks what follows a backslash and goes to its last character.
  void escape() {
    std::size_t const start = at_++;
    if (peek() == 'u') {
      for (int digit = 0; digit < 4; ++digit)
        if (++at_; std::isxdigit(static_cast<unsigned char>(peek())) == 0)
          fail(start, "\\u has not four hexadecimal digits", "Write \\\\ for a backslash");
    } else if (at_end() || std::string_view("\"\\/bfnrt").find(peek()) == std::string_view::npos) {
      fail(start, "a backslash in text begins no escape of JSON", "Write \\\\ for a backslash");
    }
  }

  void number() {
    std::string const token = word();
    std::size_t const start = at_;
    std::size_t at = token.front() == '-' ? 1 : 0;
    auto const digits = [&] {
      std::size_t const from = at;
      while (at < token.size() && is_digit(token[at])) ++at;
      return at - from;
    };
    std::size_t const first = at, whole = digits();
    bool valid = whole == 1 || (whole > 1 && token[first] != '0');
    if (at < token.size() && token[at] == '.') {
      ++at;
      valid = digits() > 0 && valid;
    }
    bool const exponent = at < token.size() && (token[at] == 'e' || token[at] == 'E');
    if (exponent) {
      at += at + 1 < token.size() && (token[at + 1] == '+' || token[at + 1] == '-') ? 2 : 1;
      valid = digits() > 0 && valid;
    }
    if (valid && at == token.size()) {
      if (std::isinf(std::strtod(token.c_str(), nullptr)))
        fail(start, fmt::format("{} is too large a number", token), "Write a smaller one");
      at_ += token.size();
      return;
    }
    if (is_letter(token[std::min(first, token.size() - 1)])) return bare_word();
    if (valid && (is_letter(token[at]) || token[at] == '%' || token[at] == '/') && token[first] != '0')
      fail(start, fmt::format("{} is not a number", token),
           fmt::format("Write the number alone, in the unit of the key, or \"{}\" in quotes", token));
    fail(start, fmt::format("{} is not a JSON number", token), "Write it as 20, 0.5, -3 or 1e-6");
  }

  void bare_word() {
    std::string const token = word();
    if (token == "true" || token == "false" || token == "null") {
      at_ += token.size();
      return;
    }
    std::string lower = token;
    std::ranges::transform(lower, lower.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    using Pair = std::pair<std::string_view, std::string_view>;
    for (auto const& [other, own] : {Pair{"true", "true"}, Pair{"false", "false"}, Pair{"null", "null"},
                                     Pair{"none", "null"}, Pair{"nil", "null"}, Pair{"undefined", "null"}})
      if (lower == other)
        fail(at_, fmt::format("JSON writes {} as {}", token, own), fmt::format("Write {}", own));
    lower.erase(0, lower.find_first_not_of("+-"));
    for (std::string_view const no_number : {"nan", "inf", "infinity"})
      if (lower == no_number)
        fail(at_, fmt::format("{} is not a JSON number", token),
             "Write a finite number, or leave the key out");
    fail(at_, fmt::format("the text {} has no quotes", token), fmt::format("Write \"{}\"", token));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Returns the first mistake; for one that only the library knows, as bytes that are not UTF-8, the library's words.
JsonMistake first_mistake(std::string_view text, std::size_t byte, std::string_view words) {
  try {
    MistakeFinder(text).document();
  } catch (JsonMistake const& mistake) {
    return mistake;
  }
  return {std::clamp<std::size_t>(byte, 1, text.size() + 1) - 1,
          fmt::format("is not valid JSON ({}). Correct it there", words)};
}

}  // namespace

void refuse_json(std::string const& file, std::string_view text, std::size_t byte, std::string_view words) {
  JsonMistake const mistake = first_mistake(text, byte, words);
  std::string_view const before = text.substr(0, mistake.at);
  std::size_t const start = before.rfind('\n') + 1;  // npos + 1 is 0
  auto const is_first_byte = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  auto const column = 1 + std::ranges::count_if(before.substr(start), is_first_byte);
  constexpr std::size_t widest = 80;
  std::string_view line = text.substr(start, text.find_first_of("\r\n", start) - start);
  if (mistake.at - start > widest / 2) line.remove_prefix(mistake.at - start - widest / 2);
  while (!line.empty() && !is_first_byte(line.front())) line.remove_prefix(1);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  std::size_t end = std::min(widest, line.size());
  while (end < line.size() && !is_first_byte(line[end])) ++end;
  line = line.substr(0, end);
  std::string shown(line);
  std::ranges::replace_if(
      shown, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  throw InputError(fmt::format("{}:{}:{}", file, 1 + std::ranges::count(before, '\n'), column),
                   mistake.message + (shown.empty() ? "" : ". The line: " + shown));
}

}  // namespace factosim
