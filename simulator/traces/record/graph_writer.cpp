#include "simulator/traces/record/graph_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <set>
#include <sstream>

#include "simulator/base/core/json_text.hpp"
#include "simulator/base/os/process_pool.hpp"
#include "simulator/base/os/text_file.hpp"

namespace factosim::record {

using Json = nlohmann::ordered_json;

namespace {

Json device_names(std::uint64_t devices) {
  Json out = Json::array();
  for (auto const& [bit, name] :
       {std::pair{on_cpu, "cpu"}, {on_cuda, "cuda"}, {on_opencl, "opencl"}, {on_hip, "hip"}})
    if ((devices & bit) != 0) out.push_back(name);
  return out;
}

Json kernel_json(Kernel const& kernel, std::string const& name) {
  Json out{{"kernel", name}};
  if (!kernel.symbol.empty()) {
    out["symbol"] = kernel.symbol;
    out["footprint"] = fmt::format("{:08x}", kernel.footprint);
    if (!kernel.codelet.empty()) out["codelet"] = kernel.codelet;
  }
  if ((kernel.flags & takes_no_time) != 0) {
    out["free"] = true;
    return out;
  }
  out["asynchronous_on_gpu"] = (kernel.flags & asynchronous) != 0;
  if (kernel.devices != 0) out["devices"] = device_names(kernel.devices);
  if (kernel.same_bytes) out["size"] = kernel.bytes;
  if (kernel.same_flops && kernel.flops > 0) out["flops"] = kernel.flops;
  for (auto const& [device, samples] : kernel.samples) {
    std::string const prefix = device == on_cpu ? "cpu" : "cuda";
    auto const count = static_cast<double>(samples.count);
    double const mean = samples.sum_s / count;
    out[prefix + "_s"] = mean;
    if (device != on_cpu) continue;
    out["deviation_s"] = std::sqrt(std::max(0.0, samples.squares_s2 / count - mean * mean));
    out["samples"] = samples.count;
  }
  return out;
}

Json datum_json(Datum const& datum, std::size_t number) {
  Json out{{"data", fmt::format("d{}", number)}, {"bytes", datum.bytes}};
  if (datum.place.size() == 2 && datum.place[0] >= 0 && datum.place[1] >= 0) {
    out["m"] = datum.place[0];
    out["n"] = datum.place[1];
  }
  if (datum.owner >= 0) out["owner"] = datum.owner;
  if (!datum.ordered) out["ordered"] = false;
  if (datum.parent >= 0) out["parent"] = fmt::format("d{}", datum.parent);
  return out;
}

std::string mode_text(std::uint64_t mode) {
  if ((mode & reduces) != 0) return "X";
  if ((mode & scratch) != 0) return "S";
  return fmt::format("{}{}{}", (mode & reads) != 0 ? "R" : "", (mode & writes) != 0 ? "W" : "",
                     (mode & commutes) != 0 ? "C" : "");
}

/// What stands for StarPU's largest and smallest priority, which only mean that a task comes before or after all others.
struct Extremes {
  int most = 0, least = 0;

  explicit Extremes(std::vector<Task> const& tasks) {
    for (Task const& task : tasks)
      if (task.priority != INT_MAX && task.priority != INT_MIN) {
        most = std::max(most, task.priority + 1);
        least = std::min(least, task.priority - 1);
      }
  }
  [[nodiscard]] int of(int priority) const {
    return priority == INT_MAX ? most : priority == INT_MIN ? least : priority;
  }
};

/// Writes the line of a task. `kernel`: its name in JSON.
void write_task(TextFile& out, Recorder const& recorder, std::size_t id, std::string const& kernel,
                Extremes const& extremes) {
  Task const& task = recorder.tasks()[id];
  out.put(R"({{"task": "{}", "kernel": {})", id, kernel);
  std::vector<std::string> accesses;
  for (Access const& access : task.accesses)
    accesses.push_back(fmt::format(R"(["d{}", "{}"])", access.datum, mode_text(access.mode)));
  if (!accesses.empty()) out.put(R"(, "accesses": [{}])", fmt::join(accesses, ", "));
  if (auto const earlier = recorder.dependencies(task); !earlier.empty())
    out.put(R"(, "depends_on": ["{}"])", fmt::join(earlier, R"(", ")"));
  if (task.submitted_by >= 0) out.put(R"(, "submitted_by": "{}")", task.submitted_by);
  if (int const priority = extremes.of(task.priority); priority != 0)
    out.put(R"(, "priority": {})", priority);
  if (!task.ordered) out.put(R"(, "ordered": false)");
  if (task.node >= 0) out.put(R"(, "node": {})", task.node);
  if (!task.workers.empty()) out.put(R"(, "workers": [{}])", fmt::join(task.workers, ", "));
  if (task.cpu_s >= 0) out.put(R"(, "cpu_s": {})", task.cpu_s);
  if (!recorder.kernels()[task.kernel].same_flops && task.flops > 0) out.put(R"(, "flops": {})", task.flops);
  out.put("}}\n");
}

/// The function at "FILE+PLACE", and its line; empty if unknown.
struct Function {
  std::string name, line;
};

Function function_at(std::string const& place) {
  std::size_t const plus = place.rfind('+');
  std::string const file = place.substr(0, plus);
  std::string const address = fmt::format("{:#x}", std::stoull(place.substr(plus + 1)));
  std::istringstream answer(run_program({"addr2line", "-ifCe", file, address}, "").out);
  Function out;
  for (std::string name, source; std::getline(answer, name) && std::getline(answer, source);)
    out = {name, source.substr(source.rfind(':') + 1)};  // the last one is not inlined
  if (out.name.empty() || out.name == "??")
    out.name = fmt::format("{}+{}", std::filesystem::path(file).filename().string(), address);
  if (out.line.find_first_not_of("0123456789") != std::string::npos || out.line == "0") out.line.clear();
  return out;
}

/// Returns the name of the function of an OpenMP task; of two that which creates the task, with line or name of the other.
std::string openmp_name(std::string const& lines) {
  std::istringstream in(lines);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    if (line.find('+') == std::string::npos) {
      out += (out.empty() ? "" : " ") + line;
      continue;
    }
    Function const function = function_at(line);
    out.resize(std::min(out.size(), out.find(".omp_outlined")));
    out += out.empty() || function.line.empty() ? function.name : ":" + function.line;
  }
  return out;
}

}  // namespace

std::vector<std::string> kernel_names(Recorder const& recorder) {
  std::map<std::string, int> footprints;
  for (Kernel const& kernel : recorder.kernels()) ++footprints[kernel.symbol];
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (Kernel const& kernel : recorder.kernels()) {
    std::string name = recorder.library() == "OpenMP" ? openmp_name(kernel.codelet)
                       : kernel.symbol.empty()        ? kernel.codelet
                                                      : kernel.symbol;
    if (!kernel.symbol.empty() && footprints[name] > 1) name += fmt::format(":{:08x}", kernel.footprint);
    while (!taken.insert(name).second) name += " (codelet)";
    names.push_back(name);
  }
  return names;
}

void write_graph(std::filesystem::path const& file, std::string const& name, Json const& head,
                 Recorder const& recorder, std::vector<std::string> names) {
  Extremes const extremes(recorder.tasks());
  TextFile out(file);
  out.put("{}\n",
          json_text(Json{{"format", "factosim-graph"}, {"version", 2}, {"name", name}, {"recorded", head}}));
  for (std::size_t k = 0; k < names.size(); ++k)
    out.put("{}\n", json_text(kernel_json(recorder.kernels()[k], names[k])));
  for (std::size_t d = 0; d < recorder.data().size(); ++d)
    out.put("{}\n", json_text(datum_json(recorder.data()[d], d)));
  for (std::string& kernel : names) kernel = json_text(std::string_view(kernel));
  auto remark = recorder.remarks().begin();
  for (std::size_t id = 0; id <= recorder.tasks().size(); ++id) {
    for (; remark != recorder.remarks().end() && remark->task == id; ++remark) out.put("{}\n", remark->text);
    if (id < recorder.tasks().size())
      write_task(out, recorder, id, names[recorder.tasks()[id].kernel], extremes);
  }
  out.commit();
}

}  // namespace factosim::record
