// Errors of the estimate of members of the family, from those of similar members.

#include "distributions/estimate_errors.hpp"

#include <doctest/doctest.h>

using namespace factosim;

TEST_SUITE("unit") {
  TEST_CASE("errors of the estimate are those of similar members, otherwise the mean") {
    EstimateErrors errors(40);
    CHECK(errors.expected({}).error == 0);
    FamilyMember const few{.nodes = 4}, many{.nodes = 40}, all{};
    errors.add(few, 0.3);
    errors.add(many, -0.1);
    CHECK(errors.expected(many).error ==
          doctest::Approx(errors.expected(all).error));  // 0: all of the 40 nodes
    CHECK(errors.expected(few).error > 0.2);
    CHECK(errors.expected(many).error < 0);
    CHECK(errors.expected({.nodes = 5}).error > 0.15);
    FamilyMember const unlike{.nodes = 40, .column_cost = 64};
    CHECK(errors.expected(unlike).error == doctest::Approx(0.1));
    CHECK(errors.expected(unlike).deviation > 2 * errors.expected(few).deviation / 1.1);
    double const before = errors.expected(few).deviation;
    errors.add(few, 0.3);
    CHECK(errors.expected(few).deviation < before);
  }

  TEST_CASE("members with about as many nodes are one class") {
    EstimateErrors const errors(40);
    CHECK(errors.nodes_class({.nodes = 0}) == errors.nodes_class({.nodes = 40}));
    CHECK(errors.nodes_class({.nodes = 38}) == errors.nodes_class({.nodes = 40}));
    CHECK(errors.nodes_class({.nodes = 1}) < errors.nodes_class({.nodes = 2}));
    CHECK(errors.nodes_class({.nodes = 2}) < errors.nodes_class({.nodes = 4}));
    CHECK(errors.nodes_class({.nodes = 20}) < errors.nodes_class({.nodes = 40}));
  }
}
