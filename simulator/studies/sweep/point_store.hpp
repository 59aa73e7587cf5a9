#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "simulator/base/core/exit_code.hpp"
#include "simulator/base/os/atomic_file.hpp"

namespace factosim {

/// The outcome of one point of a sweep.
struct PointRecord {
  std::string id;
  ExitCode code = ExitCode::success;  // exit code of `run` for this point
  std::string message;                // why it failed
  nlohmann::ordered_json result{};    // as result.json; null where it failed
  nlohmann::json scenario{};          // the complete scenario

  [[nodiscard]] bool done() const { return code == ExitCode::success; }
  /// Returns true if another run would end the same way.
  [[nodiscard]] bool settled() const {
    return done() || code == ExitCode::bad_input || code == ExitCode::infeasible;
  }
};

/// What the folder has of a point.
struct StoredPoint {
  std::optional<PointRecord> record{};  // none if the point is missing or damaged
  std::string damage{};                 // why its file is not used
  bool has_checksum = false;            // older versions wrote none

  [[nodiscard]] bool settled() const { return record && record->settled(); }
};

/// The results of a sweep in a folder: DIR/points/ID.json, each written at once or not at all, with a checksum.
class PointStore {
 public:
  explicit PointStore(std::filesystem::path folder);

  /// Makes the folder; throws InputError where it cannot, or where it has points and `resume` is false.
  void open(bool resume);
  /// Keeps other sweeps out until this object is gone, and removes what killed ones have left unfinished.
  /// Throws InputError where another one is at work here.
  void lock();

  /// Reads a point and checks its checksum, its keys and their kinds.
  [[nodiscard]] StoredPoint find(std::string const& id) const;
  /// Throws InputError where the disk is full.
  void write(PointRecord const& record) const;

  /// Waits until all points are on the disk. A point that a power failure damages before is simulated again.
  void sync() const;

  [[nodiscard]] std::filesystem::path const& folder() const { return folder_; }
  [[nodiscard]] std::filesystem::path file_of(std::string const& id) const;

 private:
  std::filesystem::path folder_;
  std::optional<FolderLock> lock_;
};

/// Hashes documents with the files that they name, recursively. Each file is read once.
class FileHasher {
 public:
  /// Depends on the document and on the bytes of every file named by a string in it, but not on the location
  /// of the files; relative paths start from `folder`, and names are those of `shipped_files`.
  [[nodiscard]] std::string of(nlohmann::json const& document, std::filesystem::path const& folder);

 private:
  /// `key`: the key of the value, which determines the kind of a named file.
  void add_files(std::string& text, nlohmann::json const& value, std::filesystem::path const& folder,
                 std::string_view key = {});
  std::string const& of_file(std::filesystem::path const& file);

  std::map<std::filesystem::path, std::string> known_;     // of files; empty while the file is being read
  std::map<std::string, std::filesystem::path> resolved_;  // by folder and string; empty: not a file
};

}  // namespace factosim
