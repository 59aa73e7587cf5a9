#include "simulator/trace/series_writer.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "factosim/error.hpp"
#include "simulator/core/json_text.hpp"
#include "simulator/os/atomic_file.hpp"

namespace factosim {

namespace {

struct LevelKey {
  std::string_view key;
  Level level;
};
struct CarriedKey {
  std::string_view key;
  Carried over;
  bool bus;  // only for nodes with a bus
};

constexpr std::array level_keys{
    LevelKey{"submitted_tasks", Level::submitted},
    LevelKey{"ready_tasks", Level::ready},
    LevelKey{"running_tasks", Level::running},
    LevelKey{"messages_sent", Level::messages_sent},
    LevelKey{"messages_received", Level::messages_received},
};
constexpr std::array carried_keys{
    CarriedKey{"nic_out_bytes", Carried::nic_out, false}, CarriedKey{"nic_in_bytes", Carried::nic_in, false},
    CarriedKey{"h2d_bytes", Carried::h2d, true},          CarriedKey{"d2h_bytes", Carried::d2h, true},
    CarriedKey{"d2d_bytes", Carried::d2d, true},          CarriedKey{"h2h_bytes", Carried::h2h, true},
};

class SeriesText {
 public:
  explicit SeriesText(Series const& series) : series_(series) {}

  std::string text(std::vector<SeriesNode> const& nodes) {
    put("{{\n\"format\": \"factosim-series\",\n\"version\": 1,\n\"interval_s\": {},\n\"end_s\": {},\n",
        series_.interval().value, series_.end().value);
    put("\"nodes\": [\n");
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
      node(NodeId{n}, nodes[n]);
      put("{}", n + 1 < nodes.size() ? ",\n" : "\n");
    }
    put("],\n\"iterations\": [");
    char const* separator = "\n";
    for (Series::Iteration const& i : series_.iterations()) {
      put("{}{{\"k\": {}, \"tasks\": {}, \"first_end_s\": {}, \"median_end_s\": {}, \"last_end_s\": {}}}",
          separator, i.k, i.tasks, i.first.value, i.median.value, i.last.value);
      separator = ",\n";
    }
    put("\n]\n}}\n");
    return fmt::to_string(out_);
  }

 private:
  template <class... Arguments>
  void put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }

  void node(NodeId id, SeriesNode const& about) {
    put("{{\"id\": {}, \"type\": {}", id.value(), json_text(about.type));
    // Adding 0 turns -0 into 0.
    for (auto const& [key, level] : level_keys)
      array(key, series_.averages(id, level), [](double a) { return std::round(a * 1e4) / 1e4 + 0.0; });
    array("ram_bytes", series_.averages(id, Level::ram), [](double a) { return std::llround(a); });
    for (auto const& [key, over, bus] : carried_keys)
      if (!bus || about.bus) array(key, series_.bytes(id, over), [](Bytes b) { return b.value; });
    put("}}");
  }

  template <class Value, class Shown>
  void array(std::string_view key, std::vector<Value> const& values, Shown const& shown) {
    put(",\n \"{}\": [", key);
    char const* separator = "";
    for (Value const& value : values) {
      put("{}{}", separator, shown(value));
      separator = ", ";
    }
    put("]");
  }

  Series const& series_;
  fmt::memory_buffer out_;
};

}  // namespace

std::string series_json(Series const& series, std::vector<SeriesNode> const& nodes) {
  FACTOSIM_EXPECT(nodes.size() == series.node_count(), "one entry per node");
  return SeriesText(series).text(nodes);
}

void write_series(std::filesystem::path const& file, Series const& series,
                  std::vector<SeriesNode> const& nodes) {
  write_file_atomically(file, series_json(series, nodes));
}

}  // namespace factosim
