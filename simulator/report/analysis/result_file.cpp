#include "simulator/report/analysis/result_file.hpp"

#include "simulator/base/core/content_hash.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/json_text.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

// All that may differ between runs of one scenario is in this object, so the checksums are too.
constexpr std::string_view line_before_checksum = "\n  \"simulation\": {\n";

void compare_file(fs::path const& file, std::string const& hash, FileComparison& out) {
  std::string const name = file.filename().string();
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    out.unknown.push_back(name + " is missing");
    return;
  }
  ++out.compared;
  if (file_hash(file) != hash)
    out.altered.push_back(name + " is not the file that the run wrote (damaged, altered, or of another run)");
}

}  // namespace

std::string result_text(nlohmann::ordered_json result, fs::path const& folder,
                        std::vector<std::string> const& files) {
  for (std::string const& name : files) result["simulation"]["files"][name] = file_hash(folder / name);
  return sealed(json_text(result, 2) + "\n", line_before_checksum);
}

FileComparison compare_files(fs::path const& result, nlohmann::json const& document) {
  FileComparison out;
  std::string const text = read_input(result);
  JsonReader const json(document, result.string());
  auto const simulation = json.find("simulation");
  auto const files = simulation ? simulation->find("files") : std::nullopt;
  bool const checksum = files || (simulation && simulation->find("checksum"));
  if (!checksum) {
    out.unknown.push_back(result.filename().string() + " has no checksum (an older factosim wrote it)");
    return out;
  }
  ++out.compared;
  if (seal_of(text, line_before_checksum) != Seal::intact)
    out.altered.push_back(
        result.filename().string() +
        " is not as the run wrote it (damaged, altered, or written again by another program)");
  if (!files) return out;
  for (auto const& [name, hash] : files->members())
    if (name.find('/') == std::string::npos) compare_file(result.parent_path() / name, hash.string(), out);
  return out;
}

std::vector<std::string> findings_of_result(fs::path const& result, nlohmann::json const& document) {
  std::vector<std::string> out = compare_files(result, document).altered;
  if (auto const findings = JsonReader(document, result.string()).find("findings"))
    for (std::string& finding : findings->strings()) out.push_back(std::move(finding));
  return out;
}

}  // namespace factosim
