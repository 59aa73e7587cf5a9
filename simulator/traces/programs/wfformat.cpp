#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "simulator/base/core/json_reader.hpp"
#include "simulator/traces/programs/graph_readers.hpp"
#include "simulator/traces/programs/program_builder.hpp"

namespace factosim {

namespace {

/// Returns the kind of task that a name tells: without the number at its end ("mProject_ID0000001", "individuals_12").
std::string kernel_of_name(std::string_view name) {
  std::size_t end = name.size();
  while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9') --end;
  if (end < name.size() && name.substr(0, end).ends_with("_ID"))
    end -= 3;
  else if (end < name.size() && end > 0 &&
           (name[end - 1] == '_' || name[end - 1] == '-' || name[end - 1] == '.'))
    end -= 1;
  else
    end = name.size();
  return std::string(end > 0 ? name.substr(0, end) : name);
}

class WfFormat {
 public:
  WfFormat(std::filesystem::path const& file, nlohmann::json const& document)
      : builder_(file), json_(document, file.string()) {}

  TaskProgram read() && {
    if (auto const name = json_.find("name")) builder_.program().name = name->string();
    JsonReader const workflow = json_.at("workflow", "what is executed");
    if (auto const specification = workflow.find("specification"))
      read_split(*specification, workflow.find("execution"));
    else
      read_joint(workflow);
    add_parents();
    if (without_time_ > 0)
      builder_.note(0, fmt::format("{} tasks have no runtime (execution): they take no time", without_time_));
    builder_.program().format = "wfformat";
    return std::move(builder_).finish();
  }

 private:
  static Bytes bytes_of(JsonReader const& json) {
    return Bytes{json.at("sizeInBytes", "the size of the file").integer(0, std::int64_t{1} << 50)};
  }

  /// Version 1.5: the graph and the measurements are apart.
  void read_split(JsonReader const& specification, std::optional<JsonReader> const& execution) {
    std::map<std::string, double> seconds;
    if (execution)
      for (JsonReader const& t : execution->at("tasks", "the measured tasks").elements())
        seconds[t.at("id", "of the task").string()] = t.at("runtimeInSeconds", "of the task").non_negative();
    if (auto const files = specification.find("files"))
      for (JsonReader const& f : files->elements())
        builder_.info(builder_.datum(f.at("id", "of the file").string())).size = bytes_of(f);
    for (JsonReader const& t : specification.at("tasks", "of the workflow").elements()) {
      std::string const id = t.at("id", "of the task").string();
      auto const name = t.find("name");
      auto const measured = seconds.find(id);
      add_task(t, id, name ? name->string() : id,
               measured == seconds.end() ? std::nullopt : std::optional(measured->second));
      for (auto const& [key, mode] : {std::pair{"inputFiles", Access::read}, {"outputFiles", Access::write}})
        if (auto const files = t.find(key))
          for (std::string const& f : files->strings())
            builder_.tasks().back().accesses.emplace_back(builder_.datum(f), mode);
    }
  }

  /// Versions 1.3 and 1.4: each task has everything; parents are named by ids, or by names.
  void read_joint(JsonReader const& workflow) {
    for (JsonReader const& t : workflow.at("tasks", "of the workflow").elements()) {
      std::string const name = t.at("name", "of the task").string();
      auto const given = t.find("id");
      std::string const id = given ? given->string() : name;
      auto const runtime = t.find("runtimeInSeconds") ? t.find("runtimeInSeconds") : t.find("runtime");
      auto const category = t.find("category");
      auto const type = t.find("type");
      bool const transfer =
          type && type->string() == "transfer";  // of SimGrid: bytes on the way between tasks
      if (transfer)
        transfers_[id] = t.at("writtenBytes", "of the transfer").integer(0, std::int64_t{1} << 50);
      add_task(t, id,
               transfer   ? "transfer"
               : category ? category->string()
                          : name,
               runtime && !transfer ? std::optional(runtime->non_negative()) : std::nullopt);
      id_of_name_.try_emplace(name, id);
      if (auto const files = t.find("files"))
        for (JsonReader const& f : files->elements()) {
          HandleId const datum = builder_.datum(f.at("name", "of the file").string());
          builder_.info(datum).size = bytes_of(f);
          bool const output = f.at("link", "input or output").one_of({"input", "output"}) == "output";
          builder_.tasks().back().accesses.emplace_back(datum, output ? Access::write : Access::read);
        }
    }
  }

  void add_task(JsonReader const& t, std::string const& id, std::string const& name,
                std::optional<double> seconds) {
    ProgramTask task{.id = id, .kernel = kernel_of_name(name)};
    if (!seconds && !transfers_.contains(id)) ++without_time_;
    task.seconds = {{"cpu", seconds.value_or(0)}};
    builder_.add_task(std::move(task));
    if (auto const parents = t.find("parents"))
      for (std::string const& parent : parents->strings()) parents_.emplace_back(id, parent);
    if (auto const children = t.find("children"))
      for (std::string const& child : children->strings()) parents_.emplace_back(child, id);
  }

  [[nodiscard]] std::string task_named(std::string const& name) {
    if (builder_.find_task(name) != nullptr) return name;
    auto const known = id_of_name_.find(name);
    return known == id_of_name_.end() ? name : known->second;
  }

  void add_parents() {
    std::set<std::pair<std::string, std::string>> seen;
    for (auto const& [child, parent] : parents_) {
      std::string const name = task_named(child), before = task_named(parent);
      ProgramTask* const task = builder_.find_task(name);
      if (task == nullptr)
        builder_.fail(
            0, fmt::format("names the task \"{}\" as a child (no task has this id). Correct it", child));
      if (!seen.emplace(name, before).second) continue;
      auto const transfer = transfers_.find(transfers_.contains(name) ? name : before);
      task->after.push_back({.before = before});
      if (transfer != transfers_.end()) task->after.back().bytes = transfer->second;
    }
  }

  ProgramBuilder builder_;
  JsonReader json_;
  std::map<std::string, std::string> id_of_name_;
  std::vector<std::pair<std::string, std::string>> parents_;  // child, parent
  std::map<std::string, std::int64_t> transfers_;             // bytes
  std::size_t without_time_ = 0;
};

}  // namespace

/// WfFormat 1.3 to 1.5 (WfCommons).
GraphReader const wfformat_program{
    .name = "wfformat",
    .recognises = [](GraphSource const& s) { return s.has("workflow"); },
    .read = [](GraphSource const& s) { return WfFormat(s.path, *s.document).read(); },
    .of_document = true};

}  // namespace factosim
