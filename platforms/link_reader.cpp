#include "platforms/link_reader.hpp"

namespace factosim {

LinkRate read_rate(JsonReader const& json, std::string const& unit) {
  return {.bandwidth = {json.at("bandwidth_Bps", unit).quantity()},
          .latency = {json.at("latency_s", "seconds").quantity()}};
}

LinkRate read_link(JsonReader const& json) {
  LinkRate const rate = read_rate(json, "bytes per second, each way");
  json.finish();
  return rate;
}

}  // namespace factosim
