#include "simulator/report/figures/figures.hpp"

#include <fmt/format.h>

#include <charconv>

#include "factosim/error.hpp"
#include "platforms/python_package.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/base/os/atomic_file.hpp"

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

constexpr PythonPackage figures_package{
    .folder = "figures",
    .action = "drawn",
    .without_python = "there is no python3, and figures need it with matplotlib",
    .needs = "pictures need matplotlib",
    .install = "python3-matplotlib; others: pip install matplotlib",
    .otherwise = ", or give a name that ends in .csv or .json"};

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
  if (file.extension() != ".csv" && file.extension() != ".json")
    python_command(figures_package, file.string() + "#");
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
  std::vector<std::string> out =
      pictures_of(run_in_python(figures_package, {}, json_text(request, -1), where));
  FACTOSIM_ALWAYS(out.size() == jobs.size(), "factosim.figures draws every figure");
  return out;
}

}  // namespace factosim
