#include "models/starpu_perfmodel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>
#include <tuple>

#include "factosim/error.hpp"
#include "models/starpu_symbol.hpp"
#include "simulator/base/core/decimal.hpp"
#include "simulator/base/core/suggestion.hpp"
#include "simulator/base/core/value_rules.hpp"

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
  std::set<std::string> hosts;  // a file such as cluster.xml has the name of a model, but not its begin
  for (fs::path const& file : files)
    if (parse_starpu_symbol(symbol_of(file)) || std::ifstream(file).peek() == '#' || host_of(file) == host)
      hosts.insert(host_of(file));
  std::vector<std::string> const known(hosts.begin(), hosts.end());
  if (host.empty() && known.size() > 1)
    throw InputError(
        where,
        fmt::format(
            "holds performance models of several hosts (each is a machine). Choose some with --host: {}",
            fmt::join(known, ", ")));
  if (host.empty() && !known.empty()) host = known.front();
  if (!hosts.contains(host))
    throw InputError(where, fmt::format("no performance models{} (files are called SYMBOL.HOST). {}{}",
                                        host.empty() ? "" : fmt::format(" of host \"{}\"", host),
                                        did_you_mean(host, known),
                                        known.empty() ? "Give a folder with such files"
                                                      : fmt::format("Give one of the hosts there are: {}",
                                                                    fmt::join(known, ", "))));
  std::erase_if(files, [&](fs::path const& file) { return host_of(file) != host; });
  return files;
}

class Importer {
 public:
  explicit Importer(std::map<std::string, std::string> const& renames) : renames_(renames) {}

  void add(StarpuHistory history) { histories_.push_back(std::move(history)); }

  /// Adds the contents of a file; of a damaged one of a known kernel only the finding.
  void add(fs::path const& file) {
    StarpuHistory history;
    try {
      history = read_starpu_history(file);
    } catch (InputError const& error) {
      if (symbol_of_codelet(symbol_of(file))) {
        std::string const problem = std::string(error.what()).substr(file.string().size());
        history.findings.push_back({file.string(), 0,
                                    fmt::format("left out, it cannot be read ({})", problem),
                                    Finding::Kind::lasting});
        if (!damage_) damage_ = error;
      }
    }
    history.file = file.string();
    history.codelet = symbol_of(file);
    histories_.push_back(std::move(history));
  }

  StarpuImport finish(StarpuImportOptions const& options, std::string const& host) && {
    StarpuImport import;
    learn();
    for (StarpuHistory const& history : histories_) {
      keep_shapes(history);
      read(history);
    }
    for (auto const& [kind, left_out] : other_devices_)
      findings_.push_back(
          {left_out.first, 0,
           fmt::format("{} histories of {} devices, from this file on: left out (cores and GPUs "
                       "of one kind are simulated)",
                       left_out.second, kind),
           Finding::Kind::lasting});
    settle_implausible(timings_, options.devices, options.implausible, findings_);
    for (auto const& [from, to] : renames_)
      if (!applied_.contains(from)) share_timings(from, to);
    add_shared_timings(timings_, findings_);
    if (timings_.empty() && shapes_.empty() && damage_) throw InputError(*damage_);
    import.model.machine = options.machine.empty() ? host : options.machine;
    import.model.provenance = options.provenance;
    for (SourcedTiming const& sourced : timings_) import.model.timings.push_back(sourced.timing);
    for (auto const& [subject, history] : shapes_)
      if (!is_timed(history.second)) import.model.histories.push_back(history.second);
    import.findings = std::move(findings_);
    auto const late = check_timings(timings_, options.devices);
    import.findings.insert(import.findings.end(), late.begin(), late.end());
    keep_lasting(import.findings, import.model);
    return import;
  }

 private:
  using Subject = std::tuple<std::string, std::string, Precision, std::string, int>;

  [[nodiscard]] std::optional<StarpuSymbol> symbol_of_codelet(std::string const& codelet) {
    auto const rename = renames_.find(codelet);
    if (rename == renames_.end()) return parse_starpu_symbol(codelet);
    applied_.insert(rename->first);
    auto symbol = parse_starpu_symbol(rename->second);
    if (!symbol)
      throw InputError("--rename#",
                       fmt::format("\"{}={}\" names no known codelet (a whole name such as dgemm or "
                                   "chol_model_gemm is expected). Give one of StarPU's or Chameleon's",
                                   rename->first, rename->second));
    return symbol;
  }

  /// Learns by which sizes tile sizes are told, and the kind of the GPUs: the first with measurements.
  void learn() {
    std::set<std::string> kinds;
    for (StarpuHistory const& history : histories_)
      for (StarpuArchitecture const& architecture : history.architectures) {
        if (architecture.entries.empty() || architecture.devices.size() != 1) continue;
        kinds.insert(architecture.devices.front().kind());
        if (auto const symbol = symbol_of_codelet(history.codelet))
          for (StarpuEntry const& entry : architecture.entries) sizes_.add(*symbol, Bytes{entry.size});
      }
    for (char const* const kind : {"cuda", "hip", "sycl"})
      if (gpu_kind_.empty() && kinds.contains(kind)) gpu_kind_ = kind;
  }

  /// Keeps the history of each footprint and worker, of square tiles or not: of several implementations that which StarPU's
  /// policies take, of several files the first.
  void keep_shapes(StarpuHistory const& history) {
    for (StarpuArchitecture const& architecture : history.architectures)
      for (StarpuEntry const& entry : architecture.entries) {
        std::string const worker = worker_of(architecture);
        if (worker.empty() || entry.footprint == 0 || !entry.is_usable()) continue;
        KernelHistory kept{.symbol = history.codelet,
                           .footprint = fmt::format("{:08x}", entry.footprint),
                           .worker = worker,
                           .mean = {rounded_to_12_digits(entry.mean_us * 1e-6)},
                           .deviation = {rounded_to_12_digits(entry.deviation_us * 1e-6)},
                           .samples = entry.samples,
                           .size = Bytes{entry.size}};
        auto const [known, is_new] =
            shapes_.try_emplace({history.codelet, kept.footprint, worker}, history.file, kept);
        if (!is_new && known->second.first == history.file &&
            is_preferred(kept.mean, kept.samples, known->second.second.mean, known->second.second.samples))
          known->second.second = std::move(kept);
      }
  }

  /// Returns whether a timing says the same, which the symbol and the footprint of its square tiles lead to.
  [[nodiscard]] bool is_timed(KernelHistory const& history) const {
    auto const symbol = parse_starpu_symbol(history.symbol);
    auto const nb = symbol ? sizes_.of(*symbol, history.size) : std::nullopt;
    if (!nb || history.footprint != fmt::format("{:08x}", square_footprint(symbol->tiles, *nb))) return false;
    auto const known =
        known_.find({symbol->kernel, symbol->application, symbol->precision, history.worker, *nb});
    return known != known_.end() && timings_[known->second.first].timing.mean == history.mean;
  }

  /// Returns the name of the worker of a history: a core, or a GPU of the kind that is imported; empty: none of these.
  [[nodiscard]] std::string worker_of(StarpuArchitecture const& architecture) const {
    if (architecture.devices.size() != 1) return {};
    StarpuDevice const& device = architecture.devices.front();
    std::string const kind = device.kind();
    if (kind == "cpu") return device.cores > 1 ? "" : kind;
    return kind == gpu_kind_ ? "cuda" + std::to_string(device.id) : "";  // all GPUs have one name here
  }

  /// Returns whether StarPU's policies take the first of two implementations.
  [[nodiscard]] static bool is_preferred(Seconds mean, long samples, Seconds other, long other_samples) {
    bool const trusted = samples >= trusted_samples;
    return trusted == (other_samples >= trusted_samples) ? mean < other : trusted;
  }

  void read(StarpuHistory const& history) {
    findings_.insert(findings_.end(), history.findings.begin(), history.findings.end());
    auto const symbol = symbol_of_codelet(history.codelet);
    if (!symbol) {
      auto const kept = shapes_.lower_bound({history.codelet, "", ""});
      bool const any = kept != shapes_.end() && std::get<0>(kept->first) == history.codelet;
      return report(history.file, 0,
                    fmt::format("{} is no known kernel: {}", history.codelet,
                                any ? "kept by footprint, for recorded programs only" : "left out"));
    }
    footprints_checked_ = symbol->any_shape || has_square_footprints(*symbol, history);
    inconsistent_ = combined_ = 0;
    shapes_reported_.clear();
    for (StarpuArchitecture const& architecture : history.architectures) {
      if (architecture.entries.empty()) continue;
      StarpuDevice const device =
          architecture.devices.size() == 1 ? architecture.devices.front() : StarpuDevice{};
      std::string const kind = device.kind(), worker = worker_of(architecture);
      if (architecture.devices.size() != 1 || (kind == "cpu" && device.cores > 1))
        ++combined_;
      else if (!worker.empty())
        for (StarpuEntry const& entry : architecture.entries)
          add(*symbol, worker, entry, architecture.implementation, history.file);
      else
        ++other_devices_.try_emplace(kind, history.file, 0).first->second.second;
    }
    report_totals(history.file, *symbol);
  }

  /// Marks the timings of a kernel as those of another one too.
  void share_timings(std::string const& from, std::string const& to) {
    std::vector<std::string> names;
    for (SourcedTiming& sourced : timings_) {
      names.push_back(sourced.timing.kernel);
      if (sourced.timing.kernel != from) continue;
      sourced.also_kernel = to;
      sourced.renamed = true;
    }
    if (std::ranges::find(names, from) == names.end())
      throw InputError("--rename#", fmt::format("\"{}={}\" changes nothing (no codelet and no kernel that "
                                                "was read is called \"{}\"). {}Check the name",
                                                from, to, from, did_you_mean(from, names)));
  }

  void report(std::string const& file, int line, std::string message) {
    findings_.push_back({file, line, std::move(message)});
  }

  /// Codelets may define their own footprint, as newer versions of Chameleon do; it then contains no shapes.
  [[nodiscard]] bool has_square_footprints(StarpuSymbol const& symbol, StarpuHistory const& history) const {
    if (symbol.reflector_tiles > 0) return false;
    for (StarpuArchitecture const& architecture : history.architectures)
      for (StarpuEntry const& entry : architecture.entries)
        if (auto nb = sizes_.of(symbol, Bytes{entry.size});
            nb && entry.footprint == square_footprint(symbol.tiles, *nb))
          return true;
    return false;
  }

  void add(StarpuSymbol const& symbol, std::string const& worker, StarpuEntry const& entry,
           int implementation, std::string const& file) {
    auto const nb = sizes_.of(symbol, Bytes{entry.size});
    if (!nb || (footprints_checked_ && entry.footprint != square_footprint(symbol.tiles, *nb))) {
      if (shapes_reported_.insert(entry.footprint).second)
        report(file, entry.line,
               fmt::format("{} bytes, footprint {:08x}: not {} square tile{} of {} precision: left out",
                           entry.size, entry.footprint, symbol.tiles, symbol.tiles == 1 ? "" : "s",
                           name_of(symbol.precision)));
      return;
    }
    if (!entry.is_usable())
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
          .also_kernel = symbol.also_kernel},
         implementation);
  }

  /// Keeps the timing, or the first of its subject; of several implementations the one that StarPU's policies take.
  void keep(SourcedTiming sourced, int implementation) {
    KernelTiming const& t = sourced.timing;
    auto const [known, is_new] = known_.try_emplace({t.kernel, t.application, t.precision, t.worker, t.nb},
                                                    timings_.size(), implementation);
    if (is_new) {
      timings_.push_back(std::move(sourced));
      return;
    }
    SourcedTiming& first = timings_[known->second.first];
    bool const other = first.file == sourced.file && known->second.second != implementation;
    if (other && is_preferred(t.mean, t.samples, first.timing.mean, first.timing.samples)) {
      std::swap(first, sourced);
      known->second.second = implementation;
    }
    report(sourced.file, sourced.line,
           fmt::format("{} of tile {} on {} {} ({:.6g} us, {} samples): {}#line {} is kept ({:.6g} us, {} "
                       "samples)",
                       t.kernel, t.nb, t.worker, other ? "in another implementation" : "again",
                       t.mean.value * 1e6, t.samples, first.file, first.line, first.timing.mean.value * 1e6,
                       first.timing.samples));
  }

  void report_totals(std::string const& file, StarpuSymbol const& symbol) {
    if (combined_ > 0) report(file, 0, fmt::format("{} histories of combined devices: left out", combined_));
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
  std::vector<StarpuHistory> histories_;
  std::set<std::string> applied_;  // renames of codelets
  std::vector<SourcedTiming> timings_;
  std::vector<Finding> findings_;
  std::map<Subject, std::pair<std::size_t, int>> known_;              // index into timings_, implementation
  std::map<std::string, std::pair<std::string, int>> other_devices_;  // by kind: first file, histories
  /// By symbol, footprint and worker: the file, and the history that is kept.
  std::map<std::tuple<std::string, std::string, std::string>, std::pair<std::string, KernelHistory>> shapes_;
  TileSizes sizes_;
  std::string gpu_kind_;
  std::optional<InputError> damage_;  // of the first damaged file
  // For the current file:
  bool footprints_checked_ = false;
  std::set<std::uint32_t> shapes_reported_;
  int inconsistent_ = 0;
  int inconsistent_line_ = 0;
  int combined_ = 0;
};

}  // namespace

StarpuImport import_histories(std::vector<StarpuHistory> histories, StarpuImportOptions const& options) {
  Importer importer(options.renames);
  for (StarpuHistory& history : histories) importer.add(std::move(history));
  return std::move(importer).finish(options, options.host);
}

StarpuImport read_starpu_models(std::vector<fs::path> const& directories,
                                StarpuImportOptions const& options) {
  std::string host = options.host;
  Importer importer(options.renames);
  std::vector<fs::path> const files = model_files(directories, host);
  for (fs::path const& file : files) importer.add(file);
  StarpuImport import = std::move(importer).finish(options, host);
  if (import.model.timings.empty() && import.model.histories.empty())
    throw InputError(
        files.front().parent_path().string() + "#",
        fmt::format("no usable timing in {} performance models of host \"{}\" ({}). Calibrate the kernels of "
                    "a dense factorization",
                    files.size(), host,
                    import.findings.empty() ? "they are empty" : import.findings.front().text()));
  return import;
}

}  // namespace factosim
