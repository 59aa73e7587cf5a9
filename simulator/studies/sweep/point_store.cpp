#include "simulator/studies/sweep/point_store.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "factosim/error.hpp"
#include "platforms/shipped_files.hpp"
#include "simulator/base/core/content_hash.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/input_limits.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/json_text.hpp"

namespace factosim {

namespace fs = std::filesystem;

namespace {

/// The first line of a point's file. Version 1 had no checksum.
constexpr std::string_view first_line = "{\"format\":\"factosim-point\",\"version\":2,\n";
constexpr int current_version = 2, version_without_checksum = 1;

/// Checks the kinds of the values of a result that tables of sweeps use.
void check_result(JsonReader const& json) {
  json.check_format("factosim-result", 1);
  (void)json.at("makespan_s").non_negative();
  (void)json.at("estimate").boolean();
  (void)json.at("simulation").at("cpu_s").non_negative();
  JsonReader const provenance = json.at("provenance");
  for (char const* name : {"factosim", "git"})
    if (auto const text = provenance.find(name)) (void)text->string();
  for (char const* name :
       {"gflops", "tasks", "tiles_sent", "bytes_sent", "utilization", "utilization_first_90", "activity_s"})
    if (auto const number = json.find(name); number && !number->value().is_null()) (void)number->number();
  for (char const* name : {"transfers", "energy", "metrics"})
    if (auto const numbers = json.find(name))
      for (auto const& [key, member] : numbers->members())
        if (member.value().is_structured())
          member.fail("is no single value (one is expected here). Write one");
  auto const bounds = json.find("bounds");
  if (!bounds) return;
  for (char const* name : {"abe_s", "critical_path_s"}) (void)bounds->at(name).non_negative();
  for (char const* name :
       {"critical_path_with_comm_s", "problem_s", "distribution_s"})  // not in older versions
    if (auto const bound = bounds->find(name)) (void)bound->non_negative();
  for (JsonReader const& bound : bounds->at("abe_per_node_s").elements()) (void)bound.non_negative();
  if (json.find("detail")) return;  // an estimate, without nodes
  for (JsonReader const& node : json.at("nodes").elements())
    (void)node.at("peak_memory_bytes").non_negative();
}

/// Returns the code of a point after its keys and their kinds are checked.
ExitCode checked_code(JsonReader const& json, std::string const& id) {
  if (json.at("id").string() != id) json.at("id").fail("is that of another point. Keep the names of points");
  auto const code = static_cast<ExitCode>(json.at("code").integer(0, static_cast<int>(ExitCode::infeasible)));
  if (auto const message = json.find("message")) (void)message->string();
  (void)json.at("scenario");
  if (code == ExitCode::success) check_result(json.at("result", "the point is done"));
  return code;
}

PointRecord read_record(fs::path const& file, std::string const& text, bool has_checksum,
                        std::string const& id) {
  check_json(text, file.string() + "#");
  nlohmann::json const document = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  bool const ended = text.find('\0') != std::string::npos;  // where the parser would end
  if (ended || document.is_discarded())
    throw InputError(file.string() + "#", "is not valid JSON (it is damaged). Run the sweep with --resume");
  JsonReader const json(document, file.string());
  json.check_format("factosim-point", has_checksum ? current_version : version_without_checksum);
  ExitCode const code = checked_code(json, id);
  auto ordered = nlohmann::ordered_json::parse(text);
  return {.id = id,
          .code = code,
          .message = document.value("message", ""),
          .result = code == ExitCode::success ? std::move(ordered["result"]) : nlohmann::ordered_json(),
          .scenario = document["scenario"]};
}

}  // namespace

PointStore::PointStore(fs::path folder) : folder_(std::move(folder)) {}

fs::path PointStore::file_of(std::string const& id) const { return folder_ / "points" / (id + ".json"); }

void PointStore::open(bool resume) {
  fs::path const points = folder_ / "points";
  std::error_code error;
  if (!resume && fs::exists(points, error) && !fs::is_empty(points, error))
    throw InputError(folder_.string() + "#",
                     "holds results of a sweep (they would be mixed with new ones). Give --resume to keep "
                     "what is done, or another folder");
  fs::create_directories(points, error);
  if (error)
    throw InputError(folder_.string() + "#",
                     fmt::format("cannot be created ({}). Give a folder you may write to", error.message()));
}

void PointStore::lock() {
  lock_.emplace(folder_ / "points");
  for (auto const& entry : fs::directory_iterator(folder_ / "points"))
    if (entry.path().extension() == ".part") fs::remove(entry.path());
}

StoredPoint PointStore::find(std::string const& id) const {
  fs::path const file = file_of(id);
  std::error_code error;
  if (!fs::exists(fs::symlink_status(file, error))) return {};
  try {
    if (!fs::is_regular_file(file, error))
      throw InputError(file.string() + "#", "is no regular file (points are). Remove it");
    std::string const text = read_input(file);
    Seal const seal = seal_of(text, first_line);
    if (seal == Seal::broken)
      throw InputError(
          file.string() + "#",
          "is damaged or altered (its checksum is not that of its content). Run the sweep with --resume");
    bool const has_checksum = seal == Seal::intact;
    return {.record = read_record(file, text, has_checksum, id), .has_checksum = has_checksum};
  } catch (InputError const& damage) {
    return {.damage = damage.what()};
  }
}

void PointStore::write(PointRecord const& record) const {
  nlohmann::ordered_json json = {{"id", record.id}, {"code", record.code}};
  if (!record.message.empty()) json["message"] = record.message;
  json["scenario"] = record.scenario;
  if (!record.result.is_null()) json["result"] = record.result;
  std::string const text = std::string(first_line) + json_text(json).substr(1) + "\n";
  write_file_atomically(file_of(record.id), sealed(text, first_line), Durable::at_sync);
}

void PointStore::sync() const { sync_files(folder_ / "points"); }

namespace fs = std::filesystem;

std::string const& FileHasher::of_file(fs::path const& file) {
  auto const [place, is_new] = known_.try_emplace(file);
  if (!is_new) return place->second;
  // What is too large for a JSON file has no names of files in it.
  if (fs::file_size(file) > input_limit(InputLimit::text)) return place->second = file_hash(file);
  std::string text = read_input(file);
  if (std::size_t const first = text.find_first_not_of(" \t\r\n");
      first != std::string::npos && (text[first] == '{' || text[first] == '[')) {
    check_json(text, file.string() + "#");
    nlohmann::json const document = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (document.is_structured()) add_files(text, document, file.parent_path());
  }
  return place->second = content_hash(text);
}

void FileHasher::add_files(std::string& text, nlohmann::json const& value, fs::path const& folder,
                           std::string_view key) {
  if (value.is_object())
    for (auto const& [name, member] : value.items()) add_files(text, member, folder, name);
  if (value.is_array())
    for (nlohmann::json const& member : value) add_files(text, member, folder, key);
  if (!value.is_string() || value.get_ref<std::string const&>().empty()) return;
  auto const& name = value.get_ref<std::string const&>();
  auto const [place, is_new] = resolved_.try_emplace(fmt::format("{}\n{}\n{}", folder.string(), key, name));
  if (is_new) {
    std::error_code error;  // the string may be an invalid path
    fs::path const file = (folder / name).lexically_normal();
    bool const is_path = name.find('\0') == std::string::npos;
    if (is_path && fs::is_regular_file(file, error))
      place->second = file;
    else if (key == "kernels")
      place->second = file_named(ShippedKind::kernels, name, folder).value_or("");
    else if (key == "platform" || key == "file" || key == "merge")
      place->second = file_named(ShippedKind::platform, name, folder).value_or("");
    else if (key == "nic" || key == "preset")
      place->second = file_named(ShippedKind::network, name, folder).value_or("");
    else if (key == "disk")
      place->second = file_named(ShippedKind::disk, name, folder).value_or("");
  }
  if (!place->second.empty()) text += '\n' + of_file(place->second);
}

std::string FileHasher::of(nlohmann::json const& document, fs::path const& folder) {
  std::string text = json_text(document);
  add_files(text, document, folder);
  return content_hash(text);
}

}  // namespace factosim
