#include "simulator/traces/trace/native_trace.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "simulator/base/core/json_text.hpp"
#include "simulator/base/os/atomic_file.hpp"
#include "simulator/traces/trace/native_columns.hpp"

namespace factosim {

namespace {

using Json = nlohmann::ordered_json;

template <class Id>
Json number_or_null(Id id) {
  return id.valid() ? Json(id.value()) : Json(nullptr);
}

/// Lists the columns in the header.
class ColumnList {
 public:
  explicit ColumnList(Json& columns) : columns_(columns) {}
  template <class Element>
  void operator()(char const* name, std::vector<Element> const& values) {
    add<Element>(name, values.size());
  }
  template <class Record, class Field>
  void operator()(char const* name, std::vector<Record> const& records, Field Record::*) {
    add<Field>(name, records.size());
  }

 private:
  template <class Element>
  void add(char const* name, std::size_t count) {
    columns_.push_back({{"name", name}, {"type", native::type_name<Element>()}, {"count", count}});
  }
  Json& columns_;
};

/// Writes text and columns to a file and appends their checksum.
class ColumnWriter {
 public:
  explicit ColumnWriter(std::filesystem::path const& path) : file_(path) {}

  template <class Element>
  void operator()(char const*, std::vector<Element> const& values) {
    if constexpr (std::is_same_v<Element, bool>)
      in_pieces(values.size(), [&](std::size_t i) { return static_cast<std::uint8_t>(values[i]); });
    else
      bytes(values.data(), values.size() * sizeof(Element));
  }
  template <class Record, class Field>
  void operator()(char const*, std::vector<Record> const& records, Field Record::*field) {
    in_pieces(records.size(), [&](std::size_t i) { return records[i].*field; });
  }
  void text(std::string_view s) { bytes(s.data(), s.size()); }
  void commit() {
    std::uint32_t const sum = checksum_;
    file_.write({reinterpret_cast<char const*>(&sum), sizeof sum});
    file_.commit();
  }

 private:
  void bytes(void const* data, std::size_t size) {
    checksum_ = native::checksum_with(checksum_, data, size);
    file_.write({static_cast<char const*>(data), size});
  }
  template <class Value>
  void in_pieces(std::size_t count, Value const& value) {
    constexpr std::size_t piece = 8192;
    std::vector<std::remove_cvref_t<decltype(value(0))>> values;
    for (std::size_t first = 0; first < count; first += piece) {
      values.clear();
      for (std::size_t i = first; i < std::min(count, first + piece); ++i) values.push_back(value(i));
      bytes(values.data(), values.size() * sizeof(values.front()));
    }
  }

  AtomicFile file_;
  std::uint32_t checksum_ = 0;
};

Json names(Trace const& trace) {
  Json out = {{"format", "factosim-trace"},
              {"version", 1},
              {"source", trace.source},
              {"source_format", trace.format}};
  for (char const* key : {"nodes", "memory_nodes", "workers", "kernels"}) out[key] = Json::array();
  for (Trace::Node const& n : trace.nodes) out["nodes"].push_back({{"name", n.name}, {"type", n.type}});
  for (Trace::MemoryNode const& m : trace.memory_nodes)
    out["memory_nodes"].push_back({{"name", m.name}, {"node", number_or_null(m.node)}});
  for (Trace::Worker const& w : trace.workers)
    out["workers"].push_back({{"name", w.name},
                              {"node", number_or_null(w.node)},
                              {"memory", number_or_null(w.memory)},
                              {"gpu", w.device == Trace::Device::gpu}});
  for (Kernel const& k : trace.kernels)
    out["kernels"].push_back({{"name", k.name}, {"timing", k.timing}, {"flops", k.flops.value}});
  out["state_names"] = trace.state_names;
  return out;
}

}  // namespace

void write_native(std::filesystem::path const& file, Trace const& trace) {
  // Few handles differ in shape: shapes are numbered in order of appearance.
  std::map<std::string, std::uint32_t> numbers;
  std::vector<std::string> shapes;
  std::vector<std::uint32_t> shape_of;  // [handles]
  for (Trace::Handle const& h : trace.handles) {
    auto const [place, is_new] = numbers.try_emplace(h.shape, static_cast<std::uint32_t>(shapes.size()));
    if (is_new) shapes.push_back(h.shape);
    shape_of.push_back(place->second);
  }

  Json header = names(trace);
  header["shapes"] = shapes;
  header["columns"] = Json::array();
  ColumnList list(header["columns"]);
  native::for_each_column(trace, list);
  list("handle.shape", shape_of);
  if (trace.has_places) native::for_each_late_column(trace, list);
  if (trace.has_message_memories) native::for_each_message_memory(trace, list);

  ColumnWriter out(file);
  out.text(json_text(header) + "\n");
  native::for_each_column(trace, out);
  out("handle.shape", shape_of);
  if (trace.has_places) native::for_each_late_column(trace, out);
  if (trace.has_message_memories) native::for_each_message_memory(trace, out);
  out.commit();
}

}  // namespace factosim
