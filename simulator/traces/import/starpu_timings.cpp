#include "simulator/traces/import/starpu_timings.hpp"

#include <algorithm>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/base/core/parsed.hpp"
#include "simulator/base/core/plain_names.hpp"
#include "simulator/traces/import/fields.hpp"

namespace factosim {

namespace {

struct Record {
  std::string model, architecture;
  StarpuEntry entry{.line = 0, .mean_us = -1};
};

/// "cuda2_impl1" is one device; of what has another name, such as several cores at once, there are none.
StarpuArchitecture architecture_of(std::string_view name) {
  StarpuArchitecture out;
  std::size_t const end = std::min(name.find("_impl"), name.size());
  if (end < name.size()) out.implementation = parsed<int>(name.substr(end + 5)).value_or(0);
  std::string_view const device = name.substr(0, end);
  std::size_t const digit = std::min(device.find_first_of("0123456789"), device.size());
  auto const id = parsed<int>(device.substr(digit));
  for (int type = 0; id && StarpuDevice{.type = type}.kind() != "unknown"; ++type)
    if (StarpuDevice{.type = type}.kind() == device.substr(0, digit))
      out.devices = {{.type = type, .id = *id, .cores = 1}};
  return out;
}

void set(Record& r, LineReader const& lines, std::string_view key, std::string_view value) {
  StarpuEntry& e = r.entry;
  if (e.line == 0) e.line = lines.line_number();
  if (key == "Model") r.model = name_of_line(value);
  if (key == "Architecture") r.architecture = value;
  if (key == "Footprint") e.footprint = static_cast<std::uint32_t>(hexadecimal(lines, value, "a footprint"));
  if (key == "Size" && !r.model.empty())
    e.size = integer(lines, value, 0, std::int64_t{1} << 50, "a size in bytes");
  if (key == "Mean") e.mean_us = number(lines, value, "a mean in us");
  if (key == "Stddev") e.deviation_us = number(lines, value, "a deviation in us");
  if (key == "Samples")
    e.samples = static_cast<long>(integer(lines, value, 0, INT64_MAX, "a number of samples"));
}

/// Adds a record to the history of its model.
void close(Record& record, LineReader const& lines, std::vector<StarpuHistory>& histories) {
  Record const r = std::exchange(record, {});
  if (r.model.empty() || r.entry.mean_us < 0) return;  // record of a worker or a memory
  auto known = std::ranges::find(histories, r.model, &StarpuHistory::codelet);
  if (known == histories.end()) known = histories.insert(known, {lines.file(), r.model, 0, {}, {}});
  StarpuArchitecture architecture = architecture_of(r.architecture);
  auto const samples = static_cast<double>(r.entry.samples);
  architecture.entries.push_back(r.entry);
  architecture.entries.front().sum_us = samples * r.entry.mean_us;  // the file has no sums
  architecture.entries.front().sum_squares_us2 =
      samples * (r.entry.mean_us * r.entry.mean_us + r.entry.deviation_us * r.entry.deviation_us);
  known->architectures.push_back(std::move(architecture));
}

}  // namespace

StarpuImport read_starpu_timings(std::filesystem::path const& file, StarpuImportOptions const& options) {
  if (options.host.empty())
    throw InputError(file.string() + "#", "does not name its machine. Give --host NAME");
  LineReader lines(file);
  std::vector<StarpuHistory> histories;
  std::string_view line;
  Record record;
  while (lines.next(line)) {
    line = trimmed(line);
    if (line.empty()) close(record, lines, histories);
    if (line.empty() || line.front() == '%' || line.front() == '#') continue;
    std::size_t const colon = line.find(':');
    if (colon == std::string_view::npos)
      lines.fail("is no \"Key: value\". Was the file cut or damaged here?");
    set(record, lines, line.substr(0, colon), trimmed(line.substr(colon + 1)));
  }
  close(record, lines, histories);
  StarpuImport import = import_histories(std::move(histories), options);
  if (import.model.timings.empty())
    throw InputError(lines.file() + "#",
                     "holds no timing of a kernel that is known on square tiles. Is it the right file?");
  return import;
}

}  // namespace factosim
