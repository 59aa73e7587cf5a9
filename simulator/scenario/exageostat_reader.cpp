#include "simulator/scenario/exageostat_reader.hpp"

#include <fmt/format.h>

#include <array>

#include "models/applications/exageostat.hpp"

namespace factosim {

namespace {

struct Switch {
  char const* key;
  bool ExageostatOptions::*member;
};
constexpr std::array switches{
    Switch{"memory_optimisations", &ExageostatOptions::memory_optimisations},
    Switch{"oversubscribed_worker", &ExageostatOptions::oversubscribed_worker},
};

/// Two ways of doing one thing; the second is the optimised one.
struct Choice {
  char const* key;
  char const* without;
  char const* with;
  bool ExageostatOptions::*member;
};
constexpr std::array choices{
    Choice{"solve", "chameleon", "local", &ExageostatOptions::local_solve},
    Choice{"priorities", "factorization", "all", &ExageostatOptions::all_priorities},
    Choice{"generation_order", "columns", "priorities", &ExageostatOptions::ordered_generation},
};

constexpr std::array synchronisations{std::pair{"none", Synchronisation::every_phase},
                                      std::pair{"partial", Synchronisation::public_version},
                                      std::pair{"full", Synchronisation::never}};

}  // namespace

void read_exageostat(JsonReader const& json, ApplicationParameters& p) {
  ExageostatOptions& o = p.exageostat;
  if (auto const n = json.find("n")) {
    p.n = static_cast<int>(n->integer(1, std::int64_t{p.nt} * p.nb));
    if (p.n <= (p.nt - 1) * p.nb)
      n->fail(
          fmt::format("is {} (that is {} tiles of {}, and nt is {}). Give the rows of the matrix, more than "
                      "{}, or no such key",
                      p.n, (p.n + p.nb - 1) / p.nb, p.nb, p.nt, (p.nt - 1) * p.nb));
  }
  if (auto const iterations = json.find("iterations"))
    o.iterations = static_cast<int>(iterations->integer(1, 10'000));
  if (auto const nu = json.find("nu")) o.nu = nu->positive();
  if (auto const asynchronous = json.find("asynchronous")) {
    std::string const name = asynchronous->one_of({"none", "partial", "full"});
    for (auto const& [key, value] : synchronisations)
      if (name == key) o.synchronisation = value;
  }
  for (auto const& [key, without, with, member] : choices)
    if (auto const choice = json.find(key)) o.*member = choice->one_of({without, with}) == with;
  for (auto const& [key, member] : switches)
    if (auto const value = json.find(key)) o.*member = value->boolean();
}

nlohmann::ordered_json effective_exageostat(ApplicationParameters const& p) {
  ExageostatOptions const& o = p.exageostat;
  nlohmann::ordered_json out = {{"n", exageostat_rows(p)}, {"iterations", o.iterations}, {"nu", o.nu}};
  for (auto const& [key, value] : synchronisations)
    if (o.synchronisation == value) out["asynchronous"] = key;
  for (auto const& [key, without, with, member] : choices) out[key] = o.*member ? with : without;
  for (auto const& [key, member] : switches) out[key] = o.*member;
  return out;
}

RuntimeOptions runtime_defaults(ExageostatOptions const& options) {
  RuntimeOptions out;
  out.oversubscribed_workers = options.oversubscribed_worker ? 1 : 0;
  out.reserved_cores = 1;  // the application's thread
  out.host_alloc_cost = Seconds{650e-6};
  bool const optimised = options.memory_optimisations;
  out.allocate_at_submission = !optimised;
  out.chunk_cache = optimised;
  out.gpus_wait_for_pinning = !optimised;
  out.preallocated_ram = optimised ? 0.5 : 0;
  return out;
}

}  // namespace factosim
