#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_map>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/traces/import/paje_events.hpp"
#include "simulator/traces/import/read_trace.hpp"
#include "simulator/traces/import/record_fields.hpp"

namespace factosim {

namespace {

using Kind = PajeEvents::Kind;

class PajeRun {
 public:
  PajeRun(std::filesystem::path const& file, StarpuRun& run)
      : events_(file), run_(run), adds_only_(!run.tasks.empty()) {
    for (std::uint32_t i = 0; i < run.tasks.size(); ++i) task_of_key_.try_emplace(run.tasks[i].name.key(), i);
  }

  void read() {
    while (events_.next()) take();
    LineReader const& at = events_.lines();
    if (at.line_number() == 0 || containers_.empty())
      throw InputError(at.file() + "#",
                       "creates no containers (nothing ran anywhere). Give a whole Paje trace");
    scale_ = events_.from_simgrid() || has_hosts_ ? 1 : 1e-3;
    std::stable_sort(changes_.begin(), changes_.end(),
                     [](auto const& a, auto const& b) { return a.time < b.time; });
    for (Change const& change : changes_) apply(change);
    for (auto& [place, stack] : stacks_) unfinished_ += stack.size();
    std::stable_sort(links_.begin(), links_.end(),
                     [](auto const& a, auto const& b) { return a.start < b.start; });
    for (Link const& link : links_) add(link);
    report();
  }

 private:
  static constexpr std::uint32_t none = TaskId::none;

  /// A state change of a container.
  struct Change {
    double time;
    std::uint32_t container = 0, type = 0;
    Kind kind;
    std::uint32_t value = none;  // index into values_
    std::uint32_t task = none;   // index into run_.tasks of a starting task; or none
  };
  struct Running {
    double since;
    std::uint32_t value, task;
    bool whole;  // no other state was pushed on top of it
  };
  struct Container {
    std::string name;
    std::string type;
    std::uint32_t node = 0;
    std::uint32_t resource = none;
  };
  struct Link {
    std::string type;
    std::uint32_t from = none, to = none;
    double start = unknown, end = unknown;
    std::int64_t size = -1, tag = -1;
    std::uint64_t handle = 0;
  };

  std::string name_of(std::unordered_map<std::string, std::string> const& names,
                      std::string_view alias) const {
    auto const found = names.find(std::string(alias));
    return found == names.end() ? std::string(alias) : found->second;
  }
  std::uint32_t number(std::string_view text) {
    auto const [place, is_new] =
        value_ids_.try_emplace(std::string(text), static_cast<std::uint32_t>(values_.size()));
    if (is_new) values_.emplace_back(text);
    return place->second;
  }

  void take() {
    Kind const kind = events_.kind();
    if (kind <= Kind::define_link_type)
      define_type(kind);
    else if (kind == Kind::define_entity_value)
      entity_values_[std::string(events_.required("Type")) + '\n' + std::string(events_.required("Alias"))] =
          events_.required("Name");
    else if (kind == Kind::create_container)
      create();
    else if (kind <= Kind::reset_state)
      change();
    else if (kind != Kind::other)
      link();
  }

  void define_type(Kind kind) {
    std::string const name = events_.field_or("Name", "Type");
    std::string_view const alias = events_.field("Alias");
    types_[alias.empty() ? name : std::string(alias)] = name;
    if (kind == Kind::define_state_type && name == "Worker State") has_worker_states_ = true;
    if (kind == Kind::define_container_type && name == "HOST") has_hosts_ = true;
  }

  void create() {
    std::string const alias = events_.field_or("Alias", "Name");
    std::string const name(events_.field("Name").empty() ? std::string_view(alias) : events_.field("Name"));
    container_ids_[alias] = static_cast<std::uint32_t>(containers_.size());
    container_ids_.try_emplace(name, static_cast<std::uint32_t>(containers_.size()));
    containers_.push_back({name, name_of(types_, events_.required("Type"))});
  }

  std::uint32_t container(std::string_view alias) {
    auto const found = container_ids_.find(std::string(alias));
    if (found == container_ids_.end())
      events_.lines().fail(fmt::format(
          "{} is no container (none of that name was created). Was the file damaged?", alias.substr(0, 60)));
    return found->second;
  }

  void change() {
    Change c{.time = events_.time(), .kind = events_.kind()};
    if (c.kind == Kind::destroy_container) {
      auto const found = container_ids_.find(std::string(events_.required("Name")));
      if (found == container_ids_.end()) return;
      c.container = found->second;
      changes_.push_back(c);
      return;
    }
    std::string_view const type = events_.required("Type");
    std::string const type_name = name_of(types_, type);
    if (has_worker_states_ && type_name != "Worker State") return;
    c.container = container(events_.required("Container"));
    c.type = number(type_name);
    if (c.kind == Kind::set_state || c.kind == Kind::push_state) {
      std::string_view const value = events_.required("Value");
      auto const known = entity_values_.find(std::string(type) + '\n' + std::string(value));
      c.value = number(known == entity_values_.end() ? value : std::string_view(known->second));
      if (std::string_view const id = events_.field("JobId"); !id.empty()) c.task = started_task(c, id);
    }
    changes_.push_back(c);
  }

  /// Returns the task that starts here: recorded in tasks.rec before, or created from this line.
  std::uint32_t started_task(Change const& c, std::string_view id) {
    LineReader const& at = events_.lines();
    TaskName const name = task_name(at, id, 0);
    std::uint32_t const resource = resource_of(c.container);
    if (adds_only_) {
      auto const known = task_of_key_.find(name.key());
      if (known == task_of_key_.end()) return none;
      StarpuTask const& recorded = run_.tasks[known->second];
      if (recorded.worker >= 0) run_.name_worker(name.node, recorded.worker, resource);
      return known->second;
    }
    has_job_ids_ = true;
    RecordedTask record;
    record.kernel = values_[c.value];
    for (auto const& [field, set] : fields_of_states())
      if (auto const value = events_.field(field); !value.empty()) set(record, at, value);
    add_record(at, run_, std::move(record));
    StarpuTask& added = run_.tasks.back();
    added.worker = static_cast<std::int32_t>(resource);
    run_.name_worker(name.node, added.worker, resource);
    return static_cast<std::uint32_t>(run_.tasks.size() - 1);
  }

  std::uint32_t resource_of(std::uint32_t container) {
    Container& c = containers_[container];
    if (c.resource != none) return c.resource;
    c.resource = run_.resource(events_.lines(), c.name);
    ResourceName& name = run_.resource_names[c.resource];
    if (name.worker.empty() && c.type == "Worker") name.worker = name.after_node;
    if (name.worker.empty()) {  // for example a host of SimGrid: a node of its own
      name.node = unnamed_;
      name.worker = c.name;
      run_.node_names[unnamed_++] = c.name;
    }
    c.node = name.node;
    return c.resource;
  }

  void link() {
    std::string const type = name_of(types_, events_.required("Type"));
    std::string const key = type + '\n' + std::string(events_.required("Key"));
    bool const starts = events_.kind() == Kind::start_link;
    auto const [place, is_new] = open_links_.try_emplace(key, static_cast<std::uint32_t>(links_.size()));
    if (is_new) links_.push_back({.type = type});
    Link& l = links_[place->second];
    double& date = starts ? l.start : l.end;
    std::uint32_t& where = starts ? l.from : l.to;
    if (date == date)
      events_.lines().fail(fmt::format("the link with key {} {} twice. Was the file damaged?",
                                       events_.required("Key"), starts ? "starts" : "ends"));
    date = events_.time();
    where = container(events_.required(starts ? "StartContainer" : "EndContainer"));
    LineReader const& at = events_.lines();
    for (std::string_view const size : {events_.field("Value"), events_.field("Size")})  // StarPU's, ours
      if (!size.empty() && std::all_of(size.begin(), size.end(), [](char c) { return c >= '0' && c <= '9'; }))
        l.size = integer(at, size, 0, std::int64_t{1} << 50, "a size in bytes");
    if (auto const tag = events_.field("MPITAG"); !tag.empty())
      l.tag = integer(at, tag, -1, INT64_MAX, "a tag");
    if (auto const handle = events_.field("Handle"); starts && !handle.empty())
      l.handle = hexadecimal(at, handle, "a handle");
    if (l.start == l.start && l.end == l.end) open_links_.erase(place);  // keys may be reused
  }

  void apply(Change const& c) {
    if (c.kind == Kind::destroy_container) {
      for (auto& [place, stack] : stacks_)
        if (place.first == c.container)
          while (!stack.empty()) end(c.container, stack, c.time);
      return;
    }
    auto& stack = stacks_[{c.container, c.type}];
    if (c.kind == Kind::pop_state) {
      if (!stack.empty()) end(c.container, stack, c.time);
      return;
    }
    if (c.kind != Kind::push_state)
      while (!stack.empty()) end(c.container, stack, c.time);
    if (c.kind == Kind::reset_state) return;
    if (!stack.empty()) stack.back().whole = false;
    stack.push_back({c.time, c.value, c.task, true});
  }

  void end(std::uint32_t container, std::vector<Running>& stack, double time) {
    Running const r = stack.back();
    stack.pop_back();
    double const start = scale_ * r.since, finish = scale_ * time;
    if (r.task != none) {
      if (!adds_only_) {
        run_.tasks[r.task].start_s = start;
        run_.tasks[r.task].end_s = finish;
      }
      return;
    }
    if (!r.whole || !(start <= finish)) return;
    std::uint32_t const resource = resource_of(container);
    std::string const& value = values_[r.value];
    if (adds_only_ || has_job_ids_ || !is_task_state(value)) {
      if (start < finish)
        run_.states.push_back({resource, run_.state_name(events_.lines(), value), start, finish});
      return;
    }
    StarpuTask task{};
    task.name = {run_.resource_names[resource].node, static_cast<std::uint32_t>(run_.tasks.size() + 1)};
    task.kernel = run_.kernel(events_.lines(), value);
    task.worker = static_cast<std::int32_t>(resource);
    task.start_s = start;
    task.end_s = finish;
    run_.name_worker(task.name.node, task.worker, resource);
    run_.add(events_.lines(), task);
  }

  /// Returns the memory of its node for a container: a memory manager of StarPU, or a name that this program
  /// writes.
  static std::int32_t memory(ResourceName const& name, std::string const& container) {
    if (name.memory >= 0) return name.memory;
    if (name.device == Trace::Device::gpu) return 1 + std::atoi(name.worker.c_str() + 4);
    return container.ends_with("ram") ? 0 : -1;
  }

  void add(Link const& l) {
    if (!(l.start == l.start && l.end == l.end)) {
      ++open_ends_;
      return;
    }
    if (l.type == "Work steal") return;
    std::string const &from = containers_[l.from].name, &to = containers_[l.to].name;
    ResourceName const a = resource_name(from), b = resource_name(to);
    std::uint32_t const node_a = node_of(l.from, a), node_b = node_of(l.to, b);
    if (node_a != node_b) {
      if (!adds_only_ || run_.messages.empty() || messages_are_ours_) {
        messages_are_ours_ = true;
        run_.messages.push_back({.from = node_a,
                                 .to = node_b,
                                 .send_s = scale_ * l.start,
                                 .receive_s = scale_ * l.end,
                                 .size = l.size,
                                 .tag = l.tag,
                                 .send_address = l.handle});
      }
      return;
    }
    std::int32_t const m = memory(a, from), n = memory(b, to);
    if (m < 0 || n < 0)
      ++strange_links_;
    else if (m != n)
      run_.copies.push_back(
          {node_a, m, n, scale_ * l.start, scale_ * l.end, std::max<std::int64_t>(l.size, 0)});
  }

  std::uint32_t node_of(std::uint32_t container, ResourceName const& name) const {
    Container const& c = containers_[container];
    return c.resource == none ? name.node : c.node;
  }

  void report() {
    if (unfinished_ > 0 && !adds_only_)
      run_.find(fmt::format("{} states were never ended: they are left out", unfinished_));
    if (open_ends_ > 0)
      run_.find(fmt::format("{} links have no start or no end: they are left out", open_ends_));
    if (strange_links_ > 0)
      run_.find(
          fmt::format("{} links join neither nodes nor memories, by the names of their containers: "
                      "they are left out",
                      strange_links_));
  }

  PajeEvents events_;
  StarpuRun& run_;
  bool adds_only_;
  std::unordered_map<std::uint64_t, std::uint32_t> task_of_key_;  // key -> index into run_.tasks
  std::unordered_map<std::string, std::string> types_, entity_values_;
  std::unordered_map<std::string, std::uint32_t> container_ids_, value_ids_, open_links_;
  std::vector<std::string> values_;
  std::vector<Container> containers_;
  std::vector<Change> changes_;
  std::vector<Link> links_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Running>> stacks_;  // (container, type)
  std::uint32_t unnamed_ = 0;
  double scale_ = 1e-3;
  bool has_worker_states_ = false, has_hosts_ = false, has_job_ids_ = false, messages_are_ours_ = false;
  std::size_t unfinished_ = 0, open_ends_ = 0, strange_links_ = 0;
};

/// Returns the file of a folder, plain or gzipped; empty if there is none.
std::filesystem::path paje_file(TraceSource const& source) {
  if (!source.is_folder) return source.path;
  auto const ours = plain_or_gzipped(source.path, "trace.paje");
  auto const theirs = plain_or_gzipped(source.path, "paje.trace");
  return theirs.empty() ? ours : theirs;
}

Trace read_paje(TraceSource const& source) {
  StarpuRun run;
  run.source = paje_file(source).string();
  run.format = "paje";
  add_paje(run.source, run);
  run.find("a Paje trace tells no dependencies: replay it by its dates, or give tasks.rec as well");
  return assemble(std::move(run));
}

}  // namespace

void add_paje(std::filesystem::path const& file, StarpuRun& run) { PajeRun(file, run).read(); }

/// See `add_paje`; the trace has no dependencies.
TraceReader const paje_reader{.recognises =
                                  [](TraceSource const& s) {
                                    return s.is_folder ? !paje_file(s).empty()
                                                       : s.first_line.starts_with("%EventDef") ||
                                                             s.first_line.starts_with("% EventDef") ||
                                                             s.first_line.starts_with("#");
                                  },
                              .read = read_paje};

}  // namespace factosim
