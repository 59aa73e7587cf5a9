#include "simulator/report/figures/figure.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "factosim/error.hpp"
#include "platforms/shipped_files.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/base/os/atomic_file.hpp"
#include "simulator/base/os/output_files.hpp"
#include "simulator/base/os/process_pool.hpp"

namespace factosim {

using FigureJson = nlohmann::ordered_json;

namespace {

FigureJson axis_json(AxisOptions const& axis) {
  FigureJson out = FigureJson::object();
  if (axis.label) out["label"] = *axis.label;
  if (axis.range) out["range"] = {axis.range->first, axis.range->second};
  if (axis.logarithmic) out["logarithmic"] = *axis.logarithmic;
  return out;
}

}  // namespace

FigureJson figure_content(std::string_view kind, std::string const& title, FigureOptions const& o) {
  FigureJson options = FigureJson::object();
  if (o.width_mm > 0) options["width_mm"] = o.width_mm;
  if (o.height_mm > 0) options["height_mm"] = o.height_mm;
  if (o.font_pt > 0) options["font_pt"] = o.font_pt;
  if (!o.font.empty()) options["font"] = o.font;
  if (o.grey) options["grey"] = true;
  if (!o.style.empty()) options["style"] = o.style.string();
  if (FigureJson x = axis_json(o.x); !x.empty()) options["x"] = std::move(x);
  if (FigureJson y = axis_json(o.y); !y.empty()) options["y"] = std::move(y);
  return {{"format", "factosim-figure"},
          {"version", 1},
          {"kind", kind},
          {"title", title},
          {"options", std::move(options)}};
}

FigureJson columns_json(Table const& table) {
  FigureJson out = FigureJson::object();
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    FigureJson& column = out[table.columns[c]] = FigureJson::array();
    for (auto const& row : table.rows) column.push_back(row[c]);
  }
  return out;
}

namespace {

namespace fs = std::filesystem;

/// How factosim.figures ends: see its __main__.py.
constexpr int refused = 2;

/// Returns the folder of the package factosim.figures, which this program comes with.
std::optional<fs::path> painter_folder() {
  for (fs::path const& folder : program_folders())
    for (char const* const place : {"figures", "simulator/front/python/factosim/figures"}) {
      std::error_code ignored;
      if (fs::is_regular_file(folder / place / "__main__.py", ignored)) return folder / place;
    }
  return std::nullopt;
}

/// The words of a command that draws.
using Painter = std::vector<std::string>;

/// Returns the first interpreter that has matplotlib, with the package; throws InputError if there is none.
Painter find_painter(std::string const& where) {
  auto const folder = painter_folder();
  if (!folder)
    throw InputError(where,
                     "cannot be drawn (the package factosim.figures is not where this program is). Install "
                     "factosim again, or give a name that ends in .csv or .json");
  std::vector<std::string> interpreters{"python3", "/usr/bin/python3"};
  if (char const* const chosen = std::getenv("FACTOSIM_PYTHON")) interpreters = {chosen};
  std::string found;
  for (std::string const& interpreter : interpreters) {
    Painter painter{interpreter, "-B", folder->string()};
    FinishedProgram const check = run_program({interpreter, "-B", folder->string(), "--check"}, "");
    if (check.started && check.exit_code == 0) return painter;
    if (check.started && found.empty()) found = interpreter;
  }
  throw InputError(
      where,
      fmt::format(
          "cannot be drawn ({}). Install it (Debian: python3-matplotlib; others: pip install matplotlib), "
          "name an interpreter that has it in FACTOSIM_PYTHON, or give a name that ends in .csv or .json",
          found.empty() ? "there is no python3, and figures need it with matplotlib"
                        : "pictures need matplotlib, which " + found + " does not have"));
}

Painter const& painter(std::string const& where) {
  static Painter const found = find_painter(where);
  return found;
}

/// Returns the last line of a text that is not empty.
std::string_view last_line(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text.substr(text.rfind('\n') + 1);
}

[[noreturn]] void fail_to_draw(FinishedProgram const& done, std::string const& where) {
  std::string_view const line = last_line(done.err);
  if (done.exit_code == refused)
    if (auto const colon = line.find(": "); colon != line.npos)
      throw InputError(std::string(line.substr(0, colon)), std::string(line.substr(colon + 2)));
  throw InputError(where, fmt::format("cannot be drawn (Python ended with {}: {}). Check its installation, "
                                      "or give a name that ends in .csv or .json",
                                      done.exit_code, line));
}

/// Returns the pictures of an answer: each has a line with its number of bytes before it.
std::vector<std::string> pictures_of(std::string_view answer) {
  std::vector<std::string> out;
  while (!answer.empty()) {
    auto const end = answer.find('\n');
    std::size_t size = 0;
    auto const read = std::from_chars(answer.data(), answer.data() + end, size);
    FACTOSIM_ALWAYS(end != answer.npos && read.ec == std::errc() && end + 1 + size <= answer.size(),
                    "factosim.figures answers with whole pictures");
    out.emplace_back(answer.substr(end + 1, size));
    answer.remove_prefix(end + 1 + size);
  }
  return out;
}

std::string format_of(fs::path const& file) {
  return file == standard_stream ? "svg" : file.extension().string().substr(1);
}

}  // namespace

bool is_figure_name(fs::path const& file) {
  auto const kind = file.extension();
  return kind == ".svg" || kind == ".pdf" || kind == ".png" || kind == ".csv" || kind == ".json";
}

void check_figure_name(fs::path const& file) {
  if (file != standard_stream && !is_figure_name(file))
    throw InputError(file.string() + "#",
                     "is not the name of a figure (SVG, PDF, PNG, CSV and JSON are written). Give a name "
                     "that ends in .svg, .pdf, .png, .csv or .json");
  if (file.extension() != ".csv" && file.extension() != ".json") (void)painter(file.string() + "#");
}

void write_figure(fs::path const& file, Figure const& figure) {
  check_figure_name(file);
  make_folder_of(file);
  if (file.extension() == ".csv") return write_file_atomically(file, csv_text(figure.numbers));
  if (file.extension() == ".json") return write_file_atomically(file, json_text(figure.content, -1) + "\n");
  FigureJob const job{&figure, format_of(file)};
  write_file_atomically(file, draw_figures(std::span(&job, 1), file.string() + "#").front());
}

std::vector<std::string> draw_figures(std::span<FigureJob const> jobs, std::string const& where) {
  if (jobs.empty()) return {};
  nlohmann::ordered_json request = nlohmann::ordered_json::array();
  for (FigureJob const& job : jobs)
    request.push_back({{"format", job.format}, {"figure", job.figure->content}});
  FinishedProgram const done = run_program(painter(where), json_text(request, -1));
  if (done.exit_code != 0) fail_to_draw(done, where);
  std::vector<std::string> out = pictures_of(done.out);
  FACTOSIM_ALWAYS(out.size() == jobs.size(), "factosim.figures draws every figure");
  return out;
}

}  // namespace factosim
