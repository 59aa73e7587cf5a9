#include "models/starpu_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/parsed.hpp"
#include "simulator/base/core/value_rules.hpp"

namespace factosim {

namespace {

struct Line {
  int number = 0;
  std::vector<std::string_view> values;
};

/// Reads lines with values; skips comments and blank lines, as StarPU does.
class Lines {
 public:
  explicit Lines(std::filesystem::path const& file) : file_(file.string()), text_(read_input_text(file)) {}

  /// Returns the next line without consuming it.
  std::optional<Line> peek() {
    auto const position = std::pair(begin_, number_);
    std::optional<Line> line = next();
    std::tie(begin_, number_) = position;
    return line;
  }

  std::optional<Line> next() {
    while (begin_ < text_.size()) {
      std::size_t const end = std::min(text_.find('\n', begin_), text_.size());
      std::string_view const line(text_.data() + begin_, end - begin_);
      begin_ = end + 1;
      ++number_;
      if (line.starts_with('#')) continue;
      if (std::vector<std::string_view> values = split(line); !values.empty()) return Line{number_, values};
    }
    return std::nullopt;
  }

  Line expect(std::size_t minimum, std::size_t maximum, std::string_view what) {
    std::optional<Line> line = next();
    if (!line)
      fail(number_, fmt::format("the file ends where {} should stand (it was cut, or a count above is too "
                                "large). Calibrate again or correct the count",
                                what));
    if (line->values.size() < minimum || line->values.size() > maximum)
      fail(line->number, fmt::format("{} values where {} should stand (StarPU itself rejects such a file). "
                                     "Calibrate again or correct the line",
                                     line->values.size(), what));
    return *line;
  }

  [[noreturn]] void fail(int line, std::string const& message) const {
    throw InputError(fmt::format("{}#line {}", file_, line), message);
  }

 private:
  static std::vector<std::string_view> split(std::string_view line) {
    std::vector<std::string_view> values;
    constexpr std::string_view blanks = " \t\r";
    for (std::size_t at = line.find_first_not_of(blanks); at != std::string_view::npos;) {
      std::size_t const end = std::min(line.find_first_of(blanks, at), line.size());
      values.push_back(line.substr(at, end - at));
      at = line.find_first_not_of(blanks, end);
    }
    return values;
  }

  std::string file_;
  std::string text_;
  std::size_t begin_ = 0;
  int number_ = 0;
};

template <class Integer>
Integer integer(Lines const& lines, Line const& line, std::size_t at, Integer minimum, Integer maximum,
                std::string_view what, int base = 10) {
  std::string_view const text = line.values[at];
  auto const value = parsed<Integer>(text, base);
  if (!value || *value < minimum || *value > maximum)
    lines.fail(line.number,
               fmt::format("\"{}\" where {} should stand (not a whole number in range). Correct the line",
                           text, what));
  return *value;
}

/// Parses a number; nan is valid in these files.
double number(Lines const& lines, Line const& line, std::size_t at, std::string_view what) {
  std::string_view const text = line.values[at];
  auto const value = parsed<double>(text);
  if (!value)
    lines.fail(line.number,
               fmt::format("\"{}\" where {} should stand (not a number). Correct the line", text, what));
  return *value;
}

int count(Lines& lines, int maximum, std::string_view what) {
  Line const line = lines.expect(1, 1, what);
  return integer<int>(lines, line, 0, 0, maximum, what);
}

StarpuEntry read_entry(Lines& lines) {
  Line const line =
      lines.expect(7, 8, "an entry of 7 or 8 values (hash, size, [flops,] mean, dev, sum, sum2, n)");
  StarpuEntry entry;
  entry.line = line.number;
  entry.footprint = integer<std::uint32_t>(lines, line, 0, 0, UINT32_MAX, "the hash", 16);
  entry.size = integer<std::int64_t>(lines, line, 1, 0, INT64_MAX, "the size in bytes");
  std::size_t at = line.values.size() - 5;  // older files have no flops
  entry.mean_us = number(lines, line, at++, "the mean");
  entry.deviation_us = number(lines, line, at++, "the deviation");
  entry.sum_us = number(lines, line, at++, "the sum");
  entry.sum_squares_us2 = number(lines, line, at++, "the sum of squares");
  entry.samples = integer<long>(lines, line, at, 0, LONG_MAX, "the number of samples");
  return entry;
}

/// Version 45 writes the number of coefficients always, version 44 only for multiple regressions, before that there
/// were none. Of a model of version 44 without entries it cannot be said: taken for none.
bool has_multiple_regression(Lines& lines, int version, int entries) {
  if (version != 44) return version == 45;
  auto const line = lines.peek();
  return entries > 0 && line && line->values.size() == 1;
}

/// Returns whether one of the regressions has coefficients.
bool skip_regressions(Lines& lines, int version, int entries) {
  Line const linear = lines.expect(9, 9, "the nine numbers of the linear regression");
  bool fitted = !std::isnan(number(lines, linear, 4, "alpha"));
  Line const non_linear = lines.expect(3, 3, "the three numbers a, b and c of the non-linear regression");
  fitted = fitted || !std::isnan(number(lines, non_linear, 0, "a"));
  if (!has_multiple_regression(lines, version, entries)) return fitted;
  int const coefficients = count(lines, 1000, "the number of coefficients of the multiple regression");
  for (int seen = 0; seen < coefficients;)
    seen +=
        static_cast<int>(lines.expect(1, 1000, "the coefficients of the multiple regression").values.size());
  return fitted || coefficients > 0;
}

StarpuArchitecture read_implementation(Lines& lines, std::vector<StarpuDevice> const& devices,
                                       int implementation, StarpuHistory& history) {
  StarpuArchitecture architecture{
      .devices = devices, .implementation = implementation, .line = 0, .entries = {}};
  Line const header = lines.expect(1, 1, "the number of entries");
  architecture.line = header.number;
  int const entries = integer<int>(lines, header, 0, 0, 10'000'000, "the number of entries");
  if (skip_regressions(lines, history.version, entries))
    history.findings.push_back(
        {history.file, header.number, "holds a regression, which is not read: only the histories are"});
  for (int i = 0; i < entries; ++i) architecture.entries.push_back(read_entry(lines));
  return architecture;
}

void read_implementations(Lines& lines, std::vector<StarpuDevice> const& devices, StarpuHistory& history) {
  int const implementations = count(lines, 1000, "the number of implementations");
  for (int i = 0; i < implementations; ++i)
    history.architectures.push_back(read_implementation(lines, devices, i, history));
}

void read_combination(Lines& lines, StarpuHistory& history) {
  std::vector<StarpuDevice> devices(static_cast<std::size_t>(count(lines, 1000, "the number of devices")));
  for (StarpuDevice& device : devices) {
    device.type = count(lines, 100, "the type of a device");
    device.id = count(lines, 100'000, "the number of a device");
    device.cores = count(lines, 100'000, "the number of cores of a device");
  }
  read_implementations(lines, devices, history);
}

/// Versions 42 and 43: the devices of each type in order, each with 1, 2, ... cores that run a task together.
void read_types(Lines& lines, StarpuHistory& history) {
  for (int type = 0; lines.peek(); ++type) {
    int const devices = count(lines, 100'000, "the number of devices of a type");
    for (int id = 0; id < devices; ++id) {
      int const cores = count(lines, 100'000, "the number of cores of a device");
      for (int together = 1; together <= cores; ++together)
        read_implementations(lines, {{.type = type, .id = id, .cores = together}}, history);
    }
  }
}

/// Versions 44 and 45.
void read_combinations(Lines& lines, StarpuHistory& history) {
  int const combinations = count(lines, 100'000, "the number of combinations");
  for (int i = 0; i < combinations; ++i) read_combination(lines, history);
  if (auto rest = lines.next())
    history.findings.push_back(
        {history.file, rest->number,
         fmt::format("text after the {} announced combinations is left out, as StarPU does", combinations)});
}

}  // namespace

bool StarpuEntry::is_usable() const {
  return samples > 0 && mean_us * 1e-6 >= smallest_quantity && mean_us <= largest_quantity &&
         deviation_us >= 0 && deviation_us <= largest_quantity;
}

std::string StarpuDevice::kind() const {  // starpu_worker_archtype; 3: until StarPU 1.3
  static constexpr std::array names{"cpu", "cuda", "opencl", "mic", "fpga", "mpi", "tcpip", "hip", "sycl"};
  return static_cast<std::size_t>(type) < names.size() ? names[static_cast<std::size_t>(type)] : "unknown";
}

StarpuHistory read_starpu_history(std::filesystem::path const& file) {
  Lines lines(file);
  StarpuHistory history;
  history.file = file.string();
  Line const version = lines.expect(1, 1, "the version of the performance model");
  history.version = integer<int>(lines, version, 0, 0, INT_MAX, "the version of the performance model");
  if (history.version < 42 || history.version > 45)
    lines.fail(version.number,
               fmt::format("version {} of StarPU's performance models (versions 42 to 45 are read). "
                           "Calibrate with a version of StarPU that writes one of them",
                           history.version));
  if (history.version <= 43)
    read_types(lines, history);
  else
    read_combinations(lines, history);
  return history;
}

}  // namespace factosim
