#include "simulator/traces/trace/column_differences.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <functional>
#include <type_traits>
#include <utility>

#include "simulator/traces/trace/native_columns.hpp"

namespace factosim {

namespace {

template <class Element>
bool same(Element const& a, Element const& b) {
  if constexpr (std::is_trivially_copyable_v<Element>) {
    using Octets = std::array<std::byte, sizeof(Element)>;  // an unknown date, NaN, is the same as another
    return std::bit_cast<Octets>(a) == std::bit_cast<Octets>(b);
  } else {
    return a == b;
  }
}

template <class Element>
std::string text(Element const& element) {
  if constexpr (std::is_same_v<Element, TaskIndices>)
    return fmt::format("({}, {}, {})", element.k, element.m, element.n);
  else if constexpr (std::is_same_v<Element, DataAccess>)
    return fmt::format("{} in mode {}", element.handle().value(), static_cast<int>(element.mode()));
  else if constexpr (requires { element.value(); })
    return fmt::format("{}", element.value());
  else if constexpr (requires { element.value; })
    return fmt::format("{}", element.value);
  else
    return fmt::format("{}", element);
}

template <class Visit>
void for_each(Trace const& trace, Visit&& visit) {
  native::for_each_column(trace, visit);
  if (trace.has_places) native::for_each_late_column(trace, visit);
  if (trace.has_message_memories) native::for_each_message_memory(trace, visit);
  visit("handle.shape", trace.handles, &Trace::Handle::shape);
}

/// Compares each column with the vector of the other trace that is visited at the same time, and so has its type.
class Comparison {
 public:
  explicit Comparison(Trace const& expected) {
    for_each(expected, [&](char const* /*name*/, auto const& values, auto... /*field*/) {
      expected_.push_back(&values);
    });
  }

  template <class Values, class Field = std::identity>
  void operator()(char const* name, Values const& found, Field field = {}) {
    using Element = std::remove_cvref_t<std::invoke_result_t<Field, typename Values::value_type const&>>;
    Values const& expected = *static_cast<Values const*>(expected_[next_++]);
    if (found.size() != expected.size()) {
      out.push_back({fmt::format("number of {}", name), fmt::format("{}", found.size()),
                     fmt::format("{}", expected.size())});
      return;
    }
    ColumnDifference first{.count = 0};
    for (std::size_t i = 0; i < found.size(); ++i) {
      Element const is = std::invoke(field, found[i]), shall_be = std::invoke(field, expected[i]);
      if (same(is, shall_be) || first.count++ > 0) continue;
      first.place = fmt::format("{}[{}]", name, i);
      first.found = text(is), first.expected = text(shall_be);
    }
    if (first.count > 0) out.push_back(std::move(first));
  }

  std::vector<ColumnDifference> out;

 private:
  std::vector<void const*> expected_;
  std::size_t next_ = 0;
};

}  // namespace

std::vector<ColumnDifference> column_differences(Trace const& found, Trace const& expected) {
  auto const optional_columns = [](Trace const& t) {
    return fmt::format("places: {}, memories of messages: {}", t.has_places, t.has_message_memories);
  };
  if (optional_columns(found) != optional_columns(expected))
    return {{"columns", optional_columns(found), optional_columns(expected)}};
  Comparison comparison(expected);
  for_each(found, comparison);
  return std::move(comparison.out);
}

}  // namespace factosim
