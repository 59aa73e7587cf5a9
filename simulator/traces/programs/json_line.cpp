#include "simulator/traces/programs/json_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "simulator/base/core/json_reader.hpp"

namespace factosim {

bool JsonLine::has(std::string_view key) const {
  return std::ranges::find(members_, key, &Member::key) != members_.end();
}

void JsonLine::read(LineReader const& reader, std::string_view line) {
  members_.clear();
  entries_.clear();
  texts_.clear();
  at_ = line.data();
  end_ = at_ + line.size();
  try {
    if (object(reader)) return;
    if (nlohmann::json::parse(line).is_object())
      reader.fail("has a list or an object where none may be. Give texts and numbers");
  } catch (nlohmann::json::exception const& error) {
    reader.fail(fmt::format("is no JSON ({}). Write one object on each line", plain_text(error)));
  }
  reader.fail("is no JSON object. Write one object on each line");
}

bool JsonLine::object(LineReader const& reader) {
  if (!take('{')) return false;
  if (!take('}')) {
    do {
      Member member;
      skip_blanks();
      if (!text(member.key) || !take(':')) return false;
      if (has(member.key)) reader.fail("has a key twice (one of them would count). Keep one");
      skip_blanks();
      if (at_ != end_ && *at_ == '{') {
        member.kind = Kind::object;
        if (!inner_object(member.text)) return false;
      } else if (take('[')) {
        if (!list(reader, member)) return false;
      } else if (!value(member.text)) {
        return false;
      }
      members_.push_back(member);
    } while (take(','));
    if (!take('}')) return false;
  }
  skip_blanks();
  return at_ == end_;
}

bool JsonLine::list(LineReader const& reader, Member& member) {
  member.kind = Kind::list;
  member.first = member.end = entries_.size();
  if (take(']')) return true;
  do {
    Entry entry;
    if (take('[')) {
      std::size_t parts = 0;
      for (; !take(']'); ++parts)
        if ((parts > 0 && !take(',')) || !value(parts == 0 ? entry.first : entry.second)) return false;
      if (parts != 2)
        reader.fail(
            fmt::format("has an entry of {} parts in \"{}\". Write [DATUM, MODE] for an access, and ID or "
                        "[ID, BYTES] for a dependency",
                        parts, member.key));
    } else if (!value(entry.first)) {
      return false;
    }
    entries_.push_back(entry);
  } while (take(','));
  member.end = entries_.size();
  return take(']');
}

bool JsonLine::value(std::string_view& out) {
  skip_blanks();
  if (at_ == end_) return false;
  if (*at_ == '"') return text(out);
  for (std::string_view const word : {"true", "false", "null"})
    if (*at_ == word[0] && std::string_view(at_, end_).starts_with(word)) {
      at_ += word.size();
      out = word == "null" ? std::string_view() : word;
      return true;
    }
  return number(out);
}

bool JsonLine::text(std::string_view& out) {
  if (at_ == end_ || *at_ != '"') return false;
  char const* const begin = at_++;
  bool plain = true;
  for (; at_ != end_ && *at_ != '"' && static_cast<unsigned char>(*at_) >= ' '; ++at_)
    if (*at_ == '\\') {
      plain = false;
      if (++at_ == end_) return false;
    }
  if (at_ == end_ || *at_ != '"') return false;
  ++at_;
  out = plain ? std::string_view(begin + 1, at_ - 1)
              : texts_.emplace_back(nlohmann::json::parse(begin, at_).get<std::string>());
  return true;
}

bool JsonLine::digits() {
  char const* const begin = at_;
  while (at_ != end_ && *at_ >= '0' && *at_ <= '9') ++at_;
  return at_ != begin;
}

bool JsonLine::number(std::string_view& out) {
  char const* const begin = at_;
  if (*at_ == '-') ++at_;
  char const* const first = at_;
  if (!digits() || (*first == '0' && at_ - first > 1)) return false;
  out = {begin, at_};
  if (at_ != end_ && *at_ == '.' && (++at_, !digits())) return false;
  if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
    ++at_;
    if (at_ != end_ && (*at_ == '-' || *at_ == '+')) ++at_;
    if (!digits()) return false;
  }
  if (out.size() == static_cast<std::size_t>(at_ - begin)) return true;
  double parsed = 0;  // whole numbers may be written as others
  if (std::from_chars(begin, at_, parsed).ec != std::errc{}) return false;
  out = texts_.emplace_back(parsed == std::floor(parsed) && std::abs(parsed) < 1e15
                                ? fmt::format("{:.0f}", parsed)
                                : fmt::format("{}", parsed));
  return true;
}

bool JsonLine::inner_object(std::string_view& out) {
  char const* const begin = at_;
  int depth = 0;
  for (std::string_view inside; at_ != end_;) {
    if (*at_ == '"') {
      if (!text(inside)) return false;
      continue;
    }
    if (*at_ == '{') ++depth;
    if (*at_++ == '}' && --depth == 0) break;
  }
  out = {begin, at_};
  return nlohmann::json::accept(out);
}

void JsonLine::skip_blanks() {
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
}

bool JsonLine::take(char c) {
  skip_blanks();
  if (at_ == end_ || *at_ != c) return false;
  ++at_;
  return true;
}

}  // namespace factosim
