// The part of the program that needs Graphviz's libcgraph: a module, loaded on first use.

#include <graphviz/cgraph.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "simulator/base/os/module.hpp"
#include "simulator/traces/programs/dot_text.hpp"

namespace factosim {

namespace {

/// The library reports errors to one function of the process, in pieces.
std::string& reported() {
  static std::string text;
  return text;
}

int report(char* piece) {
  reported() += piece;
  return 0;
}

int read_some(void* rest, char* buffer, int size) {
  auto& text = *static_cast<std::string_view*>(rest);
  std::size_t const count = text.copy(buffer, static_cast<std::size_t>(size));
  text.remove_prefix(count);
  return static_cast<int>(count);
}

struct Close {
  void operator()(Agraph_t* graph) const { agclose(graph); }
};
using Graph = std::unique_ptr<Agraph_t, Close>;

/// An attribute of the vertices or edges of a graph.
class Attribute {
 public:
  Attribute(Agraph_t* graph, int kind, char const* name)
      : symbol_(agattr(graph, kind, const_cast<char*>(name), nullptr)) {}

  [[nodiscard]] std::string of(void* thing) const {
    char* const value = symbol_ == nullptr ? nullptr : agxget(thing, symbol_);
    return value == nullptr || aghtmlstr(value) != 0 ? std::string() : value;
  }

 private:
  Agsym_t* symbol_;  // null: the file has no such attribute
};

DotText contents(Agraph_t* graph) {
  Attribute const label(graph, AGNODE, "label"), size(graph, AGNODE, "size"), shape(graph, AGNODE, "shape"),
      kernel(graph, AGNODE, "kernel"), bytes(graph, AGEDGE, "size");
  DotText out;
  std::unordered_map<Agnode_t const*, std::size_t> index;
  for (Agnode_t* v = agfstnode(graph); v != nullptr; v = agnxtnode(graph, v)) {
    index.emplace(v, out.vertices.size());
    out.vertices.push_back({.name = agnameof(v),
                            .label = label.of(v),
                            .size = size.of(v),
                            .shape = shape.of(v),
                            .kernel = kernel.of(v)});
  }
  for (Agnode_t* v = agfstnode(graph); v != nullptr; v = agnxtnode(graph, v))
    for (Agedge_t* e = agfstout(graph, v); e != nullptr; e = agnxtout(graph, e))
      out.edges.push_back({.from = index.at(v), .to = index.at(aghead(e)), .size = bytes.of(e)});
  return out;
}

/// Ends what a text left open: the lexer would take the next text for the rest of a comment, a string or HTML.
void reset(std::string const& text, Agdisc_t& disc) {
  auto const reads = [&](std::string_view rest) { return Graph(agread(&rest, &disc)) != nullptr; };
  std::string const levels(static_cast<std::size_t>(std::ranges::count(text, '<')), '>');
  for (std::string_view const end :
       {std::string_view(), std::string_view("*/"), std::string_view("\""), std::string_view(levels)}) {
    (void)reads(end);
    if (reads("digraph {}")) return;
  }
}

class Graphviz : public DotLibrary {
 public:
  [[nodiscard]] DotResult read(std::string const& text) const override {
    agseterrf(report);
#if FACTOSIM_CGRAPH_COUNTS_ON
    agsetfile(nullptr);  // lines count from 1
#endif
    reported().clear();
    Agiodisc_t io = AgIoDisc;
    io.afread = read_some;
    Agdisc_t disc = AgDefaultDisc;
    disc.io = &io;
    std::string_view rest = text;
    Graph const graph(agread(&rest, &disc));
    DotResult out;
    if (graph && reported().empty()) {
      out.text = contents(graph.get());
      out.directed = agisdirected(graph.get()) != 0;
      out.more = Graph(agread(&rest, &disc)) != nullptr;
    }
    out.error = reported();
    reset(text, disc);
    return out;
  }
};

}  // namespace

FACTOSIM_OFFER_MODULE(DotLibrary, Graphviz)

}  // namespace factosim
