#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "simulator/base/core/json_text.hpp"
#include "simulator/studies/sweep/sweep_space.hpp"

namespace factosim {

namespace {

using Json = nlohmann::json;
using Operand = std::function<Json(FilteredPoint const&)>;
using Operands = std::vector<Operand>;

/// Converts an operand to a number; `json` locates errors.
double number(JsonReader const& json, Json const& value) {
  if (!value.is_number())
    json.fail(
        fmt::format("computes with {} (at some point of the sweep, and it is no number). Check the key, or "
                    "whether all points have it",
                    json_text(value)));
  return value.get<double>();
}

Operand read_operand(JsonReader const& json);

Operands read_operands(std::vector<JsonReader> const& entries) {
  Operands out;
  for (std::size_t i = 1; i < entries.size(); ++i) out.push_back(read_operand(entries[i]));
  return out;
}

void expect_operands(JsonReader const& json, std::string const& name, std::size_t found, std::size_t minimum,
                     std::size_t maximum) {
  if (found < minimum || found > maximum)
    json.fail(fmt::format("has {} operands (\"{}\" takes {}). Give as many", found, name,
                          minimum == maximum    ? fmt::format("{}", minimum)
                          : maximum > 1'000'000 ? fmt::format("{} or more", minimum)
                                                : fmt::format("{} to {}", minimum, maximum)));
}

/// Compares numbers, or texts by the sign of their difference.
Operand comparison(JsonReader const& json, Operands operands, std::function<bool(double, double)> compare) {
  return
      [json, operands = std::move(operands), compare = std::move(compare)](FilteredPoint const& p) -> Json {
        Json const a = operands[0](p), b = operands[1](p);
        if (a.is_string() && b.is_string())
          return compare(a.get<std::string>().compare(b.get<std::string>()), 0);
        return compare(number(json, a), number(json, b));
      };
}

Operand arithmetic(JsonReader const& json, Operands operands, std::function<double(double, double)> fold) {
  return [json, operands = std::move(operands), fold = std::move(fold)](FilteredPoint const& p) -> Json {
    double value = number(json, operands[0](p));
    for (std::size_t i = 1; i < operands.size(); ++i) value = fold(value, number(json, operands[i](p)));
    return value;
  };
}

bool truth(JsonReader const& json, Json const& value) {
  if (!value.is_boolean())
    json.fail(
        fmt::format("is {} (a condition is expected here). Compare it with something", json_text(value)));
  return value.get<bool>();
}

Operand logic(JsonReader const& json, Operands operands, std::string const& name) {
  if (name == "not")
    return [json, operand = std::move(operands.front())](FilteredPoint const& p) -> Json {
      return !truth(json, operand(p));
    };
  return [json, operands = std::move(operands), all = name == "and"](FilteredPoint const& p) -> Json {
    for (Operand const& operand : operands)
      if (truth(json, operand(p)) != all) return !all;
    return all;
  };
}

Operand node_count(JsonReader const& json, std::vector<JsonReader> const& entries) {
  expect_operands(json, "nodes", entries.size() - 1, 0, 1);
  if (entries.size() == 1)
    return [](FilteredPoint const& p) -> Json {
      std::int64_t sum = 0;
      for (auto const& [type, count] : p.nodes) sum += count;
      return sum;
    };
  return [type = entries[1].string()](FilteredPoint const& p) -> Json {
    auto const found = p.nodes.find(type);
    return found == p.nodes.end() ? 0 : found->second;
  };
}

/// Compares JSON values; numbers by value, whatever their JSON type.
bool equal(Json const& a, Json const& b) {
  return a.is_number() && b.is_number() ? a.get<double>() == b.get<double>() : a == b;
}

Operand label_of(JsonReader const& json, std::vector<JsonReader> const& entries) {
  expect_operands(json, "label", entries.size() - 1, 1, 1);
  return [label = entries[1].string()](FilteredPoint const& p) -> Json {
    for (auto const& [known, value] : p.labels)
      if (known == label) return value;
    return {};
  };
}

Operand membership(JsonReader const& json, std::vector<JsonReader> const& entries) {
  expect_operands(json, "in", entries.size() - 1, 2, 2);
  Json const& values = entries[2].value();
  if (!values.is_array()) entries[2].fail("is no list (\"in\" looks into one). Write [...]");
  return [operand = read_operand(entries[1]), values](FilteredPoint const& p) -> Json {
    Json const value = operand(p);
    return std::any_of(values.begin(), values.end(), [&](Json const& v) { return equal(v, value); });
  };
}

Operand equality(Operands operands, bool same) {
  return [operands = std::move(operands), same](FilteredPoint const& p) -> Json {
    return equal(operands[0](p), operands[1](p)) == same;
  };
}

Operand read_operator(JsonReader const& json) {
  constexpr std::size_t any = SIZE_MAX;
  std::vector<JsonReader> const entries = json.elements();
  if (entries.empty()) json.fail("is empty (an operator is expected). Write [\"<=\", A, B]");
  std::string const name = entries.front().one_of({"==", "!=", "<", "<=", ">", ">=", "in", "and", "or", "not",
                                                   "+", "-", "*", "/", "%", "nodes", "label"});
  if (name == "nodes") return node_count(json, entries);
  if (name == "label") return label_of(json, entries);
  if (name == "in") return membership(json, entries);
  Operands operands = read_operands(entries);
  bool const is_logic = name == "and" || name == "or" || name == "not";
  bool const any_number = name == "and" || name == "or" || name == "+" || name == "*";
  std::size_t const minimum = is_logic ? 1 : 2;
  expect_operands(json, name, operands.size(), minimum, any_number ? any : minimum);
  if (is_logic) return logic(json, std::move(operands), name);
  static std::map<std::string, std::function<double(double, double)>> const folds{
      {"+", std::plus<>()},
      {"-", std::minus<>()},
      {"*", std::multiplies<>()},
      {"/", std::divides<>()},
      {"%", [](double a, double b) { return std::fmod(a, b); }}};
  static std::map<std::string, std::function<bool(double, double)>> const orders{
      {"<", std::less<>()},
      {"<=", std::less_equal<>()},
      {">", std::greater<>()},
      {">=", std::greater_equal<>()}};
  if (auto const fold = folds.find(name); fold != folds.end())
    return arithmetic(json, std::move(operands), fold->second);
  if (auto const order = orders.find(name); order != orders.end())
    return comparison(json, std::move(operands), order->second);
  return equality(std::move(operands), name == "==");
}

Operand read_operand(JsonReader const& json) {
  if (json.is_array()) return read_operator(json);
  if (json.is_string() && json.string().starts_with('/')) {
    std::optional<Json::json_pointer> pointer;
    try {
      pointer.emplace(json.string());
    } catch (Json::exception const& error) {
      json.fail(fmt::format("is no JSON pointer ({}). Write /application/nt", plain_text(error)));
    }
    return [at = *pointer](FilteredPoint const& p) -> Json {
      try {
        return p.scenario.contains(at) ? p.scenario[at] : Json();
      } catch (Json::exception const&) {  // an index that no array can have
        return {};
      }
    };
  }
  if (json.is_object()) json.fail("is an object (a condition is a list). Write [\"<=\", A, B]");
  return [value = json.value()](FilteredPoint const&) -> Json { return value; };
}

}  // namespace

SweepFilter read_sweep_filter(JsonReader const& json) {
  if (!json.is_array())
    json.fail("is no condition (a list is expected). Write [\"<=\", \"/application/nt\", 50]");
  return [json, operand = read_operator(json)](FilteredPoint const& p) { return truth(json, operand(p)); };
}

}  // namespace factosim
