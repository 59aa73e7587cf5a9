#include "models/measurement_fields.hpp"

#include <fmt/format.h>

#include <string>

#include "simulator/base/core/parsed.hpp"

namespace factosim {

std::optional<int> whole_number(std::string_view text, int least) {
  auto const number = parsed<int>(text);
  return number && std::to_string(*number) == text && *number >= least ? number : std::nullopt;
}

std::optional<int> worker_rank(std::string_view worker) {
  if (worker == "cpu") return -1;
  return worker.starts_with("cuda") ? whole_number(worker.substr(4), 0) : std::nullopt;
}

void check_worker(JsonReader const& json, std::string_view worker) {
  if (!worker_rank(worker))
    json.fail(
        fmt::format("\"{}\" is no worker (cores are alike and called cpu, GPUs are numbered). Use \"cpu\", "
                    "\"cuda0\", \"cuda1\" ...",
                    worker));
}

}  // namespace factosim
