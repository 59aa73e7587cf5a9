#pragma once

#include <string_view>

#include "simulator/scenario/keys/output_options.hpp"

namespace factosim {

/// Throws InputError if a series is asked for, of a run of that type that has none. `scenario`: the whole document.
void refuse_series(JsonReader const& scenario, OutputOptions const& outputs, std::string_view type);

/// Throws InputError if a trace is asked for. `why`: to stand in brackets.
void refuse_traces(JsonReader const& scenario, OutputOptions const& outputs, std::string_view why);

}  // namespace factosim
