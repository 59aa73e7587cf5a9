#include "simulator/base/core/json_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "factosim/error.hpp"
#include "simulator/base/core/foreign_format.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/input_limits.hpp"
#include "simulator/base/core/json_mistake.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/base/core/quantity_text.hpp"
#include "simulator/base/core/suggestion.hpp"

namespace factosim {

using Kind = ValueRule::Kind;

namespace {

constexpr std::string_view path_remedy =
    "Check the path; relative paths in a file start from that file's folder";

thread_local ProblemCollection* collection = nullptr;

/// Returns the pointer of a key within its object, "/KEY".
std::string pointer_to(std::string const& key) { return (nlohmann::json::json_pointer() / key).to_string(); }

std::string shown(nlohmann::json const& value) {
  std::string text = json_text(value);
  return text.size() <= 40 ? text : text.substr(0, 37) + "...";
}

}  // namespace

std::string plain_text(nlohmann::json::exception const& error) {
  std::string_view what = error.what();
  if (auto const end = what.find("] "); end != std::string_view::npos) what.remove_prefix(end + 2);
  return std::string(what);
}

ProblemCollection::ProblemCollection() { collection = this; }

ProblemCollection::~ProblemCollection() { collection = nullptr; }

void ProblemCollection::add(std::string const& where, std::string_view message) {
  if (places_.insert(where).second) messages_.push_back(fmt::format("{}: {}", where, message));
}

bool too_deep(nlohmann::json const& value) {
  // Level by level: the depth of a recursion would be unlimited.
  auto const deepest = static_cast<int>(input_limit(InputLimit::nesting));
  std::vector<nlohmann::json const*> level{&value}, next;
  for (int depth = 0; !level.empty(); ++depth, level.swap(next)) {
    if (depth > deepest) return true;
    next.clear();
    for (nlohmann::json const* const parent : level)
      for (nlohmann::json const& child : *parent)
        if (child.is_structured()) next.push_back(&child);
  }
  return false;
}

nlohmann::json parse_json_file(std::filesystem::path const& file) {
  std::string const text = read_input_text(file, path_remedy);
  check_json(text, file.string() + "#");
  // Keys of each object that is open during parsing.
  std::vector<std::set<std::string>> open;
  using Event = nlohmann::json::parse_event_t;
  auto check = [&](int /*depth*/, Event event, nlohmann::json& parsed) {
    if (event == Event::object_start) open.emplace_back();
    if (event == Event::object_end) open.pop_back();
    if (event == Event::key && !open.back().insert(parsed.get<std::string>()).second)
      throw nlohmann::json::other_error::create(501, "a key stands twice in one object", nullptr);
    return true;
  };
  try {
    return nlohmann::json::parse(text, check);
  } catch (nlohmann::json::exception const& error) {
    refuse_foreign(file, text, "JSON");
    auto const* const syntax = dynamic_cast<nlohmann::json::parse_error const*>(&error);
    refuse_json(file.string(), text, syntax == nullptr ? 1 : syntax->byte, plain_text(error));
  }
}

nlohmann::ordered_json parse_json_file_in_order(std::filesystem::path const& file) {
  return nlohmann::ordered_json::parse(read_input_text(file, path_remedy));
}

JsonReader::JsonReader(nlohmann::json const& value, std::string file, std::string pointer)
    : value_(&value),
      file_(std::move(file)),
      pointer_(std::move(pointer)),
      asked_(std::make_shared<std::set<std::string>>()) {}

void JsonReader::fail(std::string_view problem_why_remedy) const {
  throw InputError(where(), problem_why_remedy);
}

void JsonReader::report(std::string_view problem_why_remedy) const {
  if (collection == nullptr) fail(problem_why_remedy);
  collection->add(where(), problem_why_remedy);
}

bool JsonReader::expect_object() const {
  if (!value_->is_object())
    report(fmt::format("{} is not an object (keys and values are expected here). Write {{...}}",
                       shown(*value_)));
  return value_->is_object();
}

JsonReader JsonReader::at(std::string const& key, std::string_view meaning) const {
  if (auto found = find(key)) return *found;
  std::vector<std::string> unknown;  // one of them may be meant
  if (value_->is_object() && rules_ != nullptr)
    for (auto const& [name, member] : value_->items())
      if (rules_of_member(name) == nullptr) unknown.push_back(name);
  std::string const misspelt = nearest_word(key, unknown);
  std::string const message =
      fmt::format("the key \"{}\" is missing ({}). {}", key,
                  meaning.empty() ? std::string_view("it is required") : meaning,
                  misspelt.empty() ? "Add it" : fmt::format("Is \"{}\" meant? Rename it", misspelt));
  if (collection == nullptr || !value_->is_object()) fail(message);
  static nlohmann::json const nothing;
  JsonReader const absent(nothing, file_, pointer_ + pointer_to(key), rules_of_key(key));
  collection->add(absent.where(), message);  // and what a value there should be is no second problem
  return absent;
}

std::optional<JsonReader> JsonReader::find(std::string const& key) const {
  if (!expect_object()) return std::nullopt;
  asked_->insert(key);
  ValueRules const* const rules = rules_of_key(key);
  auto const member = value_->find(key);
  if (member == value_->end()) return std::nullopt;
  return JsonReader(*member, file_, pointer_ + pointer_to(key), rules);
}

std::vector<JsonReader> JsonReader::elements() const {
  std::vector<JsonReader> out;
  if (!value_->is_array()) {
    report(fmt::format("{} is not an array (a list is expected here). Write [...]", shown(*value_)));
    return out;
  }
  out.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i)
    out.emplace_back((*value_)[i], file_, fmt::format("{}/{}", pointer_, i), rules_of_elements());
  return out;
}

std::vector<std::pair<std::string, JsonReader>> JsonReader::members() const {
  std::vector<std::pair<std::string, JsonReader>> out;
  if (!expect_object()) return out;
  for (auto const& [key, member] : value_->items()) {
    if (key == comment_key) continue;
    asked_->insert(key);
    out.emplace_back(key, JsonReader(member, file_, pointer_ + pointer_to(key), rules_of_member(key)));
  }
  return out;
}

std::string JsonReader::string() const {
  if (value_->is_string()) {
    std::string text = value_->get<std::string>();
    if (text.find('\0') != std::string::npos) report("has a NUL character (no name has one). Remove it");
    return text;
  }
  report(fmt::format("{} is not a string (text is expected here). Put it in quotes; in a shell: '\"text\"'",
                     shown(*value_)));
  return {};
}

std::vector<std::string> JsonReader::strings() const {
  std::vector<std::string> out;
  for (JsonReader const& element : elements()) out.push_back(element.string());
  return out;
}

std::filesystem::path JsonReader::path() const {
  std::string const name = string();
  require_path(where(), name);
  std::filesystem::path const p(name);
  if (name == "-") return "./-";  // "-" alone is standard input
  std::filesystem::path file =
      p.is_absolute() ? p : (std::filesystem::path(file_).parent_path() / p).lexically_normal();
  InputFiles::name(file, where());
  return file;
}

bool JsonReader::boolean() const {
  if (value_->is_boolean()) return value_->get<bool>();
  report(fmt::format("{} is not a boolean (a switch is expected here). Write true or false", shown(*value_)));
  return false;
}

std::optional<double> JsonReader::stated(Kind kind) const {
  ValueRule const* const rule = value_->is_string() ? rule_of_kind(kind) : nullptr;
  if (rule == nullptr || !may_be_text(rule->unit)) return std::nullopt;
  StatedQuantity const quantity = stated_quantity(string(), rule->unit);
  if (!quantity.mistake.empty()) report(fmt::format("{} {}", shown(*value_), quantity.mistake));
  return quantity.mistake.empty() ? quantity.value : 1;
}

double JsonReader::number() const {
  if (auto const x = stated(Kind::number)) return *x;
  if (!value_->is_number()) {
    ValueRule const* const rule = rule_of_kind(Kind::number);
    report(fmt::format(
        "{} is not a number (a quantity is expected here). {}", shown(*value_),
        rule != nullptr && may_be_text(rule->unit) ? quantity_remedy(rule->unit) : "Write a number"));
    return 1;
  }
  double x = value_->get<double>();
  if (std::isfinite(x)) return x;
  report("is not finite (it cannot be computed with). Write a finite number");
  return 1;
}

double JsonReader::positive() const {
  double x = number();
  if (x >= smallest_quantity && x <= largest_quantity) return x;
  if (!(x > 0))
    report(fmt::format("is {} (it must be above zero). Give a positive number", x));
  else
    report(fmt::format(
        "is {} (it must lie between {} and {}: sums of others are lost in it). Give a value in that range", x,
        smallest_quantity, largest_quantity));
  return 1;
}

double JsonReader::non_negative() const {
  double x = number();
  if (x >= 0 && x <= largest_quantity) return x;
  if (x < 0)
    report(fmt::format("is {} (it must not be negative). Give a number >= 0", x));
  else
    report(
        fmt::format("is {} (it must not be above {}: sums of others are lost in it). Give a smaller number",
                    x, largest_quantity));
  return 0;
}

std::int64_t JsonReader::integer(std::int64_t minimum, std::int64_t maximum) const {
  if (auto const x = stated(Kind::integer)) {
    nlohmann::json const whole = std::llround(std::clamp(*x, -9e18, 9e18));
    return JsonReader(whole, file_, pointer_).integer(minimum, maximum);
  }
  bool const integral =
      value_->is_number_integer() ||
      (value_->is_number_float() && std::floor(value_->get<double>()) == value_->get<double>() &&
       std::abs(value_->get<double>()) < 9e15);
  if (!integral) {
    report(fmt::format("{} is not an integer (a whole number is expected here). Write one, without quotes",
                       shown(*value_)));
    return minimum;
  }
  bool const too_large =
      value_->is_number_unsigned() && value_->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX);
  std::int64_t const x = too_large ? INT64_MAX : value_->get<std::int64_t>();
  if (!too_large && x >= minimum && x <= maximum) return x;
  report(fmt::format("is {} (it must lie between {} and {}). Give a value in that range", shown(*value_),
                     minimum, maximum));
  return minimum;
}

std::string JsonReader::one_of(std::vector<std::string> const& words) const {
  std::string word = string();
  if (std::find(words.begin(), words.end(), word) != words.end()) return word;
  report(fmt::format("\"{}\" is not known. {}", word, use_one_of(word, words)));
  return words.front();
}

void JsonReader::finish() const {
  if (!expect_object()) return;
  expect_all_asked();
  for (auto const& [key, member] : value_->items()) {
    if (asked_->contains(key) || key == comment_key) continue;
    std::vector<std::string> known(asked_->begin(), asked_->end());
    std::erase(known, "$schema");
    JsonReader(member, file_, pointer_ + pointer_to(key))
        .report(fmt::format(
            "unknown key (nothing reads it, so it would be ignored). {}Remove it or use one of: {}",
            did_you_mean(key, known), fmt::join(known, ", ")));
  }
}

void JsonReader::check_format(std::string const& format, int version) const {
  check_own_format(format, version);
  (void)at("format", fmt::format("it should be \"{}\"", format));
  (void)at("version", fmt::format("it should be {}", version));
}

void JsonReader::check_own_format(std::string const& format, int version) const {
  if (pointer_.empty()) refuse_foreign(file(), *value_, format);
  if (auto const schema = find("$schema")) (void)schema->string();
  if (auto const name = find("format"); name && name->string() != format)
    name->report(fmt::format("is \"{}\" (a {} file is expected here). {}", name->string(), format,
                             remedy_of_format(file(), name->string())));
  if (auto const number = find("version"); number && number->integer(0, INT32_MAX) != version)
    number->report(
        fmt::format("is {} (this program reads version {}). Convert the file or use a matching program",
                    shown(number->value()), version));
}

JsonReader::JsonReader(nlohmann::json const& value, std::string file, std::string pointer,
                       ValueRules const* rules)
    : JsonReader(value, std::move(file), std::move(pointer)) {
  rules_ = rules;
}

/// Returns the alternative of that kind; null without rules. A value of any kind has no rule.
ValueRule const* JsonReader::rule_of_kind(Kind kind) const {
  if (rules_ == nullptr) return nullptr;
  auto const found = std::ranges::find(*rules_, kind, &ValueRule::kind);
  return found == rules_->end() ? nullptr : &*found;
}

JsonReader JsonReader::by(ValueRules (*rules)()) const {
  if (rules_ != nullptr) return *this;
  JsonReader out = *this;
  out.own_rules_ = std::make_shared<ValueRules const>(rules());
  out.rules_ = out.own_rules_.get();
  return out;
}

/// Returns the rules of a member that is there; null if no table knows it.
ValueRules const* JsonReader::rules_of_member(std::string const& key) const {
  if (ValueRule const* const map = rule_of_kind(Kind::map)) return &map->items;
  ValueRule const* const object = rule_of_kind(Kind::object);
  if (object == nullptr) return nullptr;
  if (Key const* const found = object->keys().find(key, *value_)) return &found->value;
  auto const* const variant = object->keys().variant_of(*value_);
  return variant == nullptr || variant->other_names.empty() ? nullptr : &variant->others;
}

ValueRules const* JsonReader::rules_of_key(std::string const& key) const {
  ValueRules const* const rules = rules_of_member(key);
  FACTOSIM_EXPECT(rules != nullptr || rule_of_kind(Kind::object) == nullptr,
                  "the table has each key that is asked for");
  return rules;
}

ValueRules const* JsonReader::rules_of_elements() const {
  ValueRule const* const array = rule_of_kind(Kind::array);
  return array == nullptr ? nullptr : &array->items;
}

void JsonReader::expect_all_asked() const {
#if FACTOSIM_CONTRACTS
  ValueRule const* const object = rule_of_kind(Kind::object);
  if (object == nullptr) return;
  auto const asked = [&](std::vector<Key> const& keys) {
    return std::ranges::all_of(keys, [&](Key const& key) { return asked_->contains(key.name); });
  };
  ObjectKeys const& keys = object->keys();
  FACTOSIM_EXPECT(asked(keys.keys), "the reader has asked for all keys of its table");
  if (auto const* const variant = keys.variant_of(*value_))
    FACTOSIM_EXPECT(asked(variant->keys), "the reader has asked for all keys of the variant");
#endif
}

double JsonReader::quantity() const {
  ValueRule const* const rule = rule_of_kind(Kind::number);
  FACTOSIM_ALWAYS(rule != nullptr, "the table says that the value is a number");
  if (rule->above_zero) {
    double const value = positive();
    if (value <= rule->maximum) return value;
    report(fmt::format("is {} (it must be above 0 and at most {}). Give a value in that range", value,
                       rule->maximum));
    return rule->maximum;
  }
  if (rule->minimum == 0 && rule->maximum == largest_quantity) return non_negative();
  double const value = number();
  if (value >= rule->minimum && value <= rule->maximum) return value;
  report(fmt::format("is {} (it must lie between {} and {}). Give a value in that range", value,
                     rule->minimum, rule->maximum));
  return rule->minimum;
}

std::int64_t JsonReader::integer() const {
  ValueRule const* const rule = rule_of_kind(Kind::integer);
  FACTOSIM_ALWAYS(rule != nullptr, "the table says that the value is an integer");
  return integer(rule->least, rule->most);
}

std::string JsonReader::one_of() const {
  ValueRule const* const rule = rule_of_kind(Kind::word);
  FACTOSIM_ALWAYS(rule != nullptr, "the table says that the value is a word");
  return one_of(rule->words);
}

std::string JsonReader::text() const {
  ValueRule const* const rule = rule_of_kind(Kind::word);
  return rule == nullptr ? string() : one_of(rule->words);
}

}  // namespace factosim
