#pragma once

#include <zlib.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "simulator/traces/trace/trace.hpp"

// The columns of the native trace file in file order; the single list used by reader and writer.

namespace factosim::native {

static_assert(std::endian::native == std::endian::little, "columns are written as they lie in memory");

/// Name of the element type in the header, in numpy's notation.
template <class Element>
constexpr std::string_view type_name() {
  if constexpr (std::is_same_v<Element, double>) return "<f8";
  if constexpr (std::is_same_v<Element, bool> || std::is_same_v<Element, std::uint8_t>) return "|u1";
  if constexpr (std::is_same_v<Element, std::uint16_t>) return "<u2";
  if constexpr (std::is_same_v<Element, std::uint64_t>) return "<u8";
  if constexpr (std::is_same_v<Element, std::int32_t>) return "<i4";
  if constexpr (std::is_same_v<Element, Bytes>) return "<i8";
  if constexpr (std::is_same_v<Element, TaskIndices>) return "(3,)<i4";
  return "<u4";  // ids, accesses, plain numbers
}

/// Type of the elements of a column: of a vector, or of a member of its records.
template <class Values, class Field>
using Element = std::remove_cvref_t<std::invoke_result_t<Field, typename Values::value_type&>>;

/// Whether the elements of a column lie in memory as in the file.
template <class Values, class Field>
constexpr bool is_contiguous =
    std::is_same_v<Field, std::identity> && !std::is_same_v<typename Values::value_type, bool>;

/// Returns the CRC-32 (zlib) of a file extended by `size` bytes. zlib restarts if the address is null, which
/// is the case for empty columns.
inline std::uint32_t checksum_with(std::uint32_t checksum, void const* data, std::size_t size) {
  if (size == 0) return checksum;
  return static_cast<std::uint32_t>(crc32_z(checksum, static_cast<Bytef const*>(data), size));
}

/// Calls `visit(name, vector)` for columns that are vectors, and `visit(name, vector of structs, member)` for
/// members of records. `Any` is a Trace, const or not.
template <class Any, class Visit>
void for_each_column(Any& t, Visit&& visit) {
  visit("task.kernel", t.kernel);
  visit("task.worker", t.worker);
  visit("task.submit_s", t.submit_s);
  visit("task.start_s", t.start_s);
  visit("task.end_s", t.end_s);
  visit("task.priority", t.priority);
  visit("task.k_m_n", t.indices);
  visit("task.footprint", t.footprint);
  visit("task.access_begin", t.access_begin);
  visit("access.handle_mode", t.accesses);
  visit("task.predecessor_begin", t.predecessor_begin);
  visit("predecessor.task", t.predecessors);
  visit("task.job", t.job);
  visit("task.submit_order", t.submit_order);
  visit("task.tag", t.tag);
  visit("task.flops", t.flops);
  visit("task.writes_back", t.writes_back);
  visit("handle.size_bytes", t.handles, &Trace::Handle::size);
  visit("handle.m", t.handles, &Trace::Handle::m);
  visit("handle.n", t.handles, &Trace::Handle::n);
  visit("handle.owner", t.handles, &Trace::Handle::owner);
  visit("handle.address", t.handles, &Trace::Handle::address);
  visit("handle.tag", t.handles, &Trace::Handle::tag);
  visit("message.from", t.messages, &Trace::Message::from);
  visit("message.to", t.messages, &Trace::Message::to);
  visit("message.start_s", t.messages, &Trace::Message::start_s);
  visit("message.end_s", t.messages, &Trace::Message::end_s);
  visit("message.size_bytes", t.messages, &Trace::Message::size);
  visit("message.handle", t.messages, &Trace::Message::handle);
  visit("message.producer", t.messages, &Trace::Message::producer);
  visit("message.consumer", t.messages, &Trace::Message::consumer);
  visit("copy.from", t.copies, &Trace::Copy::from);
  visit("copy.to", t.copies, &Trace::Copy::to);
  visit("copy.start_s", t.copies, &Trace::Copy::start_s);
  visit("copy.end_s", t.copies, &Trace::Copy::end_s);
  visit("copy.size_bytes", t.copies, &Trace::Copy::size);
  visit("copy.handle", t.copies, &Trace::Copy::handle);
  visit("state.worker", t.states, &Trace::State::worker);
  visit("state.name", t.states, &Trace::State::name);
  visit("state.start_s", t.states, &Trace::State::start_s);
  visit("state.end_s", t.states, &Trace::State::end_s);
  visit("wont_use.node", t.wont_use, &Trace::WontUse::node);
  visit("wont_use.handle", t.wont_use, &Trace::WontUse::handle);
  visit("wont_use.submit_s", t.wont_use, &Trace::WontUse::submit_s);
  visit("wont_use.job", t.wont_use, &Trace::WontUse::job);
  visit("wont_use.submit_order", t.wont_use, &Trace::WontUse::submit_order);
}

/// Columns of files with `has_message_memories` only, after all others.
template <class Any, class Visit>
void for_each_message_memory(Any& t, Visit&& visit) {
  visit("message.from_memory", t.messages, &Trace::Message::from_memory);
  visit("message.to_memory", t.messages, &Trace::Message::to_memory);
}

/// Columns missing in files of older versions; they are last in the file.
template <class Any, class Visit>
void for_each_late_column(Any& t, Visit&& visit) {
  visit("place.memory", t.places, &Trace::Place::memory);
  visit("place.handle", t.places, &Trace::Place::handle);
  visit("place.start_s", t.places, &Trace::Place::start_s);
  visit("place.end_s", t.places, &Trace::Place::end_s);
  visit("repeat.task", t.repeats, &Trace::Execution::task);
  visit("repeat.worker", t.repeats, &Trace::Execution::worker);
  visit("repeat.start_s", t.repeats, &Trace::Execution::start_s);
  visit("repeat.end_s", t.repeats, &Trace::Execution::end_s);
}

/// Calls `visit` for all columns of a file; `shape_of`: [handles] numbers of their shapes.
template <class Any, class Visit>
void for_each_column_of_file(Any& t, std::vector<std::uint32_t>& shape_of, Visit&& visit) {
  for_each_column(t, visit);
  visit("handle.shape", shape_of);
  if (t.has_places) for_each_late_column(t, visit);
  if (t.has_message_memories) for_each_message_memory(t, visit);
}

}  // namespace factosim::native
