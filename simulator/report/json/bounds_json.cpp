#include "simulator/report/json/bounds_json.hpp"

#include "simulator/report/json/shown_fields.hpp"

namespace factosim {

using namespace shown_fields;

namespace {

Object<Bounds> const& problem_bounds() {
  using B = Bounds;
  static auto const out = object<B>(
      "bounds of the problem", "They hold for any distribution and policy on these nodes.",
      {shown<&B::abe>("area_s", "all tasks divided over all workers, by a linear program"),
       shown<&B::problem_path>(
           "path_s", "longest chain of tasks, each on the fastest worker of all nodes, messages free"),
       shown<&B::problem_area_and_path>(
           "area_and_path_s",
           "chain and area bound of the tasks that follow it, the largest of all chains")});
  return out;
}
ObjectKeys const& problem_bounds_table() { return problem_bounds().keys; }

Object<Bounds> const& distribution_bounds() {
  using B = Bounds;
  static auto const out = object<B>(
      "bounds of the distribution", "They hold for any policy with these owners.",
      {computed<B>("most_loaded_node_s", "area bound of the tasks of the most loaded node",
                   usual_rules<Seconds>(), &B::most_loaded_node),
       shown<&B::critical_path>("path_s", "longest chain, each task on the fastest worker of its owner"),
       shown<&B::critical_path_with_comm>("path_with_messages_s", "the same, with messages between nodes"),
       shown<&B::load_and_path>("load_and_path_s", "as `area_and_path_s`, for the tasks of one node"),
       computed<B>(
           "link_s", "all messages over the fullest link", usual_rules<Seconds>(),
           [](B const& b) { return b.link_name.empty() ? Json() : Json(b.link.value); }, some),
       computed<B>(
           "link", "name of the fullest link", {rule::text()},
           [](B const& b) { return b.link_name.empty() ? Json() : Json(b.link_name); }, some)});
  return out;
}
ObjectKeys const& distribution_bounds_table() { return distribution_bounds().keys; }

}  // namespace

Object<Bounds> const& object_of(Bounds const* /*any*/) {
  using B = Bounds;
  static auto const out = object<B>(
      "bounds", "Lower bounds of the makespan, by the mean durations.",
      {shown<&B::abe>("abe_s", "area bound of all workers"),
       shown<&B::abe_per_node>("abe_per_node_s", "area bound of each node's tasks"),
       shown<&B::critical_path>("critical_path_s", "longest chain of tasks on their owners"),
       shown<&B::critical_path_with_comm>("critical_path_with_comm_s", "the same with messages"),
       computed<B>("problem_s", "tightest bound for any distribution and policy, at most the makespan",
                   usual_rules<Seconds>(), &B::problem),
       inner("problem", "its parts", problem_bounds, problem_bounds_table),
       computed<B>("distribution_s", "tightest bound for this distribution, at most the makespan",
                   usual_rules<Seconds>(), &B::distribution),
       inner("distribution", "its parts", distribution_bounds, distribution_bounds_table),
       foreign<B>("beaten",
                  "`true` beside a makespan below a bound: the durations were drawn or recorded, and the "
                  "bounds are of their means",
                  {rule::boolean()}, some)});
  return out;
}

nlohmann::ordered_json bounds_json(Bounds const& b) { return written(b); }

}  // namespace factosim
