#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>
#include <nlohmann/json.hpp>

#include "simulator/base/core/json_reader.hpp"
#include "simulator/traces/import/fields.hpp"
#include "simulator/traces/programs/graph_readers.hpp"
#include "simulator/traces/programs/graph_rows.hpp"

namespace factosim {

namespace {

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
    std::string_view text{};  // as a table would have it; empty: null. Of an object: its JSON
    Kind kind = Kind::value;
    std::size_t first = 0, end = 0;  // of a list: its entries
  };

  /// Reads a line. Throws InputError at the reader's line if it is no JSON object, has a key twice, or a list with anything
  /// but such entries. O(bytes).
  void read(LineReader const& reader, std::string_view line) {
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

  [[nodiscard]] std::span<Member const> members() const { return members_; }
  [[nodiscard]] std::span<Entry const> entries(Member const& list) const {
    return std::span(entries_).subspan(list.first, list.end - list.first);
  }
  [[nodiscard]] bool has(std::string_view key) const {
    return std::ranges::find(members_, key, &Member::key) != members_.end();
  }

 private:
  // The readers return false where the text is something else.
  [[nodiscard]] bool object(LineReader const& reader) {
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

  [[nodiscard]] bool list(LineReader const& reader, Member& member) {
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

  [[nodiscard]] bool value(std::string_view& out) {
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

  [[nodiscard]] bool text(std::string_view& out) {
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

  [[nodiscard]] bool digits() {
    char const* const begin = at_;
    while (at_ != end_ && *at_ >= '0' && *at_ <= '9') ++at_;
    return at_ != begin;
  }

  [[nodiscard]] bool number(std::string_view& out) {
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

  [[nodiscard]] bool inner_object(std::string_view& out) {
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

  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }

  /// Skips blanks, and then that character if it is next.
  bool take(char c) {
    skip_blanks();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  char const* at_ = nullptr;
  char const* end_ = nullptr;
  std::vector<Member> members_;
  std::vector<Entry> entries_;
  std::deque<std::string> texts_;  // that do not stand in the line
};

/// Reads the JSON lines of one file.
class GraphLines {
 public:
  explicit GraphLines(std::filesystem::path const& file)
      : lines_(file), builder_(file), row_(lines_, builder_) {}

  TaskProgram read() {
    std::string_view line;
    while (lines_.next(line)) {
      if (trimmed(line).empty()) continue;
      json_.read(lines_, line);
      read_row(kind());
    }
    builder_.program().format = "graph-jsonl";
    builder_.note_modes();
    return std::move(builder_).finish();
  }

 private:
  [[nodiscard]] GraphRow::Kind const& kind() const {
    for (auto const of : {GraphRow::tasks, GraphRow::data, GraphRow::kernels, GraphRow::head})
      if (json_.has(of().mark())) return of();
    for (GraphRow::Kind const& event : GraphRow::events())
      if (json_.has(event.mark())) return event;
    lines_.fail(
        "has no \"task\", \"data\", \"kernel\" or \"format\", nor \"wont_use\", \"flush\" or \"wait\" (one "
        "of "
        "them says what the line is). Add it");
  }

  void read_row(GraphRow::Kind const& kind) {
    for (JsonLine::Member const& member : json_.members()) {
      if (member.key == comment_key) continue;
      GraphRow::Field const* const field = row_.field(kind, member.key, "key");
      bool const list = member.kind == JsonLine::Kind::list, object = member.kind == JsonLine::Kind::object;
      bool const is_list = field != nullptr && field->add != nullptr;
      if (is_list && !list && field->set == nullptr)
        lines_.fail(fmt::format("has no list as \"{}\". Write it in brackets", member.key));
      if ((list && !is_list) || object != (field != nullptr && field->is_object))
        lines_.fail(fmt::format("has a list or an object as \"{}\". Give {}", member.key.substr(0, 80),
                                field != nullptr && field->is_object ? "an object" : "a text or a number"));
      if (!list) row_.set(kind, field, member.key, member.text);
      for (JsonLine::Entry const& entry : json_.entries(member)) row_.add(*field, entry.first, entry.second);
    }
    (row_.*kind.end)();
  }

  LineReader lines_;
  ProgramBuilder builder_;
  GraphRow row_;
  JsonLine json_;
};

/// Reads the rows of a table. Refuses unknown columns.
void read_table(std::filesystem::path const& file, GraphRow::Kind const& kind, ProgramBuilder& builder) {
  CsvRows table(file);
  GraphRow row(table.lines(), builder);
  std::vector<std::string> const& header = table.header();
  std::vector<GraphRow::Field const*> fields;
  for (std::string const& column : header) fields.push_back(row.field(kind, column, "column"));
  while (table.next()) {
    for (std::size_t c = 0; c < header.size(); ++c)
      if (fields[c] == nullptr || fields[c]->add == nullptr)
        row.set(kind, fields[c], header[c], table.at(c));
      else
        for_each_word(table.at(c), [&](std::string_view word) {  // "a:b", split at the last colon
          std::size_t const colon = std::min(word.rfind(':'), word.size());
          row.add(*fields[c], word.substr(0, colon), word.substr(std::min(colon + 1, word.size())));
        });
    (row.*kind.end)();
  }
}

TaskProgram read_tables(std::filesystem::path const& file) {
  ProgramBuilder builder(file);
  for (auto const& [name, kind] :
       {std::pair{"kernels.csv", &GraphRow::kernels()}, {"data.csv", &GraphRow::data()}})
    if (auto const table = plain_or_gzipped(file.parent_path(), name); !table.empty())
      read_table(table, *kind, builder);
  read_table(file, GraphRow::tasks(), builder);
  builder.program().format = "graph-csv";
  builder.note_modes();
  return std::move(builder).finish();
}

}  // namespace

/// JSON lines of our own format (scenarios/graphs.md).
GraphReader const graph_lines_program{
    .name = "graph-jsonl",
    .recognises = [](GraphSource const& s) { return s.first_line.starts_with('{') && s.document == nullptr; },
    .read = [](GraphSource const& s) { return GraphLines(s.path).read(); }};

/// CSV tables of our own format: a table of tasks; data.csv and kernels.csv beside it are read too.
GraphReader const graph_tables_program{.name = "graph-csv",
                                       .recognises =
                                           [](GraphSource const& s) {
                                             return has_columns(s.first_line, {"task", "kernel"});
                                           },
                                       .read = [](GraphSource const& s) { return read_tables(s.path); }};

}  // namespace factosim
