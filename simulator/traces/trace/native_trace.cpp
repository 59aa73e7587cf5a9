#include "simulator/traces/trace/native_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <map>
#include <string>

#include "factosim/error.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/input_limits.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/base/os/atomic_file.hpp"
#include "simulator/traces/trace/native_columns.hpp"

namespace factosim {

namespace {

constexpr std::string_view beginning = R"({"format":"factosim-trace")";
constexpr std::size_t piece = 8192;  // elements that are converted at a time
constexpr char const* remedy = "Write it again, with factosim run --out or factosim export";

[[noreturn]] void fail(std::filesystem::path const& file, std::string_view problem) {
  throw InputError(file.string() + "#", fmt::format("{}. {}", problem, remedy));
}

/// Reads the columns of a file in order.
class ColumnReader {
 public:
  ColumnReader(std::filesystem::path const& path, std::ifstream& in, std::uint32_t checksum,
               JsonReader const& header)
      : path_(path), in_(in), checksum_(checksum) {
    for (JsonReader const& c : header.at("columns").elements()) {
      columns_.push_back({c.at("name").string(), c.at("type").string(),
                          static_cast<std::size_t>(c.at("count").integer(0, std::int64_t{1} << 32))});
      c.finish();
    }
    auto const here = in_.tellg();
    in_.seekg(0, std::ios::end);
    left_ = static_cast<std::size_t>(in_.tellg() - here);
    in_.seekg(here);
  }

  template <class Values, class Field = std::identity>
  void operator()(char const* name, Values& values, Field field = {}) {
    using Element = native::Element<Values, Field>;
    std::size_t const count = next_column<Element>(name);
    if constexpr (std::is_same_v<Element, DataAccess>)
      values.resize(count, DataAccess(HandleId{0}, Access::read));
    else if (values.empty())
      values.resize(count);
    if (values.size() != count) fail(path_, fmt::format("has columns of different lengths ({})", name));
    if constexpr (native::is_contiguous<Values, Field>)
      bytes(values.data(), count * sizeof(Element));
    else
      in_pieces<std::conditional_t<std::is_same_v<Element, bool>, std::uint8_t, Element>>(
          count, [&](std::size_t i, auto v) { std::invoke(field, values[i]) = static_cast<Element>(v); });
  }
  [[nodiscard]] bool has(std::string_view name) const {
    return std::ranges::find(columns_, name, &Column::name) != columns_.end();
  }
  void finish() {
    if (next_ < columns_.size())
      fail(path_, fmt::format("has a column {} that is not known", columns_[next_].name));
    std::uint32_t const expected = checksum_;
    std::uint32_t found = 0;
    in_.read(reinterpret_cast<char*>(&found), sizeof found);
    if (!in_ || found != expected) fail(path_, "is damaged (its checksum is not that of its content)");
  }

 private:
  struct Column {
    std::string name, type;
    std::size_t count;
  };

  /// Returns the number of elements of the next column; checks its name and that the file contains it.
  template <class Element>
  std::size_t next_column(std::string_view name) {
    if (next_ >= columns_.size() || columns_[next_].name != name ||
        columns_[next_].type != native::type_name<Element>())
      fail(path_, fmt::format("has no column {} of type {} where one is expected (another version wrote it)",
                              name, native::type_name<Element>()));
    std::size_t const count = columns_[next_++].count;
    constexpr std::size_t size = std::is_same_v<Element, bool> ? 1 : sizeof(Element);
    if (count * size > left_) fail(path_, fmt::format("is cut short (column {} is not all there)", name));
    left_ -= count * size;
    return count;
  }

  void bytes(void* data, std::size_t size) {
    in_.read(static_cast<char*>(data), static_cast<std::streamsize>(size));
    if (!in_) fail(path_, "cannot be read to its end");
    checksum_ = native::checksum_with(checksum_, data, size);
  }

  template <class Element, class Use>
  void in_pieces(std::size_t count, Use const& use) {
    std::vector<Element> values(std::min(count, piece));
    for (std::size_t first = 0; first < count; first += piece) {
      std::size_t const here = std::min(piece, count - first);
      bytes(values.data(), here * sizeof(Element));
      for (std::size_t i = 0; i < here; ++i) use(first + i, values[i]);
    }
  }

  std::filesystem::path const& path_;
  std::ifstream& in_;
  std::uint32_t checksum_;
  std::vector<Column> columns_;
  std::size_t next_ = 0, left_ = 0;
};

template <class Id>
Id id_of(JsonReader const& json) {
  return json.value().is_null() ? Id{} : Id{json.integer(0, Id::none - std::int64_t{1})};
}

void read_names(JsonReader const& header, Trace& trace) {
  header.check_format("factosim-trace", 1);
  trace.source = header.at("source").string();
  trace.format = header.at("source_format").string();
  if (auto const program = header.find("program")) trace.program = program->string();
  for (JsonReader const& n : header.at("nodes").elements())
    trace.nodes.push_back({n.at("name").string(), n.at("type").string()});
  for (JsonReader const& m : header.at("memory_nodes").elements())
    trace.memory_nodes.push_back({m.at("name").string(), id_of<NodeId>(m.at("node"))});
  for (JsonReader const& w : header.at("workers").elements())
    trace.workers.push_back({w.at("name").string(), id_of<NodeId>(w.at("node")),
                             id_of<MemoryNodeId>(w.at("memory")),
                             w.at("gpu").boolean() ? Trace::Device::gpu : Trace::Device::cpu});
  for (JsonReader const& k : header.at("kernels").elements())
    trace.kernels.push_back({.name = k.at("name").string(),
                             .flops = Flops{k.at("flops").non_negative()},
                             .timing = k.at("timing").string()});
  trace.state_names = header.at("state_names").strings();
}

/// Checks the lengths of columns and that all references are valid. The checksum detects damage, not a faulty
/// writer.
class References {
 public:
  References(std::filesystem::path const& file, Trace const& trace) : file_(file), t_(trace) {}

  void check() const {
    std::vector<std::uint32_t> any_shapes;
    native::for_each_column_of_file(t_, any_shapes, *this);
    for (std::size_t t = 0; t < t_.task_count(); ++t)
      require(t_.start_s[t] <= t_.end_s[t], "has a task that ends before it starts");
    ranges(t_.access_begin, t_.accesses.size());
    ranges(t_.predecessor_begin, t_.predecessors.size());
    for (std::uint16_t const k : t_.kernel)
      require(k < t_.kernels.size(), "names a kernel that it does not have");
    for (DataAccess const a : t_.accesses) known(a.handle(), "access.handle");
    for (Trace::MemoryNode const& m : t_.memory_nodes) known(m.node, "memory node");
    for (Trace::Worker const& w : t_.workers) known(w.node, "worker"), known(w.memory, "worker.memory");
    for (Trace::State const& s : t_.states)
      require(s.name < t_.state_names.size(), "names a state that it does not have");
  }

  template <class Values, class Field = std::identity>
  void operator()(std::string_view name, Values const& values, Field field = {}) const {
    using Element = native::Element<Values, Field>;
    bool const of_tasks = name.starts_with("task.") && !name.ends_with("_begin");
    if (of_tasks && (!values.empty() || name == "task.worker" || name.ends_with("_s")))
      require(values.size() == t_.task_count(), "has columns of tasks of different lengths");
    if constexpr (std::is_same_v<Element, double>)
      if (name.ends_with("_s")) {
        bool const optional = name.ends_with(".submit_s") || name == "place.end_s";
        auto const is_date = [&](double s) { return plausible_date(s) && (optional || s == s); };
        require(std::ranges::all_of(values, is_date, field), no_date);
      }
    if constexpr (std::is_same_v<Element, Bytes>)
      for (auto const& value : values)
        require(std::invoke(field, value).value <= std::int64_t{1} << 50U, "has a size above 2^50 bytes");
    if constexpr (requires { Element::none; })
      for (auto const& value : values) known(std::invoke(field, value), name);
  }

 private:
  static constexpr char const* no_date =
      "has a date that is not within 1e15 s, as those of all runs are, or lacks one";

  void require(bool condition, char const* problem) const {
    if (!condition) fail(file_, problem);
  }

  template <class Id>
  [[nodiscard]] std::size_t count() const {
    if constexpr (std::is_same_v<Id, NodeId>) return t_.nodes.size();
    if constexpr (std::is_same_v<Id, MemoryNodeId>) return t_.memory_nodes.size();
    if constexpr (std::is_same_v<Id, WorkerId>) return t_.workers.size();
    if constexpr (std::is_same_v<Id, HandleId>) return t_.handles.size();
    if constexpr (std::is_same_v<Id, TaskId>) return t_.task_count();
  }
  template <class Id>
  void known(Id id, std::string_view name) const {
    constexpr std::array<std::string_view, 7> optional{
        "task.worker",      "worker.memory",    "handle.owner", "message.handle",
        "message.producer", "message.consumer", "copy.handle"};
    require(id.valid() ? id.index() < count<Id>() : std::ranges::find(optional, name) != optional.end(),
            "refers to something that it does not have");
  }
  void ranges(std::vector<std::uint32_t> const& begin, std::size_t values) const {
    if (begin.empty()) return require(values == 0, "has lists without their beginnings");
    require(begin.size() == t_.task_count() + 1 && begin.front() == 0 && begin.back() == values &&
                std::is_sorted(begin.begin(), begin.end()),
            "has lists that do not follow each other");
  }

  std::filesystem::path const& file_;
  Trace const& t_;
};

// ---- writing ----

using Json = nlohmann::ordered_json;

template <class Id>
Json number_or_null(Id id) {
  return id.valid() ? Json(id.value()) : Json(nullptr);
}

/// Lists the columns in the header.
struct ColumnList {
  Json& columns;
  template <class Values, class Field = std::identity>
  void operator()(char const* name, Values const& values, Field /*field*/ = {}) {
    columns.push_back({{"name", name},
                       {"type", native::type_name<native::Element<Values const, Field>>()},
                       {"count", values.size()}});
  }
};

/// Writes text and columns to a file and appends their checksum.
class ColumnWriter {
 public:
  explicit ColumnWriter(std::function<void(std::string_view)> write) : write_(std::move(write)) {}

  template <class Values, class Field = std::identity>
  void operator()(char const* /*name*/, Values const& values, Field field = {}) {
    using Element = native::Element<Values const, Field>;
    if constexpr (native::is_contiguous<Values, Field>)
      bytes(values.data(), values.size() * sizeof(Element));
    else
      in_pieces<std::conditional_t<std::is_same_v<Element, bool>, std::uint8_t, Element>>(
          values.size(), [&](std::size_t i) { return std::invoke(field, values[i]); });
  }
  void text(std::string_view s) { bytes(s.data(), s.size()); }
  void write_checksum() const { write_({reinterpret_cast<char const*>(&checksum_), sizeof checksum_}); }

 private:
  void bytes(void const* data, std::size_t size) {
    checksum_ = native::checksum_with(checksum_, data, size);
    write_({static_cast<char const*>(data), size});
  }
  template <class Element, class Value>
  void in_pieces(std::size_t count, Value const& value) {
    std::vector<Element> values;
    for (std::size_t first = 0; first < count; first += piece) {
      values.clear();
      for (std::size_t i = first; i < std::min(count, first + piece); ++i) values.push_back(value(i));
      bytes(values.data(), values.size() * sizeof(values.front()));
    }
  }

  std::function<void(std::string_view)> write_;
  std::uint32_t checksum_ = 0;
};

}  // namespace

Json native_names(Trace const& trace) {
  Json out = {{"format", "factosim-trace"},
              {"version", 1},
              {"source", trace.source},
              {"source_format", trace.format}};
  if (!trace.program.empty()) out["program"] = trace.program;
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

bool is_native_trace(std::filesystem::path const& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return false;  // a FIFO would be waited for
  std::ifstream in(file, std::ios::binary);
  std::string text(beginning.size(), '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  return in && text == beginning;
}

Trace read_native(std::filesystem::path const& file) {
  InputFiles::add(file);
  if (!is_native_trace(file)) fail(file, "is no trace of factosim's own");
  std::ifstream in(file, std::ios::binary);
  std::string text;
  if (!read_line(in, text, file.string() + "#line 1", InputLimit::text) || in.eof())
    fail(file, "has a damaged first line");
  check_json(text, file.string() + "#line 1");
  nlohmann::json const document = nlohmann::json::parse(text, nullptr, false);
  if (document.is_discarded()) fail(file, "has a damaged first line");
  JsonReader const header(document, file.string());
  Trace trace;
  read_names(header, trace);
  text += '\n';
  std::uint32_t const checksum = native::checksum_with(0, text.data(), text.size());
  ColumnReader columns(file, in, checksum, header);
  std::vector<std::uint32_t> shape_of;
  trace.has_places = columns.has("place.memory");
  trace.has_message_memories = columns.has("message.from_memory");
  native::for_each_column_of_file(trace, shape_of, columns);
  columns.finish();
  std::vector<JsonReader> const shapes = header.at("shapes").elements();
  if (shape_of.size() != trace.handles.size()) fail(file, "has columns of handles of different lengths");
  for (std::size_t h = 0; h < shape_of.size(); ++h) {
    if (shape_of[h] >= shapes.size()) fail(file, "refers to something that it does not have");
    trace.handles[h].shape = shapes[shape_of[h]].string();
  }
  References(file, trace).check();
  return trace;
}

namespace {

void write_columns(Trace const& trace, std::function<void(std::string_view)> write) {
  // Few handles differ in shape: shapes are numbered in order of appearance.
  std::map<std::string, std::uint32_t> numbers;
  std::vector<std::string> shapes;
  std::vector<std::uint32_t> shape_of;  // [handles]
  for (Trace::Handle const& h : trace.handles) {
    auto const [place, is_new] = numbers.try_emplace(h.shape, static_cast<std::uint32_t>(shapes.size()));
    if (is_new) shapes.push_back(h.shape);
    shape_of.push_back(place->second);
  }

  Json header = native_names(trace);
  header["shapes"] = shapes;
  header["columns"] = Json::array();
  ColumnList list{header["columns"]};
  native::for_each_column_of_file(trace, shape_of, list);

  ColumnWriter out(std::move(write));
  out.text(json_text(header) + "\n");
  native::for_each_column_of_file(trace, shape_of, out);
  out.write_checksum();
}

}  // namespace

void write_native(std::filesystem::path const& file, Trace const& trace) {
  AtomicFile out(file);
  write_columns(trace, [&](std::string_view bytes) { out.write(bytes); });
  out.commit();
}

std::string native_bytes(Trace const& trace) {
  std::string out;
  write_columns(trace, [&](std::string_view bytes) { out += bytes; });
  return out;
}

}  // namespace factosim
