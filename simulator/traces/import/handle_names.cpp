#include "simulator/traces/import/assembly.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <optional>

#include "factosim/error.hpp"

namespace factosim {

namespace {

/// Coordinates of a tile and the node that owns it.
struct Tile {
  std::int32_t owner, m, n;
  bool operator==(Tile const&) const = default;
};
struct TileHash {
  static std::size_t mixed(std::size_t a, std::size_t b) { return a * 0x9e3779b97f4a7c15U + b; }
  std::size_t operator()(Tile const& t) const {
    return mixed(mixed(static_cast<std::uint32_t>(t.m), static_cast<std::uint32_t>(t.n)),
                 static_cast<std::uint32_t>(t.owner));
  }
};

/// What identifies a datum between nodes.
struct Keys {
  std::int64_t tag = -1;
  std::optional<Tile> tile;
  [[nodiscard]] bool contradict(Keys const& other) const {
    return (tag >= 0 && other.tag >= 0 && tag != other.tag) || (tile && other.tile && *tile != *other.tile);
  }
};

std::optional<Tile> tile_of(StarpuRun::Handle const& h) {
  if (h.owner < 0 || h.m < 0) return std::nullopt;
  return Tile{h.owner, h.m, h.n};
}

/// Tells which tags and tiles denote one datum only.
class UsableKeys {
 public:
  explicit UsableKeys(std::vector<StarpuRun::Handle> const& records) {
    for (StarpuRun::Handle const& h : records) note_tag(h);
    for (StarpuRun::Handle const& h : records)
      if (auto const tile = tile_of(h)) note_tile(h, *tile);
  }

  [[nodiscard]] std::int64_t tag_of(StarpuRun::Handle const& h) const {
    return h.tag < 0 || useless_tags_.contains(h.tag) ? -1 : h.tag;
  }
  [[nodiscard]] bool identifies(Tile const& tile) const { return !tiles_.at(tile).ambiguous; }

  /// Number of tags that records with different coordinates have.
  [[nodiscard]] std::size_t useless_tags() const { return useless_tags_.size(); }
  /// Number of tiles that cannot be told apart between nodes.
  [[nodiscard]] std::size_t ambiguous_tiles() const {
    return static_cast<std::size_t>(std::count_if(tiles_.begin(), tiles_.end(), [](auto const& t) {
      return t.second.ambiguous && t.second.untagged && t.second.on_node.size() > 1;
    }));
  }

 private:
  struct TileUse {
    std::int64_t tag = -1;
    std::string shape;
    std::map<std::uint32_t, std::pair<std::uint64_t, std::int64_t>> on_node{};  // first address and its tag
    bool untagged = false;  // some record has no usable tag
    bool ambiguous = false;
  };

  void note_tag(StarpuRun::Handle const& h) {
    auto const tile = tile_of(h);
    if (h.tag < 0 || !tile) return;
    auto const [known, is_new] = tile_of_tag_.try_emplace(h.tag, *tile);
    if (!is_new && known->second != *tile) useless_tags_.insert(h.tag);
  }

  void note_tile(StarpuRun::Handle const& h, Tile const& tile) {
    TileUse& use = tiles_[tile];
    std::int64_t const tag = tag_of(h);
    auto const differs = [](auto const& known, auto const& none, auto const& value) {
      return known != none && value != none && known != value;
    };
    if (differs(use.tag, std::int64_t{-1}, tag) || differs(use.shape, std::string(), h.shape))
      use.ambiguous = true;
    if (use.tag < 0) use.tag = tag;
    if (use.shape.empty()) use.shape = h.shape;
    if (tag < 0) use.untagged = true;
    auto const& [address, first_tag] = use.on_node.try_emplace(h.node, h.address, tag).first->second;
    if (address != h.address && (tag < 0 || first_tag != tag))
      use.ambiguous = true;  // two matrices, or one that was registered again
  }

  std::unordered_map<std::int64_t, Tile> tile_of_tag_;
  std::unordered_set<std::int64_t> useless_tags_;
  std::unordered_map<Tile, TileUse, TileHash> tiles_;
};

/// The names that messages have for their data on both nodes.
class MessageNames {
 public:
  explicit MessageNames(std::vector<StarpuRun::Message> const& messages) {
    for (StarpuRun::Message const& m : messages) {
      DataName const sent{m.from, m.send_address}, received{m.to, m.receive_address};
      note_tag(sent, m.tag);
      note_tag(received, m.tag);
      if (sent.address == 0 || received.address == 0) continue;
      note_partner(sent, received);
      note_partner(received, sent);
    }
  }

  [[nodiscard]] std::unordered_set<DataName, DataNameHash> const& misleading() const { return misleading_; }

  /// Returns whether every message connects these two names only.
  [[nodiscard]] bool connects(DataName a, DataName b) const {
    return !misleading_.contains(a) && !misleading_.contains(b) && only_partner(a, b) && only_partner(b, a);
  }

 private:
  struct Partner {
    std::uint64_t address;
    bool only = true;
  };

  void note_tag(DataName name, std::int64_t tag) {
    if (name.address == 0) return;
    auto const [known, is_new] = tags_.try_emplace(name, tag);
    if (!is_new && known->second != tag) misleading_.insert(name);
  }
  void note_partner(DataName name, DataName other) {
    Partner& known = partners_[name].try_emplace(other.node, Partner{other.address}).first->second;
    if (known.address != other.address) known.only = false;
  }
  [[nodiscard]] bool only_partner(DataName name, DataName other) const {
    return partners_.at(name).at(other.node).only;
  }

  std::unordered_map<DataName, std::int64_t, DataNameHash> tags_;
  std::unordered_map<DataName, std::map<std::uint32_t, Partner>, DataNameHash> partners_;  // by their nodes
  std::unordered_set<DataName, DataNameHash> misleading_;
};

/// Finds which names of different nodes denote one datum.
class DataIdentity {
 public:
  explicit DataIdentity(StarpuRun const& run) {
    add_records(run);
    add_messages(run);
    for (std::uint32_t i = 0; i < entries_.size(); ++i)  // first entries precede the others
      entries_[i].handle =
          entries_[i].same_as == i ? HandleId{count_++} : entries_[entries_[i].same_as].handle;
  }

  /// Number of data with a record.
  [[nodiscard]] std::size_t size() const { return count_; }
  /// Returns the data of these names, or tags.
  template <class Key, class Hash>
  [[nodiscard]] std::unordered_map<Key, HandleId, Hash> handles_of(
      std::unordered_map<Key, std::uint32_t, Hash> const& numbers) const {
    std::unordered_map<Key, HandleId, Hash> out;
    out.reserve(numbers.size());
    for (auto const& [key, number] : numbers) out.emplace(key, entries_[number].handle);
    return out;
  }

  std::unordered_map<DataName, std::uint32_t, DataNameHash> by_name;  // index into the entries
  std::unordered_map<std::int64_t, std::uint32_t> by_tag;             // likewise
  std::unordered_set<DataName, DataNameHash> misleading;
  std::vector<bool> renamed;  // [records] the name had been given to another datum; it stays with the first
  std::vector<std::string> findings;

 private:
  struct Entry {
    std::uint32_t same_as;  // index of an entry of the same datum; its own: the first one
    Keys keys;              // of the first entry of a datum: all that is known
    HandleId handle{};
  };

  std::uint32_t entry(DataName name) {
    auto const index = static_cast<std::uint32_t>(entries_.size());
    auto const [place, is_new] = by_name.try_emplace(name, index);
    if (is_new) entries_.push_back({.same_as = index, .keys = {}});
    return place->second;
  }

  std::uint32_t first_of(std::uint32_t entry) {
    while (entries_[entry].same_as != entry) {
      std::uint32_t& next = entries_[entry].same_as;
      next = entries_[next].same_as;  // shortens the path for later calls
      entry = next;
    }
    return entry;
  }

  /// Returns false if their keys contradict each other.
  bool join(std::uint32_t a, std::uint32_t b) {
    a = first_of(a);
    b = first_of(b);
    if (a == b) return true;
    if (entries_[a].keys.contradict(entries_[b].keys)) return false;
    if (b < a) std::swap(a, b);
    entries_[b].same_as = a;
    Keys& keys = entries_[a].keys;
    Keys const& more = entries_[b].keys;
    if (keys.tag < 0) keys.tag = more.tag;
    if (!keys.tile) keys.tile = more.tile;
    return true;
  }

  void add_records(StarpuRun const& run) {
    UsableKeys const usable(run.handles);
    std::unordered_map<Tile, std::uint32_t, TileHash> by_tile;
    std::size_t renamings = 0;
    for (StarpuRun::Handle const& h : run.handles) {
      std::uint32_t const here = entry({h.node, h.address});
      Keys const keys{usable.tag_of(h), tile_of(h)};
      Keys& known = entries_[first_of(here)].keys;
      renamed.push_back(known.contradict(keys));
      if (renamed.back()) {
        ++renamings;
        continue;
      }
      if (keys.tag >= 0) known.tag = keys.tag;
      if (keys.tile) known.tile = keys.tile;
      if (keys.tag >= 0) (void)join(by_tag.try_emplace(keys.tag, here).first->second, here);
      if (keys.tile && usable.identifies(*keys.tile))
        (void)join(by_tile.try_emplace(*keys.tile, here).first->second, here);
    }
    if (renamings > 0)
      findings.push_back(fmt::format(
          "{} names of data are given to other data later on: both count as the one that had it first",
          renamings));
    if (usable.useless_tags() > 0)
      findings.push_back(fmt::format(
          "{} MPI tags belong to data with different coordinates: they are not used", usable.useless_tags()));
    if (usable.ambiguous_tiles() > 0)
      findings.push_back(
          fmt::format("{} tiles have the coordinates and the owner of another one (several matrices?) and no "
                      "MPI tag tells them apart: which names of two nodes mean the same tile is not known",
                      usable.ambiguous_tiles()));
  }

  /// Returns whether the records know both names of the message as one datum, or it has no names.
  bool agrees(StarpuRun::Message const& m) {
    if (m.send_address == 0 && m.receive_address == 0) return true;
    auto const sent = by_name.find({m.from, m.send_address}),
               received = by_name.find({m.to, m.receive_address});
    return sent != by_name.end() && received != by_name.end() &&
           first_of(sent->second) == first_of(received->second);
  }

  void add_messages(StarpuRun const& run) {
    if (std::all_of(run.messages.begin(), run.messages.end(), [&](auto const& m) { return agrees(m); }))
      return;
    MessageNames const names(run.messages);
    std::size_t contradictory = 0;
    for (StarpuRun::Message const& m : run.messages) {
      DataName const sent{m.from, m.send_address}, received{m.to, m.receive_address};
      if (sent.address == 0 || received.address == 0) continue;
      if (!by_name.contains(sent) && !by_name.contains(received)) continue;
      if (!names.connects(sent, received)) continue;
      std::uint32_t const from = entry(sent);  // in this order: numbers must not depend on the compiler
      if (!join(from, entry(received))) ++contradictory;
    }
    misleading = names.misleading();
    if (contradictory > 0)
      findings.push_back(
          fmt::format("{} messages have other data at their receiver than at their sender: the names of "
                      "their data are not used",
                      contradictory));
  }

  std::vector<Entry> entries_;
  std::size_t count_ = 0;
};

constexpr std::size_t max_handles = std::size_t{1} << 30U;  // DataAccess stores handles in 30 bits

void check_count(std::size_t handles) {
  if (handles >= max_handles)
    throw InputError("trace#", "has more than 2^30 pieces of data (more than this program can number)");
}

}  // namespace

HandleNames::HandleNames(StarpuRun const& run) {
  DataIdentity identity(run);
  check_count(identity.size());
  by_name_ = identity.handles_of(identity.by_name);
  by_tag_ = identity.handles_of(identity.by_tag);
  misleading_ = std::move(identity.misleading);
  findings_ = std::move(identity.findings);
  handles_.resize(identity.size());
  for (std::size_t r = 0; r < run.handles.size(); ++r) describe(run.handles[r], identity.renamed[r]);
}

void HandleNames::describe(StarpuRun::Handle const& record, bool renamed) {
  HandleId const handle = known(record.node, record.address);
  Trace::Handle& out = handles_[handle.index()];
  out.size = std::max(out.size, Bytes{record.size});
  if (!record.shape.empty()) out.shape = record.shape;
  if (renamed) return;
  if (record.m >= 0) out.m = record.m;
  if (record.n >= 0) out.n = record.n;
  if (tagged(record.tag) == handle && record.tag <= std::numeric_limits<std::int32_t>::max())
    out.tag = static_cast<std::int32_t>(record.tag);
  if (record.owner >= 0) out.owner = NodeId{record.owner};
  if (!out.owner.valid()) out.owner = NodeId{record.node};
  if (out.owner == NodeId{record.node} || out.address == 0) out.address = record.address;
}

HandleId HandleNames::of(std::uint32_t node, std::uint64_t address) {
  auto const [place, is_new] = by_name_.try_emplace(DataName{node, address}, HandleId{handles_.size()});
  if (is_new) {
    check_count(handles_.size());
    handles_.push_back({.owner = NodeId{node}, .address = address, .shape = {}});
  }
  return place->second;
}

HandleId HandleNames::known(std::uint32_t node, std::uint64_t address) const {
  auto const found = by_name_.find({node, address});
  return found == by_name_.end() ? HandleId{} : found->second;
}

HandleId HandleNames::tagged(std::int64_t tag) const {
  auto const found = by_tag_.find(tag);
  return found == by_tag_.end() ? HandleId{} : found->second;
}

HandleId HandleNames::of_message(StarpuRun::Message const& m) const {
  for (DataName const name : {DataName{m.from, m.send_address}, DataName{m.to, m.receive_address}})
    if (name.address != 0 && !misleading_.contains(name))
      if (HandleId const found = known(name.node, name.address); found.valid()) return found;
  return tagged(m.tag);
}

}  // namespace factosim
