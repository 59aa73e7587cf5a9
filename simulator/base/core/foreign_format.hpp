#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace factosim {

/// Throws InputError if a file is of another kind than the one that is read here, and names the command that takes it:
/// "FILE#: is a graph in DOT (EXPECTED is read here). Use factosim init ...". `text`: the file, or its beginning.
void refuse_foreign(std::filesystem::path const& file, std::string_view text, std::string_view expected);

/// The same for JSON that is read as a file of ours: `format`, such as "factosim-scenario".
void refuse_foreign(std::string const& file, nlohmann::json const& document, std::string_view format);

/// Returns what to do with a file of another format of ours than the one that is read.
[[nodiscard]] std::string remedy_of_format(std::string const& file, std::string_view format);

/// Throws InputError for StarPU's raw trace (FxT), for a folder with such files, and for a trace of Perfetto in protobuf.
void refuse_raw_trace(std::filesystem::path const& path);

}  // namespace factosim
