#include "simulator/sweep/point_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/core/json_text.hpp"
#include "simulator/os/atomic_file.hpp"

namespace factosim {

namespace fs = std::filesystem;

PointStore::PointStore(fs::path folder) : folder_(std::move(folder)) {}

PointStore::~PointStore() {
  if (lock_ >= 0) ::close(lock_);
}

fs::path PointStore::file_of(std::string const& id) const { return folder_ / "points" / (id + ".json"); }

void PointStore::open(bool resume) {
  fs::path const points = folder_ / "points";
  std::error_code error;
  if (!resume && fs::exists(points, error) && !fs::is_empty(points, error))
    throw InputError(
        folder_.string() + "#",
        "holds results of a sweep (they would be mixed with new ones). Give --resume to keep what "
        "is done, or another folder");
  fs::create_directories(points, error);
  if (error)
    throw InputError(folder_.string() + "#",
                     fmt::format("cannot be created ({}). Give a folder you may write to", error.message()));
}

void PointStore::lock() {
  fs::path const file = folder_ / "points" / "lock";
  lock_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (lock_ < 0)
    throw InputError(file.string() + "#",
                     fmt::format("cannot be written ({}). Check the folder, its permissions "
                                 "and the space left",
                                 std::strerror(errno)));
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw InputError(
        folder_.string() + "#",
        "is in use by another sweep (both would run the same points). Wait for it, or give another "
        "folder");
  for (auto const& entry : fs::directory_iterator(folder_ / "points"))
    if (entry.path().extension() == ".part") fs::remove(entry.path());
}

std::optional<PointRecord> PointStore::find(std::string const& id) const {
  std::ifstream in(file_of(id));
  if (!in) return std::nullopt;
  auto const json = nlohmann::ordered_json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.value("format", "") != "factosim-point" || json.value("id", "") != id)
    return std::nullopt;  // cut short by a power failure, say
  return PointRecord{
      .id = id,
      .code = json.value("code", ExitCode::internal_error),
      .message = json.value("message", ""),
      .result = json.contains("result") ? json["result"] : nlohmann::ordered_json(),
      .scenario = json.contains("scenario") ? nlohmann::json(json["scenario"]) : nlohmann::json()};
}

void PointStore::write(PointRecord const& record) const {
  nlohmann::ordered_json json = {
      {"format", "factosim-point"}, {"version", 1}, {"id", record.id}, {"code", record.code}};
  if (!record.message.empty()) json["message"] = record.message;
  json["scenario"] = record.scenario;
  if (!record.result.is_null()) json["result"] = record.result;
  write_file_atomically(file_of(record.id), json_text(json) + "\n", Durable::at_sync);
}

void PointStore::sync() const { sync_files(folder_ / "points"); }

}  // namespace factosim
