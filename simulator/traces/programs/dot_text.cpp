#include "simulator/traces/programs/dot_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "factosim/error.hpp"
#include "simulator/base/core/input_files.hpp"

namespace factosim {

namespace {

constexpr int max_depth = 100;  // of subgraphs

/// Reads the DOT language (graphviz.org/doc/info/lang.html), without HTML labels.
class DotParser {
 public:
  explicit DotParser(std::filesystem::path const& file) : text_(read_input_text(file)) {
    out_.file = file.string();
  }

  DotText parse() {
    next();
    if (is_word("strict")) next();
    if (is_word("graph"))
      fail("is an undirected graph (dependencies have a direction). Write digraph and ->");
    if (!is_word("digraph")) fail("does not begin with \"digraph\". Is it DOT?");
    next();
    if (kind_ == Kind::word) next();
    expect('{');
    statements(0);
    return std::move(out_);
  }

 private:
  enum class Kind { word, quoted, symbol, arrow, end };

  [[noreturn]] void fail(std::string_view problem) const {
    throw InputError(fmt::format("{}#line {}", out_.file, line_), std::string(problem));
  }
  [[nodiscard]] bool is_name() const { return kind_ == Kind::word || kind_ == Kind::quoted; }
  [[nodiscard]] bool is_word(std::string_view word) const {
    return kind_ == Kind::word && token_.size() == word.size() &&
           std::ranges::equal(token_, word, {},
                              [](char c) { return std::tolower(static_cast<unsigned char>(c)); });
  }
  [[nodiscard]] bool is(char symbol) const { return kind_ == Kind::symbol && token_[0] == symbol; }
  void expect(char symbol) {
    if (!is(symbol))
      fail(fmt::format("has \"{}\" where \"{}\" belongs. Was the file cut?", token_.substr(0, 40), symbol));
    next();
  }

  void skip_blanks() {
    for (; at_ < text_.size(); ++at_) {
      char const c = text_[at_];
      if (c == '\n') ++line_;
      if (c == '#' && (at_ == 0 || text_[at_ - 1] == '\n')) {
        skip_to_line_end();
      } else if (text_.compare(at_, 2, "//") == 0) {
        skip_to_line_end();
      } else if (text_.compare(at_, 2, "/*") == 0) {
        std::size_t const end = text_.find("*/", at_ + 2);
        if (end == std::string::npos) fail("has a comment without its end. Was the file cut?");
        line_ += static_cast<int>(
            std::count(text_.begin() + static_cast<long>(at_), text_.begin() + static_cast<long>(end), '\n'));
        at_ = end + 1;
      } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
        return;
      }
    }
  }
  void skip_to_line_end() {
    while (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
  }

  void next() {
    skip_blanks();
    token_.clear();
    if (at_ >= text_.size()) {
      kind_ = Kind::end;
      token_ = "the end of the file";
      return;
    }
    char const c = text_[at_];
    if (c == '"') return quoted();
    if (text_.compare(at_, 2, "->") == 0) {
      kind_ = Kind::arrow;
      token_ = "->";
      at_ += 2;
      return;
    }
    auto const of_word = [](char x) {
      return std::isalnum(static_cast<unsigned char>(x)) != 0 || x == '_' || x == '.' || x == '-' ||
             x == '+' || static_cast<unsigned char>(x) >= 0x80;
    };
    if (of_word(c)) {
      while (at_ < text_.size() && of_word(text_[at_]) && text_.compare(at_, 2, "->") != 0)
        token_ += text_[at_++];
      kind_ = Kind::word;
      return;
    }
    if (std::string_view("{}[]=;,:").find(c) == std::string_view::npos)
      fail(fmt::format("has the character \"{}\", which DOT does not have there. Correct it",
                       static_cast<unsigned char>(c) < 0x20 ? '?' : c));
    kind_ = Kind::symbol;
    token_ = c;
    ++at_;
  }

  void quoted() {
    kind_ = Kind::quoted;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] == '\\' && at_ + 1 < text_.size() && (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\'))
        ++at_;
      token_ += text_[at_];
    }
    if (at_ >= text_.size()) fail("has a text without its closing quotation mark. Was the file cut?");
    ++at_;
  }

  [[nodiscard]] std::string name() {
    if (!is_name()) fail(fmt::format("has \"{}\" where a name belongs. Correct it", token_.substr(0, 40)));
    std::string out = token_;
    next();
    return out;
  }

  DotText::Attributes attributes() {
    DotText::Attributes out;
    while (is('[')) {
      next();
      while (!is(']')) {
        std::string const key = name();
        std::string value = "true";
        if (is('=')) {
          next();
          value = name();
        }
        out.insert_or_assign(key, value);
        if (is(',') || is(';')) next();
      }
      next();
    }
    return out;
  }

  void statements(int depth) {
    if (depth > max_depth) fail("has subgraphs in too many levels. Use fewer");
    while (!is('}')) {
      if (kind_ == Kind::end) fail("ends inside a graph. Was the file cut?");
      if (is(';')) {
        next();
      } else if (is('{')) {
        next();
        statements(depth + 1);
      } else if (is_word("subgraph")) {
        next();
        if (is_name()) next();
        expect('{');
        statements(depth + 1);
      } else {
        statement();
      }
    }
    next();
  }

  void statement() {
    bool const defaults = is_word("node") || is_word("edge") || is_word("graph");
    int const line = line_;
    std::vector<std::string> path{name()};
    if (is('=')) {  // an attribute of the graph
      next();
      (void)name();
      return;
    }
    if (defaults && is('[')) {
      (void)attributes();
      return;
    }
    port();
    while (kind_ == Kind::arrow) {
      next();
      path.push_back(name());
      port();
    }
    DotText::Attributes const given = attributes();
    for (std::string const& vertex : path) mention(vertex, line);
    if (path.size() == 1)
      for (auto const& [key, value] : given) out_.attributes[path[0]].insert_or_assign(key, value);
    for (std::size_t i = 0; i + 1 < path.size(); ++i)
      out_.edges.push_back({path[i], path[i + 1], given, line});
  }

  void port() {
    while (is(':')) {
      next();
      (void)name();
    }
  }

  void mention(std::string const& vertex, int line) {
    if (out_.line.try_emplace(vertex, line).second) out_.vertices.push_back(vertex);
  }

  std::string text_;
  std::size_t at_ = 0;
  int line_ = 1;
  Kind kind_ = Kind::end;
  std::string token_;
  DotText out_;
};

}  // namespace

std::string_view DotText::attribute(std::string_view vertex, std::string_view name) const {
  auto const known = attributes.find(vertex);
  if (known == attributes.end()) return {};
  auto const value = known->second.find(name);
  return value == known->second.end() ? std::string_view() : value->second;
}

DotText read_dot_text(std::filesystem::path const& file) { return DotParser(file).parse(); }

std::vector<std::pair<std::string, std::string>> task_edges_of_starpu(DotText const& dot) {
  auto const is_task = [](std::string const& vertex) { return vertex.starts_with("task_"); };
  std::map<std::string, std::vector<std::string>, std::less<>> after_other;  // of tags and messages
  for (DotText::Edge const& edge : dot.edges)
    if (!is_task(edge.from)) after_other[edge.from].push_back(edge.to);
  std::set<std::pair<std::string, std::string>> out;
  for (DotText::Edge const& edge : dot.edges) {
    if (!is_task(edge.from)) continue;
    std::vector<std::string> open{edge.to};
    std::set<std::string> seen;
    while (!open.empty()) {
      std::string const vertex = std::move(open.back());
      open.pop_back();
      if (is_task(vertex)) {
        if (vertex != edge.from) out.emplace(edge.from.substr(5), vertex.substr(5));
      } else if (seen.insert(vertex).second) {
        auto const further = after_other.find(vertex);
        if (further != after_other.end())
          open.insert(open.end(), further->second.begin(), further->second.end());
      }
    }
  }
  return {out.begin(), out.end()};
}

}  // namespace factosim
