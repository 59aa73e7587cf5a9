#include "simulator/traces/trace/native_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <string>

#include "factosim/error.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/input_limits.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/traces/trace/native_columns.hpp"

namespace factosim {

namespace {

constexpr std::string_view beginning = R"({"format":"factosim-trace")";
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

  template <class Element>
  void operator()(char const* name, std::vector<Element>& values) {
    std::size_t const count = next_column<Element>(name);
    if constexpr (std::is_same_v<Element, bool>) {
      values.reserve(count);
      in_pieces<std::uint8_t>(count, [&](std::size_t, std::uint8_t v) { values.push_back(v != 0); });
    } else if constexpr (std::is_same_v<Element, DataAccess>) {
      values.assign(count, DataAccess(HandleId{0}, Access::read));
      bytes(values.data(), count * sizeof(Element));
    } else {
      values.resize(count);
      bytes(values.data(), count * sizeof(Element));
    }
  }
  template <class Record, class Field>
  void operator()(char const* name, std::vector<Record>& records, Field Record::*field) {
    std::size_t const count = next_column<Field>(name);
    if (records.empty()) records.resize(count);
    if (records.size() != count) fail(path_, fmt::format("has columns of different lengths ({})", name));
    in_pieces<Field>(count, [&](std::size_t i, Field v) { records[i].*field = v; });
  }
  [[nodiscard]] bool has_more() const { return next_ < columns_.size(); }
  void finish() {
    if (has_more()) fail(path_, fmt::format("has a column {} that is not known", columns_[next_].name));
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
    constexpr std::size_t piece = 8192;
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
    native::for_each_column(t_, *this);
    native::for_each_late_column(t_, *this);
    if (t_.has_message_memories) native::for_each_message_memory(t_, *this);
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

  template <class Element>
  void operator()(std::string_view name, std::vector<Element> const& values) const {
    bool const of_tasks = name.starts_with("task.") && !name.ends_with("_begin");
    if (of_tasks && (!values.empty() || name == "task.worker" || name.ends_with("_s")))
      require(values.size() == t_.task_count(), "has columns of tasks of different lengths");
    if constexpr (std::is_same_v<Element, double>)
      if (name.ends_with("_s")) require(std::ranges::all_of(values, plausible_date), no_date);
    if constexpr (requires { Element::none; })
      for (Element const id : values) known(id, name);
  }
  template <class Record, class Field>
  void operator()(std::string_view name, std::vector<Record> const& records, Field Record::*field) const {
    if constexpr (requires { Field::none; })
      for (Record const& r : records) known(r.*field, name);
    if constexpr (std::is_same_v<Field, double>)
      if (name.ends_with("_s"))
        require(std::ranges::all_of(records, [&](Record const& r) { return plausible_date(r.*field); }),
                no_date);
  }

 private:
  static constexpr char const* no_date = "has a date that is not within 1e15 s, as those of all runs are";

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

}  // namespace

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
  native::for_each_column(trace, columns);
  std::vector<std::uint32_t> shape_of;
  columns("handle.shape", shape_of);
  trace.has_places = columns.has_more();
  if (trace.has_places) native::for_each_late_column(trace, columns);
  trace.has_message_memories = columns.has_more();
  if (trace.has_message_memories) native::for_each_message_memory(trace, columns);
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

}  // namespace factosim
