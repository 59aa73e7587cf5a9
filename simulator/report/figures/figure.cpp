#include "simulator/report/figures/figure.hpp"

#include <utility>

namespace factosim {

using FigureJson = nlohmann::ordered_json;

namespace {

FigureJson axis_json(AxisOptions const& axis) {
  FigureJson out = FigureJson::object();
  if (axis.label) out["label"] = *axis.label;
  if (axis.range) out["range"] = {axis.range->first, axis.range->second};
  if (axis.logarithmic) out["logarithmic"] = true;
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

}  // namespace factosim
