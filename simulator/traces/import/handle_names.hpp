#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "simulator/traces/import/starpu_run.hpp"

namespace factosim {

/// A datum as one node names it.
struct DataName {
  std::uint32_t node;
  std::uint64_t address;
  bool operator==(DataName const&) const = default;
};
struct DataNameHash {
  std::size_t operator()(DataName const& n) const {
    return std::hash<std::uint64_t>{}(n.address * 0x9e3779b97f4a7c15U + n.node);
  }
};

/// Finds which names of different nodes denote one datum: those with the same MPI tag, with the same
/// coordinates and owner, or that messages connect. A tag or a tile that denotes several data is not used;
/// neither are names of messages that contradict the records of the data. All that is reported.
class DataIdentity {
 public:
  /// O(records + messages).
  explicit DataIdentity(StarpuRun const& run);

  /// Number of data with a record.
  [[nodiscard]] std::size_t size() const { return count_; }
  /// Returns the datum with that name; an invalid id if no record and no message tells it. Data are numbered
  /// in the order of their first records.
  [[nodiscard]] HandleId named(DataName name) const;
  [[nodiscard]] HandleId tagged(std::int64_t tag) const;
  /// Returns whether messages use the name for data with different tags.
  [[nodiscard]] bool misleads(DataName name) const { return misleading_.contains(name); }
  /// [records] whether the name had been given to another datum before; it stays with the first.
  [[nodiscard]] std::vector<bool> const& renamed() const { return renamed_; }
  [[nodiscard]] std::vector<std::string> const& findings() const { return findings_; }

  /// Coordinates of a tile and the node that owns it.
  struct Tile {
    std::int32_t owner, m, n;
    auto operator<=>(Tile const&) const = default;
  };
  /// What identifies a datum between nodes.
  struct Keys {
    std::int64_t tag = -1;
    std::optional<Tile> tile;
    [[nodiscard]] bool contradict(Keys const& other) const {
      return (tag >= 0 && other.tag >= 0 && tag != other.tag) || (tile && other.tile && *tile != *other.tile);
    }
  };

 private:
  struct Entry {
    std::uint32_t same_as;  // index of an entry of the same datum; its own: the first one
    Keys keys;              // of the first entry of a datum: all that is known
    HandleId handle{};
  };

  void add_records(StarpuRun const& run);
  void add_messages(StarpuRun const& run);
  /// Returns whether the records know both names of the message as one datum, or it has no names.
  bool agrees(StarpuRun::Message const& message);
  void number();
  std::uint32_t entry(DataName name);
  std::uint32_t first_of(std::uint32_t entry);
  /// Returns false if their keys contradict each other.
  bool join(std::uint32_t a, std::uint32_t b);

  std::vector<Entry> entries_;
  std::unordered_map<DataName, std::uint32_t, DataNameHash> by_name_;  // index into entries_
  std::unordered_map<std::int64_t, std::uint32_t> by_tag_;             // likewise
  std::unordered_set<DataName, DataNameHash> misleading_;
  std::vector<bool> renamed_;
  std::vector<std::string> findings_;
  std::size_t count_ = 0;
};

/// The handles of a trace, found by the names that its nodes use for their data. Sizes are the largest that
/// the records of a datum tell, messages aside; negative if none does.
class HandleNames {
 public:
  explicit HandleNames(StarpuRun const& run);

  /// Returns the handle with that name on the node; a new one if there is none.
  HandleId of(std::uint32_t node, std::uint64_t address);
  /// Returns the handle with that name on the node, or an invalid id.
  [[nodiscard]] HandleId known(std::uint32_t node, std::uint64_t address) const;
  /// Returns the handle that the message carried, by its names on both nodes, then by its tag.
  [[nodiscard]] HandleId of_message(StarpuRun::Message const& message) const;

  [[nodiscard]] std::vector<Trace::Handle>& handles() { return handles_; }
  [[nodiscard]] std::vector<std::string> const& findings() const { return identity_.findings(); }

 private:
  void describe(StarpuRun::Handle const& record, bool renamed);

  DataIdentity identity_;
  std::unordered_map<DataName, HandleId, DataNameHash> without_record_;
  std::vector<Trace::Handle> handles_;
};

}  // namespace factosim
