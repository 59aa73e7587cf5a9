#include "simulator/studies/search/format_choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "factosim/error.hpp"
#include "simulator/base/core/json_reader.hpp"

namespace factosim {

std::vector<FormatChoice> read_format_choices(std::filesystem::path const& file, double max_error) {
  nlohmann::json const document = parse_json_file(file);
  JsonReader const json(document, file.string());
  json.check_own_format("factosim-format-errors", 1);
  (void)json.at("provenance", "who measured the errors, of which problem, or what is assumed").string();
  std::string const measure =
      json.at("measure", "what \"error\" is, such as the deviation of an estimate").string();
  std::vector<FormatChoice> out;
  double least = std::numeric_limits<double>::infinity();
  auto const choices = json.at("choices", "formats with their errors").elements();
  for (JsonReader const& choice : choices) {
    FormatChoice read{.name = choice.at("name", "a name of the formats").string(),
                      .error = choice.at("error", "the error that they cause").non_negative()};
    if (auto const formats = choice.find("tile_formats")) read.tile_formats = formats->value();
    choice.finish();
    if (std::ranges::find(out, read.name, &FormatChoice::name) != out.end())
      choice.at("name").fail(fmt::format("\"{}\" is there twice. Use another name", read.name));
    least = std::min(least, read.error);
    if (read.error <= max_error) out.push_back(std::move(read));
  }
  json.finish();
  if (choices.empty()) json.at("choices").fail("is empty. Add formats");
  if (out.empty())
    throw InfeasibleError(fmt::format(
        "none of the formats in {} has an error of at most {:g} (the least is {:g}: {}). Allow a larger one",
        file.string(), max_error, least, measure));
  return out;
}

}  // namespace factosim
