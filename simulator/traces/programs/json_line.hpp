#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/traces/import/line_reader.hpp"

namespace factosim {

/// The members of a JSON object that stands on a line, as texts. Valid as long as the line and until the next one is read.
class JsonLine {
 public:
  /// An entry of a list: a value, or two of them in brackets.
  struct Entry {
    std::string_view first, second{};
  };
  enum class Kind : std::uint8_t { value, list, object };
  struct Member {
    std::string_view key;
    std::string_view
        text{};  // a text, number or boolean as a table would have it; empty: null. Of an object: its JSON
    Kind kind = Kind::value;
    std::size_t first = 0, end = 0;  // of a list: its entries
  };

  /// Reads a line. Throws InputError at the reader's line if it is no JSON object, has a key twice, or a list with anything
  /// but such entries. O(bytes).
  void read(LineReader const& reader, std::string_view line);
  [[nodiscard]] std::span<Member const> members() const { return members_; }
  [[nodiscard]] std::span<Entry const> entries(Member const& list) const {
    return std::span(entries_).subspan(list.first, list.end - list.first);
  }
  [[nodiscard]] bool has(std::string_view key) const;

 private:
  // Each returns false where the text is something else.
  [[nodiscard]] bool object(LineReader const& reader);
  [[nodiscard]] bool list(LineReader const& reader, Member& member);
  [[nodiscard]] bool value(std::string_view& out);
  [[nodiscard]] bool text(std::string_view& out);
  [[nodiscard]] bool number(std::string_view& out);
  [[nodiscard]] bool inner_object(std::string_view& out);
  [[nodiscard]] bool digits();
  void skip_blanks();
  /// Skips blanks, and then that character if it is next.
  bool take(char c);

  char const* at_ = nullptr;
  char const* end_ = nullptr;
  std::vector<Member> members_;
  std::vector<Entry> entries_;
  std::deque<std::string> texts_;  // that do not stand in the line
};

}  // namespace factosim
