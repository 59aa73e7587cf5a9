#include "simulator/graph/boost_view.hpp"

#include <doctest/doctest.h>

#include <boost/concept/assert.hpp>
#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/topological_sort.hpp>
#include <iterator>
#include <set>

#include "tests/graph/random_flow.hpp"

using namespace factosim;
using namespace factosim::testing;

BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<TaskGraphView>));
BOOST_CONCEPT_ASSERT((boost::IncidenceGraphConcept<TaskGraphView>));

TEST_SUITE("unit") {
  TEST_CASE("the view of an empty graph has no vertex") {
    TaskGraph const graph = graph_of({}, 0);
    TaskGraphView const view(graph);
    CHECK(num_vertices(view) == 0);
    auto const [begin, end] = vertices(view);
    CHECK(begin == end);
  }

  TEST_CASE("a default edge iterator may be assigned and both increments walk along") {
    TaskGraph const graph =
        graph_of({{access(0, Access::write)}, {access(0, Access::read)}, {access(0, Access::read)}}, 1);
    TaskGraphView const view(graph);
    TaskGraphView::EdgeIterator edge;
    edge = out_edges(0, view).first;
    CHECK(target(*edge++, view) == 1);
    CHECK(edge->source == 0);
    CHECK(target(*edge, view) == 2);
    CHECK(++edge == out_edges(0, view).second);
    auto vertex = vertices(view).first;
    CHECK(*vertex++ == 0);
    CHECK(*vertex == 1);
    CHECK(get(boost::vertex_index, view)[2] == 2);
  }
}

TEST_SUITE("property") {
  TEST_CASE("the view shows the vertices and edges of the graph and sorts them") {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      TaskGraph const graph = graph_of(random_program(random, random.between(1, 80), 10), 10);
      TaskGraphView const view(graph);
      CHECK(num_vertices(view) == graph.task_count());
      std::vector<Edge> seen;
      std::uint32_t next = 0;
      for (auto [vertex, end] = vertices(view); vertex != end; ++vertex) {
        CHECK(*vertex == next++);
        auto const [first, last] = out_edges(*vertex, view);
        CHECK(out_degree(*vertex, view) == static_cast<std::size_t>(std::distance(first, last)));
        for (auto edge = first; edge != last; ++edge)
          seen.emplace_back(source(*edge, view), target(*edge, view));
      }
      CHECK(next == graph.task_count());
      CHECK(seen == edges_of(graph));

      std::vector<std::uint32_t> reversed;
      boost::topological_sort(view, std::back_inserter(reversed));
      REQUIRE(reversed.size() == graph.task_count());
      std::vector<std::size_t> place(graph.task_count(), graph.task_count());
      for (std::size_t i = 0; i < reversed.size(); ++i) place[reversed[i]] = i;
      CHECK(std::set<std::size_t>(place.begin(), place.end()).size() == graph.task_count());
      for (auto const& [from, to] : seen) CHECK(place[to] < place[from]);
    }
  }
}
