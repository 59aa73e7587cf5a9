#include <cmath>
#include <nlohmann/json.hpp>

#include "simulator/base/core/json_text.hpp"
#include "simulator/base/os/text_file.hpp"
#include "simulator/traces/export/trace_formats.hpp"

namespace factosim {

namespace {

constexpr double us = 1e6;

class ChromeWriter {
 public:
  ChromeWriter(std::filesystem::path const& file, Trace const& trace) : out_(file), trace_(trace) {
    for (Kernel const& kernel : trace.kernels) kernel_.push_back(json_text(kernel.name));
    for (std::string const& name : trace.state_names) state_.push_back(json_text(name));
  }

  void write(ChromeOptions const& options) {
    out_.put_text("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [");
    names();
    for (std::uint32_t t = 0; t < trace_.task_count(); ++t)
      if (ran(TaskId{t})) task(TaskId{t});
    for (Trace::State const& s : trace_.states) state(s);
    for (std::uint32_t m = 0; m < trace_.messages.size(); ++m) message(m);
    for (std::uint32_t c = 0; c < trace_.copies.size(); ++c) copy(c);
    if (options.dependencies) dependencies();
    out_.put_text("\n]}\n");
    out_.commit();
  }

 private:
  [[nodiscard]] bool ran(TaskId t) const { return t.valid() && trace_.ran(t); }
  // Process ids begin with 1: some viewers reserve process 0.
  static std::uint32_t process(NodeId node) { return node.value() + 1; }
  [[nodiscard]] std::uint32_t process(WorkerId w) const { return process(trace_.workers[w.index()].node); }
  static std::uint32_t thread(WorkerId w) { return w.value() + 1; }

  template <class... Arguments>
  void event(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    out_.put_text(first_ ? "\n" : ",\n");
    first_ = false;
    out_.put(format, std::forward<Arguments>(arguments)...);
  }

  void names() {
    for (std::size_t n = 0; n < trace_.nodes.size(); ++n) {
      Trace::Node const& node = trace_.nodes[n];
      std::string const name = node.type.empty() ? node.name : node.name + " " + node.type;
      event(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}})", n + 1,
            json_text("node " + name));
      event(R"({{"ph":"M","name":"process_sort_index","pid":{0},"args":{{"sort_index":{0}}}}})", n + 1);
    }
    for (std::uint32_t w = 0; w < trace_.workers.size(); ++w) {
      event(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})",
            process(WorkerId{w}), w + 1, json_text(trace_.workers[w].name));
      event(R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
            process(WorkerId{w}), w + 1, w);
    }
  }

  void task(TaskId t) {
    std::size_t const i = t.index();
    event(
        R"({{"ph":"X","cat":"task","name":{},"pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{"task":{})",
        kernel_[trace_.kernel[i]], process(trace_.worker[i]), thread(trace_.worker[i]),
        trace_.start_s[i] * us, (trace_.end_s[i] - trace_.start_s[i]) * us, i);
    if (!trace_.indices.empty())
      out_.put(R"(,"k":{},"m":{},"n":{})", trace_.indices[i].k, trace_.indices[i].m, trace_.indices[i].n);
    if (!trace_.priority.empty()) out_.put(R"(,"priority":{})", trace_.priority[i]);
    if (!std::isnan(trace_.submit_s[i])) out_.put(R"(,"submitted_us":{:.3f})", trace_.submit_s[i] * us);
    out_.put_text("}}");
  }

  void state(Trace::State const& s) {
    event(R"({{"ph":"X","cat":"state","name":{},"pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f}}})",
          state_[s.name], process(s.worker), thread(s.worker), s.start_s * us, (s.end_s - s.start_s) * us);
  }

  /// Writes a slice that may overlap others of its process.
  void asynchronous(char const* category, std::size_t id, NodeId node, std::string const& name,
                    double start_s, double end_s, Bytes size) {
    event(R"({{"ph":"b","cat":"{}","id":{},"name":{},"pid":{},"tid":0,"ts":{:.3f},"args":{{"bytes":{}}}}})",
          category, id, name, process(node), start_s * us, size.value);
    event(R"({{"ph":"e","cat":"{}","id":{},"name":{},"pid":{},"tid":0,"ts":{:.3f}}})", category, id, name,
          process(node), end_s * us);
  }

  void message(std::uint32_t m) {
    Trace::Message const& message = trace_.messages[m];
    asynchronous("message", m, message.from, json_text(fmt::format("message to node {}", message.to.value())),
                 message.start_s, message.end_s, message.size);
    if (ran(message.producer) && ran(message.consumer)) arrow("message", message.producer, message.consumer);
  }

  void copy(std::uint32_t c) {
    Trace::Copy const& copy = trace_.copies[c];
    Trace::MemoryNode const& from = trace_.memory_nodes[copy.from.index()];
    asynchronous("copy", c, from.node,
                 json_text("copy " + from.name + " to " + trace_.memory_nodes[copy.to.index()].name),
                 copy.start_s, copy.end_s, copy.size);
  }

  /// An arrow binds to the slices around its ends, so it joins the middles of the two tasks.
  void arrow(char const* category, TaskId from, TaskId to) {
    for (TaskId const t : {from, to}) {
      std::size_t const i = t.index();
      event(R"({{"ph":"{}","cat":"{}","name":"{}","id":{},"pid":{},"tid":{},"ts":{:.3f}}})",
            t == from ? R"(s)" : R"(f","bp":"e)", category, category, arrows_, process(trace_.worker[i]),
            thread(trace_.worker[i]), (trace_.start_s[i] + trace_.end_s[i]) / 2 * us);
    }
    ++arrows_;
  }

  void dependencies() {
    for (std::uint32_t t = 0; t < trace_.task_count(); ++t)
      for (TaskId const before : trace_.predecessors_of(TaskId{t}))
        if (ran(TaskId{t}) && ran(before)) arrow("dependency", before, TaskId{t});
  }

  TextFile out_;
  Trace const& trace_;
  std::vector<std::string> kernel_, state_;  // names, quoted
  bool first_ = true;
  std::size_t arrows_ = 0;
};

}  // namespace

void write_chrome(std::filesystem::path const& file, Trace const& trace, ChromeOptions options) {
  ChromeWriter(file, trace).write(options);
}

TraceFormat const chrome_format{
    "chrome", "chrome.json.gz", false,
    [](std::filesystem::path const& file, Trace const& trace) { write_chrome(file, trace); },
    "Chrome's and Perfetto's JSON; written"};

}  // namespace factosim
