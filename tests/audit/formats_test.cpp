// Runs on tiles of several formats, on layers, and with tasks on parts of tiles, on random platforms: the auditor finds
// nothing.

#include "tests/audit/random_case.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

nlohmann::json random_formats(std::mt19937& draw, bool full = false) {
  auto const one_of = [&](std::vector<std::string> const& words) { return words[draw() % words.size()]; };
  nlohmann::json out = {{"conversion", one_of({"sender", "receiver", "fewest-bytes"})}};
  if (!full && draw() % 4 == 0) {
    out["tolerance"] = 1e-4;
    out["precisions"] = {"double", "single"};
    out["max_rank"] = 20;
    out["covariance"] = {{"samples", 24}, {"seed", draw() % 10}};
    return out;
  }
  int const first = 1 + static_cast<int>(draw() % 3);
  nlohmann::json bands = nlohmann::json::array();
  bands.push_back({{"below", first}, {"precision", one_of({"double", "single"})}});
  bands.push_back({{"below", first + 2}, {"precision", one_of({"double", "single"})}});
  bands.push_back({{"precision", one_of({"double", "single"})}});
  for (std::size_t b : {1, 2})
    if (draw() % 3 == 0 && !full) bands[b]["rank"] = 10 + static_cast<int>(draw() % 50);
  out["bands"] = bands;
  return out;
}

/// A case without formats, on 1 to 4 nodes.
RandomCase random_case(std::mt19937& draw) {
  RandomCase c{.application = 1, .nt = 1 + static_cast<int>(draw() % 9)};
  c.fast_nodes = 1 + static_cast<int>(draw() % 3);
  c.slow_nodes = static_cast<int>(draw() % 2);
  c.cores = 1 + static_cast<int>(draw() % 4);
  c.gpus = static_cast<int>(draw() % 3);
  c.gpu_tiles = 12 + static_cast<int>(draw() % 20);
  c.policy = static_cast<int>(draw() % 12);
  c.noise = draw() % 4 == 0;
  for (int m = 0; m < c.nt * c.nt; ++m) c.map.push_back(static_cast<int>(draw() % 7));
  return c;
}

void check_audit(RandomCase const& c) {
  CAPTURE(c);
  audit::AuditReport const report = audit_run(simulated(c));
  INFO(findings(report));
  CHECK(report.broken() == 0);
  CHECK(find_check(report, "graph")->cases > 0);
}

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("the auditor finds nothing in runs on tiles of several formats") {
    std::mt19937 draw(20261124);
    for (int i = 0; i < 40; ++i) {
      RandomCase c = random_case(draw);
      c.tile_formats = random_formats(draw);
      check_audit(c);
    }
  }

  TEST_CASE("the auditor finds nothing in runs with parts of tasks") {
    std::mt19937 draw(20261126);
    for (int i = 0; i < 40; ++i) {
      RandomCase c = random_case(draw);
      c.gpus = 0;
      c.parts = draw() % 2 == 0 ? 2 : 4;
      c.contention = draw() % 4 == 0;
      c.window = draw() % 4 == 0 ? 10 : 0;
      c.unrolling = static_cast<int>(draw() % 3);
      c.application = static_cast<int>(draw() % 2);
      bool const on_layers = draw() % 3 == 0;
      if (on_layers) c.layers = 1 + static_cast<int>(draw() % static_cast<unsigned>(c.nodes()));
      if (c.application == 1 && draw() % 3 != 0) c.tile_formats = random_formats(draw, on_layers);
      check_audit(c);
    }
  }

  TEST_CASE("the auditor finds nothing in runs on layers of tiles in several precisions") {
    std::mt19937 draw(20261127);
    for (int i = 0; i < 25; ++i) {
      RandomCase c = random_case(draw);
      c.layers = 1 + static_cast<int>(draw() % static_cast<unsigned>(c.nodes()));
      c.tile_formats = random_formats(draw, true);
      check_audit(c);
    }
  }
}
