#include "models/starpu_perfmodel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "factosim/error.hpp"
#include "models/starpu_history.hpp"
#include "models/starpu_symbol.hpp"
#include "simulator/base/core/decimal.hpp"
#include "simulator/base/core/suggestion.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

/// Returns the folders that may hold the files of models, the latest version first.
std::vector<fs::path> models_folders(fs::path const& directory) {
  if (!fs::is_directory(directory))
    throw InputError(
        directory.string() + "#",
        "is neither a folder nor a performance model (those are files SYMBOL.HOST). Give ~/.starpu, or the "
        "folder that holds codelets/45, or that folder itself, or one of its files");
  std::vector<fs::path> folders;
  for (char const* const inside : {"sampling/codelets", "codelets", ""})
    for (char const* const version : {"45", "44", "43", "42", ""})
      if (fs::is_directory(directory / inside / version)) folders.push_back(directory / inside / version);
  return folders;
}

std::string symbol_of(fs::path const& file) {
  std::string const name = file.filename().string();
  return name.substr(0, name.find('.'));
}

std::string host_of(fs::path const& file) {
  std::string const name = file.filename().string();
  std::size_t const dot = name.find('.');
  return dot == std::string::npos ? std::string() : name.substr(dot + 1);
}

/// Returns the latest version of each model file in a directory, sorted by name.
std::vector<fs::path> files_of(fs::path const& directory) {
  if (fs::is_regular_file(directory) && !host_of(directory).empty()) return {directory};
  std::map<std::string, fs::path> latest;
  for (fs::path const& folder : models_folders(directory))
    for (fs::directory_entry const& entry : fs::directory_iterator(folder))
      if (entry.is_regular_file() && !host_of(entry.path()).empty())
        latest.try_emplace(entry.path().filename().string(), entry.path());
  std::vector<fs::path> files;
  files.reserve(latest.size());
  for (auto const& [name, file] : latest) files.push_back(file);
  return files;
}

/// Returns all model files of one host, sorted by directory and name.
std::vector<fs::path> model_files(std::vector<fs::path> const& directories, std::string& host) {
  std::vector<fs::path> files;
  for (fs::path const& directory : directories) {
    std::vector<fs::path> const here = files_of(directory);
    files.insert(files.end(), here.begin(), here.end());
  }
  std::string const where = directories.empty() ? "#" : directories.front().string() + "#";
  std::set<std::string> hosts;
  for (fs::path const& file : files) hosts.insert(host_of(file));
  if (host.empty() && hosts.size() == 1) host = *hosts.begin();
  if (!hosts.contains(host)) {
    std::set<std::string> of_models;  // a file such as cluster.xml has the name of a model, but not its begin
    for (fs::path const& file : files)
      if (std::ifstream(file).peek() == '#') of_models.insert(host_of(file));
    std::vector<std::string> const known(of_models.begin(), of_models.end());
    if (host.empty() && known.size() > 1)
      throw InputError(
          where,
          fmt::format(
              "holds performance models of several hosts (each is a machine). Choose some with --host: {}",
              fmt::join(known, ", ")));
    if (host.empty() && known.size() == 1) return model_files(directories, host = known.front());
    throw InputError(
        where, fmt::format("no performance models of host \"{}\" (files are called SYMBOL.HOST). {}{}", host,
                           did_you_mean(host, known),
                           known.empty()
                               ? "Give a folder with such files"
                               : fmt::format("Give one of the hosts there are: {}", fmt::join(known, ", "))));
  }
  std::erase_if(files, [&](fs::path const& file) { return host_of(file) != host; });
  return files;
}

/// "cpu" or "cuda<i>"; nullopt for devices that are not simulated.
std::optional<std::string> worker_of(StarpuArchitecture const& architecture) {
  if (architecture.devices.size() != 1) return std::nullopt;
  StarpuDevice const& device = architecture.devices.front();
  if (device.type == 0 && device.cores <= 1) return "cpu";
  if (device.type == 1) return "cuda" + std::to_string(device.id);
  return std::nullopt;
}

class Importer {
 public:
  explicit Importer(std::map<std::string, std::string> const& renames) : renames_(renames) {}

  void read(fs::path const& file) {
    auto const rename = renames_.find(symbol_of(file));
    auto const symbol = parse_starpu_symbol(rename == renames_.end() ? symbol_of(file) : rename->second);
    if (rename != renames_.end()) {
      if (!symbol)
        throw InputError("--rename#",
                         fmt::format("\"{}={}\" names no known codelet (a whole name such as dgemm or "
                                     "chol_model_gemm is expected). Give one of StarPU's or Chameleon's",
                                     rename->first, rename->second));
      applied_.insert(rename->first);
    }
    if (!symbol)
      return report(file.string(), 0, fmt::format("{} is no known kernel: left out", symbol_of(file)));
    std::optional<StarpuHistory> const undamaged = read_undamaged(file);
    if (!undamaged) return;
    StarpuHistory const& history = *undamaged;
    findings_.insert(findings_.end(), history.findings.begin(), history.findings.end());
    footprints_checked_ = symbol->any_shape || has_square_footprints(*symbol, history);
    inconsistent_ = other_devices_ = 0;
    shapes_reported_.clear();
    for (StarpuArchitecture const& architecture : history.architectures) {
      auto const worker = worker_of(architecture);
      if (!worker) {
        other_devices_ += architecture.entries.empty() ? 0 : 1;
        continue;
      }
      for (StarpuEntry const& entry : architecture.entries) add(*symbol, *worker, entry, history.file);
    }
    report_totals(history.file, *symbol);
  }

  StarpuImport finish(StarpuImportOptions const& options, std::string const& host) && {
    StarpuImport import;
    settle_implausible(timings_, options.devices, options.implausible, findings_);
    for (auto const& [from, to] : renames_)
      if (!applied_.contains(from)) share_timings(from, to);
    add_shared_timings(timings_, findings_);
    if (timings_.empty() && damage_) throw InputError(*damage_);
    import.model.machine = options.machine.empty() ? host : options.machine;
    import.model.provenance = options.provenance;
    for (SourcedTiming const& sourced : timings_) import.model.timings.push_back(sourced.timing);
    import.findings = std::move(findings_);
    auto const late = check_timings(timings_, options.devices);
    import.findings.insert(import.findings.end(), late.begin(), late.end());
    keep_lasting(import.findings, import.model);
    return import;
  }

 private:
  using Subject = std::tuple<std::string, std::string, Precision, std::string, int>;

  /// Returns nullopt for a damaged file, with a finding.
  std::optional<StarpuHistory> read_undamaged(fs::path const& file) {
    try {
      return read_starpu_history(file);
    } catch (InputError const& error) {
      std::string const problem = std::string(error.what()).substr(file.string().size());
      findings_.push_back({file.string(), 0, fmt::format("left out, it cannot be read ({})", problem),
                           Finding::Kind::lasting});
      if (!damage_) damage_ = error;
      return std::nullopt;
    }
  }

  /// Marks the timings of a kernel as those of another one too.
  void share_timings(std::string const& from, std::string const& to) {
    bool found = false;
    for (SourcedTiming& sourced : timings_) {
      if (sourced.timing.kernel != from) continue;
      sourced.also_kernel = to;
      sourced.renamed = true;
      found = true;
    }
    if (!found)
      throw InputError("--rename#", fmt::format("\"{}={}\" changes nothing (no codelet and no kernel that "
                                                "was read is called \"{}\"). Check the name",
                                                from, to, from));
  }

  void report(std::string const& file, int line, std::string message) {
    findings_.push_back({file, line, std::move(message)});
  }

  /// Codelets may define their own footprint, as newer versions of Chameleon do; it then contains no shapes.
  static bool has_square_footprints(StarpuSymbol const& symbol, StarpuHistory const& history) {
    if (symbol.reflector_tiles > 0) return false;
    for (StarpuArchitecture const& architecture : history.architectures)
      for (StarpuEntry const& entry : architecture.entries)
        if (auto nb = tile_size(symbol, Bytes{entry.size});
            nb && entry.footprint == square_footprint(symbol.tiles, *nb))
          return true;
    return false;
  }

  void add(StarpuSymbol const& symbol, std::string const& worker, StarpuEntry const& entry,
           std::string const& file) {
    auto const nb = tile_size(symbol, Bytes{entry.size});
    if (!nb || (footprints_checked_ && entry.footprint != square_footprint(symbol.tiles, *nb))) {
      if (shapes_reported_.insert(entry.footprint).second)
        report(file, entry.line,
               fmt::format("{} bytes, footprint {:08x}: not {} square tile{} of {} precision: left out",
                           entry.size, entry.footprint, symbol.tiles, symbol.tiles == 1 ? "" : "s",
                           name_of(symbol.precision)));
      return;
    }
    if (entry.samples == 0 || !(entry.mean_us > 0) || !std::isfinite(entry.mean_us) ||
        !(entry.deviation_us >= 0))
      return report(file, entry.line,
                    fmt::format("{} of tile {} on {}: no usable mean ({} samples): left out", symbol.kernel,
                                *nb, worker, entry.samples));
    if (!is_consistent(entry) && inconsistent_++ == 0) inconsistent_line_ = entry.line;
    keep({.timing = {.kernel = symbol.kernel,
                     .application = symbol.application,
                     .precision = symbol.precision,
                     .worker = worker,
                     .nb = *nb,
                     .mean = {rounded_to_12_digits(entry.mean_us * 1e-6)},
                     .deviation = {rounded_to_12_digits(entry.deviation_us * 1e-6)},
                     .samples = entry.samples},
          .file = file,
          .line = entry.line,
          .also_kernel = symbol.also_kernel});
  }

  void keep(SourcedTiming sourced) {
    KernelTiming const& t = sourced.timing;
    auto const [known, is_new] =
        known_.try_emplace({t.kernel, t.application, t.precision, t.worker, t.nb}, timings_.size());
    if (is_new) {
      timings_.push_back(std::move(sourced));
      return;
    }
    SourcedTiming const& first = timings_[known->second];
    report(
        sourced.file, sourced.line,
        fmt::format(
            "{} of tile {} on {} again ({:.6g} us, {} samples): {}#line {} is kept ({:.6g} us, {} samples)",
            t.kernel, t.nb, t.worker, t.mean.value * 1e6, t.samples, first.file, first.line,
            first.timing.mean.value * 1e6, first.timing.samples));
  }

  void report_totals(std::string const& file, StarpuSymbol const& symbol) {
    if (other_devices_ > 0)
      report(file, 0, fmt::format("{} histories of OpenCL or combined devices: left out", other_devices_));
    if (inconsistent_ > 0)
      report(
          file, inconsistent_line_,
          fmt::format("mean and deviation do not follow from the sums (entries: {}): edited, not measured?",
                      inconsistent_));
    if (!footprints_checked_ && symbol.reflector_tiles == 0 && !timings_.empty() &&
        timings_.back().file == file)
      report(file, 0,
             "footprints are not those of square tiles: the tile sizes rest on the sizes in bytes alone");
  }

  std::map<std::string, std::string> const& renames_;
  std::set<std::string> applied_;  // renames of codelets
  std::vector<SourcedTiming> timings_;
  std::vector<Finding> findings_;
  std::map<Subject, std::size_t> known_;  // index into timings_
  std::optional<InputError> damage_;      // of the first damaged file
  // For the current file:
  bool footprints_checked_ = false;
  std::set<std::uint32_t> shapes_reported_;
  int inconsistent_ = 0;
  int inconsistent_line_ = 0;
  int other_devices_ = 0;
};

}  // namespace

StarpuImport read_starpu_models(std::vector<fs::path> const& directories,
                                StarpuImportOptions const& options) {
  std::string host = options.host;
  Importer importer(options.renames);
  std::vector<fs::path> const files = model_files(directories, host);
  for (fs::path const& file : files) importer.read(file);
  StarpuImport import = std::move(importer).finish(options, host);
  if (import.model.timings.empty())
    throw InputError(
        files.front().parent_path().string() + "#",
        fmt::format("no usable timing in {} performance models of host \"{}\" ({}). Calibrate the kernels of "
                    "a dense factorization",
                    files.size(), host,
                    import.findings.empty() ? "they are empty" : import.findings.front().text()));
  return import;
}

}  // namespace factosim
