#include "simulator/traces/import/starpu_timings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "factosim/error.hpp"
#include "models/starpu_symbol.hpp"
#include "simulator/base/core/plain_names.hpp"
#include "simulator/traces/import/fields.hpp"

namespace factosim {

namespace {

struct Record {
  int line = 0;
  std::string model, architecture;
  std::uint32_t footprint = 0;
  std::int64_t size = 0;
  double mean_us = -1, deviation_us = 0;
  long samples = 0;
};

/// "cpu0" and similar mean all cores; "cuda2" is a GPU; empty: not simulated (several cores at once, OpenCL).
std::string worker_of(std::string_view architecture) {
  std::string_view const device = architecture.substr(0, architecture.find("_impl"));
  if (device == "cpu0") return "cpu";
  bool const gpu = device.starts_with("cuda") && device.size() > 4 &&
                   device.find_first_not_of("0123456789", 4) == std::string_view::npos;
  return gpu ? std::string(device) : "";
}

class Timings {
 public:
  explicit Timings(std::filesystem::path const& file) : lines_(file) {}

  StarpuTimings read(std::string const& machine, std::string const& provenance,
                     ImplausibleTiming implausible) && {
    std::string_view line;
    Record record;
    while (lines_.next(line)) {
      line = trimmed(line);
      if (line.empty()) {
        finish(record);
        continue;
      }
      if (line.front() == '%' || line.front() == '#') continue;
      if (lines_.unfinished() && line.find(':') == std::string_view::npos)
        lines_.fail("is no \"Key: value\" (the file was cut here). Copy it again");
      std::size_t const colon = line.find(':');
      if (colon == std::string_view::npos)
        lines_.fail("is no \"Key: value\". Was the file cut or damaged here?");
      set(record, line.substr(0, colon), trimmed(line.substr(colon + 1)));
    }
    finish(record);
    if (best_.empty())
      throw InputError(lines_.file() + "#",
                       "holds no timing of a kernel that is known on square tiles. Is it the right file?");
    std::vector<SourcedTiming> sourced;
    for (auto const& [subject, timing] : best_) sourced.push_back(timing);
    settle_implausible(sourced, {}, implausible, out_.findings);
    add_shared_timings(sourced, out_.findings);
    for (SourcedTiming const& timing : sourced) out_.model.timings.push_back(timing.timing);
    std::vector<Finding> const suspicious = check_timings(sourced, {});
    out_.findings.insert(out_.findings.end(), suspicious.begin(), suspicious.end());
    keep_lasting(out_.findings, out_.model);
    out_.model.machine = machine;
    out_.model.provenance = provenance;
    return std::move(out_);
  }

 private:
  void set(Record& r, std::string_view key, std::string_view value) {
    if (r.line == 0) r.line = lines_.line_number();
    if (key == "Model") r.model = name_of_line(value);
    if (key == "Architecture") r.architecture = value;
    if (key == "Footprint")
      r.footprint = static_cast<std::uint32_t>(hexadecimal(lines_, value, "a footprint"));
    if (key == "Size" && !r.model.empty())
      r.size = integer(lines_, value, 0, std::int64_t{1} << 50, "a size in bytes");
    if (key == "Mean") r.mean_us = number(lines_, value, "a mean in us");
    if (key == "Stddev") r.deviation_us = number(lines_, value, "a deviation in us");
    if (key == "Samples")
      r.samples = static_cast<long>(integer(lines_, value, 0, INT64_MAX, "a number of samples"));
  }

  void finish(Record& record) {
    Record const r = std::exchange(record, {});
    if (r.model.empty() || r.mean_us < 0) return;  // record of a worker or a memory
    auto const symbol = parse_starpu_symbol(r.model);
    std::string const worker = worker_of(r.architecture);
    auto const nb = symbol ? tile_size(*symbol, Bytes{r.size}) : std::nullopt;
    if (!nb || worker.empty() || r.samples == 0 || r.mean_us <= 0) {
      out_.findings.push_back(
          {lines_.file(), r.line,
           fmt::format("{} on {} for {} bytes is left out ({})", r.model, r.architecture, r.size,
                       !symbol          ? "no kernel that is known"
                       : worker.empty() ? "no core and no GPU"
                       : !nb            ? "not square tiles"
                                        : "no samples")});
      return;
    }
    SourcedTiming const timing{{.kernel = symbol->kernel,
                                .application = symbol->application,
                                .precision = symbol->precision,
                                .worker = worker,
                                .nb = *nb,
                                .mean = Seconds{1e-6 * r.mean_us},
                                .deviation = Seconds{1e-6 * r.deviation_us},
                                .samples = r.samples},
                               lines_.file(),
                               r.line,
                               symbol->also_kernel};
    auto const [place, is_new] =
        best_.try_emplace({symbol->kernel, symbol->application, symbol->precision, worker, *nb}, timing);
    if (!is_new && timing.timing.mean < place->second.timing.mean) place->second = timing;
  }

  LineReader lines_;
  StarpuTimings out_;
  std::map<std::tuple<std::string, std::string, Precision, std::string, int>, SourcedTiming> best_;
};

}  // namespace

StarpuTimings read_starpu_timings(std::filesystem::path const& file, std::string const& machine,
                                  std::string const& provenance, ImplausibleTiming implausible) {
  return Timings(file).read(machine, provenance, implausible);
}

}  // namespace factosim
