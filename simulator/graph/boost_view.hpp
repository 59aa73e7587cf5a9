#pragma once

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/property_map/property_map.hpp>
#include <cstdint>
#include <iterator>
#include <utility>

#include "factosim/task_graph.hpp"

namespace factosim {

/// A TaskGraph as a graph of the Boost Graph Library (VertexListGraph and IncidenceGraph), without a copy. A
/// vertex is the number of a task, an edge the place in TaskGraph::successors together with its source.
class TaskGraphView {
 public:
  struct Edge {
    std::uint32_t source = 0;
    std::uint32_t place = 0;
    bool operator==(Edge const& other) const { return place == other.place; }
  };
  class EdgeIterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Edge;
    using difference_type = std::ptrdiff_t;
    using pointer = Edge const*;
    using reference = Edge const&;
    EdgeIterator() = default;
    EdgeIterator(std::uint32_t source, std::uint32_t place) : edge_{source, place} {}
    reference operator*() const { return edge_; }
    pointer operator->() const { return &edge_; }
    EdgeIterator& operator++() { return ++edge_.place, *this; }
    EdgeIterator operator++(int) {
      EdgeIterator const before = *this;
      ++edge_.place;
      return before;
    }
    bool operator==(EdgeIterator const& other) const { return edge_ == other.edge_; }

   private:
    Edge edge_;
  };
  class VertexIterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = std::uint32_t;
    using difference_type = std::ptrdiff_t;
    using pointer = std::uint32_t const*;
    using reference = std::uint32_t const&;
    VertexIterator() = default;
    explicit VertexIterator(std::uint32_t vertex) : vertex_(vertex) {}
    reference operator*() const { return vertex_; }
    VertexIterator& operator++() { return ++vertex_, *this; }
    VertexIterator operator++(int) { return VertexIterator(vertex_++); }
    bool operator==(VertexIterator const& other) const = default;

   private:
    std::uint32_t vertex_ = 0;
  };

  explicit TaskGraphView(TaskGraph const& graph) : graph_(&graph) {}
  [[nodiscard]] TaskGraph const& graph() const { return *graph_; }

 private:
  TaskGraph const* graph_;
};

// The functions that Boost's concepts ask for, found by argument-dependent lookup.
inline std::size_t num_vertices(TaskGraphView const& view) { return view.graph().task_count(); }
inline std::pair<TaskGraphView::VertexIterator, TaskGraphView::VertexIterator> vertices(
    TaskGraphView const& view) {
  return {TaskGraphView::VertexIterator(0),
          TaskGraphView::VertexIterator(static_cast<std::uint32_t>(view.graph().task_count()))};
}
inline std::pair<TaskGraphView::EdgeIterator, TaskGraphView::EdgeIterator> out_edges(
    std::uint32_t v, TaskGraphView const& view) {
  return {{v, view.graph().successor_begin[v]}, {v, view.graph().successor_begin[v + 1]}};
}
inline std::size_t out_degree(std::uint32_t v, TaskGraphView const& view) {
  return view.graph().successor_begin[v + 1] - view.graph().successor_begin[v];
}
inline std::uint32_t source(TaskGraphView::Edge const& edge, TaskGraphView const&) { return edge.source; }
inline std::uint32_t target(TaskGraphView::Edge const& edge, TaskGraphView const& view) {
  return view.graph().successors[edge.place].value();
}
inline boost::typed_identity_property_map<std::uint32_t> get(boost::vertex_index_t, TaskGraphView const&) {
  return {};
}

}  // namespace factosim

namespace boost {

template <>
struct graph_traits<factosim::TaskGraphView> {
  struct traversal_category : incidence_graph_tag, vertex_list_graph_tag {};
  using vertex_descriptor = std::uint32_t;
  using edge_descriptor = factosim::TaskGraphView::Edge;
  using directed_category = directed_tag;
  using edge_parallel_category = disallow_parallel_edge_tag;
  using vertex_iterator = factosim::TaskGraphView::VertexIterator;
  using out_edge_iterator = factosim::TaskGraphView::EdgeIterator;
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;
  static vertex_descriptor null_vertex() { return 0xffffffffU; }
};

template <>
struct property_map<factosim::TaskGraphView, vertex_index_t> {
  using type = typed_identity_property_map<std::uint32_t>;
  using const_type = type;
};

}  // namespace boost
