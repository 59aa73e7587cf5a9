#include "simulator/traces/import/paje_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "simulator/traces/import/fields.hpp"

namespace factosim {

namespace {

using Kind = PajeEvents::Kind;
constexpr std::array<std::pair<std::string_view, Kind>, 12> kinds{{
    {"PajeDefineContainerType", Kind::define_container_type},
    {"PajeDefineStateType", Kind::define_state_type},
    {"PajeDefineLinkType", Kind::define_link_type},
    {"PajeDefineEntityValue", Kind::define_entity_value},
    {"PajeCreateContainer", Kind::create_container},
    {"PajeDestroyContainer", Kind::destroy_container},
    {"PajeSetState", Kind::set_state},
    {"PajePushState", Kind::push_state},
    {"PajePopState", Kind::pop_state},
    {"PajeResetState", Kind::reset_state},
    {"PajeStartLink", Kind::start_link},
    {"PajeEndLink", Kind::end_link},
}};

Kind kind_of(std::string_view name) {
  for (auto const& [known, kind] : kinds)
    if (known == name) return kind;
  return Kind::other;
}

}  // namespace

bool PajeEvents::next() {
  std::string_view line;
  while (lines_.next(line)) {
    std::string_view const text = trimmed(line);
    if (text.starts_with("#This file was generated using SimGrid")) from_simgrid_ = true;
    if (text.empty() || text.front() == '#') continue;
    if (text.front() == '%') {
      define(trimmed(text.substr(1)));
      continue;
    }
    if (lines_.unfinished())
      lines_.fail("has no line end (the file was cut here). Copy it again or write the trace again");
    split(text);
    auto const known = definitions_.find(std::string(values_.front()));
    if (known == definitions_.end())
      lines_.fail(fmt::format("starts with {}, which no %EventDef defines. Was the file cut or damaged?",
                              values_.front().substr(0, 40)));
    definition_ = &known->second;
    values_.erase(values_.begin());
    return true;
  }
  return false;
}

void PajeEvents::define(std::string_view text) {
  split(text);
  if (values_.empty()) return;
  std::string_view const word = values_.front();
  if (word == "EventDef") {
    if (values_.size() < 3) lines_.fail("%EventDef needs a name and a number. Correct the line");
    if (definitions_.size() > 1000)
      lines_.fail("is the 1000th kind of event (Paje has 20). Is this a trace?");
    Definition& d = definitions_[std::string(values_[2])];
    d = {.kind = kind_of(values_[1]), .name = std::string(values_[1]), .fields = {}};
    open_ = &d;
  } else if (word == "EndEventDef") {
    open_ = nullptr;
  } else if (open_ != nullptr) {
    if (open_->fields.size() > 100) lines_.fail("is the 100th field of an event (no event has so many)");
    open_->fields.emplace_back(word);
  }
}

void PajeEvents::split(std::string_view line) {
  values_.clear();
  constexpr std::string_view blanks = " \t";
  for (std::size_t at = 0; (at = line.find_first_not_of(blanks, at)) != std::string_view::npos;) {
    if (line[at] == '"') {
      std::size_t const end = line.find('"', at + 1);
      if (end == std::string_view::npos)
        lines_.fail("a quoted field does not end. Was the file cut or damaged here?");
      values_.push_back(line.substr(at + 1, end - at - 1));
      at = end + 1;
    } else {
      std::size_t const end = std::min(line.find_first_of(blanks, at), line.size());
      values_.push_back(line.substr(at, end - at));
      at = end;
    }
  }
}

std::string_view const* PajeEvents::find(std::string_view name) const {
  auto const& fields = definition_->fields;
  auto const place = static_cast<std::size_t>(std::ranges::find(fields, name) - fields.begin());
  return place < std::min(fields.size(), values_.size()) ? &values_[place] : nullptr;
}

std::string_view PajeEvents::required(std::string_view name) const {
  if (auto const* const value = find(name)) return *value;
  lines_.fail(fmt::format("is a {} without {}. Was the file cut or damaged here?", definition_->name, name));
}

double PajeEvents::time() const {
  return date_s(lines_, required("Time"), 1, "a date");  // in the file's unit, which may be ms
}

}  // namespace factosim
