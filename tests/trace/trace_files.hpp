#pragma once

#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>

#include "simulator/traces/trace/trace.hpp"

namespace factosim::testing {

/// Returns the text of a compressed file.
inline std::string unpacked(std::filesystem::path const& file) {
  gzFile const in = gzopen(file.c_str(), "rb");
  std::string out, piece(1 << 16, '\0');
  for (int got = 0; (got = gzread(in, piece.data(), static_cast<unsigned>(piece.size()))) > 0;)
    out.append(piece, 0, static_cast<std::size_t>(got));
  gzclose(in);
  return out;
}

/// Returns whether a finding of the trace contains `text`.
inline bool finds(Trace const& trace, std::string_view text) {
  return std::ranges::any_of(trace.findings,
                             [&](Finding const& f) { return f.message.find(text) != std::string::npos; });
}

}  // namespace factosim::testing
