#include "simulator/report/figures/line_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>

#include "factosim/error.hpp"
#include "simulator/report/analysis/report_colors.hpp"
#include "simulator/report/figures/svg_writer.hpp"

namespace factosim {

namespace {

using Anchor = SvgTextStyle::Anchor;
using Point = std::pair<double, double>;

constexpr Color ink{0x22, 0x22, 0x22}, faint{0xdd, 0xdd, 0xdd}, grey{0x99, 0x99, 0x99};
constexpr double natural_width = 760, natural_height = 430, margin = 12, key_length = 30, key_gap = 8,
                 line_height = 19, least_plot = 120, axis_height = 46;
constexpr SvgTextStyle title_style{.size = 15, .bold = true};
constexpr SvgTextStyle axis_style{.size = 13, .anchor = Anchor::middle};
constexpr SvgTextStyle tick_style{.size = 12, .anchor = Anchor::middle};
constexpr SvgTextStyle legend_style{.size = 12}, legend_title_style{.size = 12, .bold = true};

/// The values of an axis and where they lie, from 0 to 1.
class Scale {
 public:
  explicit Scale(AxisOptions const& options) : options_(options) {}

  void add(double value) {
    if (options_.logarithmic && !(value > 0))
      throw InputError(
          "--log#", fmt::format("the value {:.4g} has no logarithm. Leave the logarithmic axis out", value));
    first_ = std::min(first_, value);
    last_ = std::max(last_, value);
    values_.insert(value);
  }
  /// Sets the ends of the axis. `from_zero`: a linear axis begins at 0, and has room above its values.
  void settle(bool from_zero) {
    if (options_.range) {
      std::tie(first_, last_) = *options_.range;
      if (options_.logarithmic) add(first_);
    } else if (first_ > last_) {
      first_ = options_.logarithmic ? 1 : 0, last_ = 1;
    } else if (options_.logarithmic) {
      if (from_zero) first_ /= 1.1, last_ *= 1.1;
    } else if (from_zero) {
      first_ = std::min(first_, 0.0);
      last_ *= 1.04;
    }
  }
  [[nodiscard]] double share(double value) const {
    if (!(last_ > first_)) return 0.5;
    return options_.logarithmic ? std::log(std::max(value, 1e-300) / first_) / std::log(last_ / first_)
                                : (value - first_) / (last_ - first_);
  }
  /// Returns round ticks, each of which needs `room` of an axis of length 1.
  [[nodiscard]] std::vector<double> ticks(double room) const {
    int const maximum = std::clamp(static_cast<int>(1 / room), 2, 16);
    return options_.logarithmic ? logarithmic_ticks(first_, last_, maximum)
                                : axis_ticks(first_, last_, maximum);
  }
  /// Returns a tick for each value if they are integers, such as numbers of nodes, and there is room.
  [[nodiscard]] std::vector<double> ticks_of_values(double room) const {
    bool const integers = std::ranges::all_of(values_, [](double v) { return v == std::floor(v); });
    if (integers && !options_.range && is_spread_out(room)) return {values_.begin(), values_.end()};
    return ticks(room);
  }
  [[nodiscard]] double first() const { return first_; }

 private:
  [[nodiscard]] bool is_spread_out(double room) const {
    double before = -1;
    for (double const v : values_) {
      if (before >= 0 && share(v) - before < room) return false;
      before = share(v);
    }
    return true;
  }

  AxisOptions const& options_;
  double first_ = INFINITY, last_ = -INFINITY;
  std::set<double> values_;
};

/// How a curve looks. Six marks and four dashes: twelve curves differ without their colours.
struct Look {
  std::size_t mark;
  std::string_view dash;
  Color color;
};
Look look_of(std::size_t curve) {
  constexpr std::array<std::string_view, 4> dashes{"", "7 3", "2 2.5", "9 3 2 3"};
  return {curve % 6, dashes[curve % dashes.size()], curve_colors()[curve % curve_colors().size()]};
}

void draw_mark(SvgWriter& out, double x, double y, Look const& look) {
  auto const corners = [&](std::initializer_list<Point> around) {
    std::vector<Point> points;
    for (auto const& [dx, dy] : around) points.emplace_back(x + dx, y + dy);
    out.polygon(points, look.color);
  };
  switch (look.mark) {
    case 0:
      return out.rectangle({x - 3.5, y - 3.5, 7, 7}, look.color);
    case 1:
      return corners({{0, -5}, {5, 0}, {0, 5}, {-5, 0}});
    case 2:
      return corners({{0, -5}, {5, 4}, {-5, 4}});
    case 3:
      return out.circle(x, y, 4, look.color);
    case 4:
      return corners({{0, 5}, {5, -4}, {-5, -4}});
    default:  // a cross
      return corners({{-1.5, -5},
                      {1.5, -5},
                      {1.5, -1.5},
                      {5, -1.5},
                      {5, 1.5},
                      {1.5, 1.5},
                      {1.5, 5},
                      {-1.5, 5},
                      {-1.5, 1.5},
                      {-5, 1.5},
                      {-5, -1.5},
                      {-1.5, -1.5}});
  }
}

struct LegendEntry {
  std::string name;
  Look look;
  bool marked;
};

class PlotDrawing {
 public:
  /// `top`: upper end of the plot in the picture.
  PlotDrawing(SvgWriter& out, LinePlot const& plot, FigureOptions const& options, double top)
      : plot_(plot), options_(options), out_(out), top_(top), x_(options.x), y_(options.y) {
    for (auto const* curves : {&plot.curves, &plot.bounds})
      for (Curve const& curve : *curves)
        for (CurvePoint const& p : curve.points) {
          x_.add(p.x);
          y_.add(p.y);
          if (p.spread) y_.add(p.spread->ci95_high);
        }
    x_.settle(false);
    y_.settle(true);
    for (Curve const& bound : plot.bounds) legend_.push_back({bound.name, {0, "", grey}, false});
    for (std::size_t n = 0; n < plot.curves.size(); ++n)
      legend_.push_back({plot.curves[n].name, look_of(n), true});
    std::erase_if(legend_, [](LegendEntry const& e) { return e.name.empty(); });
    lay_out();
  }

  /// Returns the right and the lower end of what it draws.
  Point draw() {
    if (!title_.empty()) out_.text(margin, top_ + margin + 6, title_, title_style);
    axes();
    out_.open_clipped_group({box_.left - 6, box_.top - 6, box_.width + 12, box_.height + 12});
    for (Curve const& bound : plot_.bounds) curve(bound, {0, "", grey}, false);
    for (std::size_t n = 0; n < plot_.curves.size(); ++n) curve(plot_.curves[n], look_of(n), true);
    out_.close_group();
    draw_legend();
    return {width_, bottom_};
  }

 private:
  [[nodiscard]] double x(double value) const { return box_.left + box_.width * x_.share(value); }
  [[nodiscard]] double y(double value) const { return box_.top + box_.height * (1 - y_.share(value)); }
  [[nodiscard]] std::string x_label() const { return options_.x.label.value_or(plot_.x); }
  [[nodiscard]] std::string y_label() const { return options_.y.label.value_or(plot_.y); }

  [[nodiscard]] double widest_entry() const {
    double widest = text_width(plot_.legend, legend_title_style) - key_length - key_gap;
    for (LegendEntry const& e : legend_) widest = std::max(widest, text_width(e.name, legend_style));
    return key_length + key_gap + widest;
  }

  static double widest(std::vector<double> const& ticks) {
    double out = 0;
    for (double const tick : ticks) out = std::max(out, text_width(tick_label(tick), tick_style));
    return out;
  }

  /// Places the box of the plot and the legend: beside it if that leaves it half of the width, else below.
  void lay_out() {
    title_ = options_.title.value_or(plot_.title);
    width_ = options_.style.width(natural_width);
    box_.top = top_ + margin + (title_.empty() ? 4 : 26);
    double const legend_rows = static_cast<double>(legend_.size() + (plot_.legend.empty() ? 0 : 1));
    double const height = options_.style.height(natural_height) - (box_.top - top_) - margin - axis_height;
    y_ticks_ = y_.ticks(std::min(0.5, 30 / std::max(height, least_plot)));
    box_.left = margin + 22 + widest(y_ticks_) + 8;
    double const beside = legend_.empty() ? 0 : 20 + widest_entry(), room = width_ - box_.left - 2 * margin;
    beside_ = room - beside >= width_ / 2 && line_height * legend_rows <= height;
    columns_ = std::max<std::size_t>(1, static_cast<std::size_t>(room / (widest_entry() + 18)));
    double below = axis_height;
    if (!beside_ && !legend_.empty())
      below += 6 + line_height * static_cast<double>((legend_.size() + columns_ - 1) / columns_ +
                                                     (plot_.legend.empty() ? 0 : 1));
    box_.width = std::max(least_plot, room - (beside_ ? beside : 0));
    box_.height = std::max({least_plot, height - (below - axis_height), text_width(y_label(), axis_style)});
    double x_room = 24 / box_.width;  // of one label; more if a tick needs more
    for (int n = 0; n < 4; ++n) {
      x_ticks_ = x_.ticks_of_values(std::min(0.5, x_room));
      x_room = std::max(x_room, (widest(x_ticks_) + 8) / box_.width);
    }
    double const right = box_.left + box_.width;
    width_ = std::max({width_, right + (beside_ ? beside : 0) + margin, right + widest(x_ticks_) / 2 + margin,
                       margin * 2 + text_width(title_, title_style),
                       box_.left + box_.width / 2 + text_width(x_label(), axis_style) / 2 + margin,
                       beside_ ? 0 : box_.left + widest_entry() + margin});
    bottom_ = box_.top + box_.height + below + margin;
  }

  void axes() {
    for (double const tick : y_ticks_) {
      out_.line(box_.left, y(tick), box_.left + box_.width, y(tick), faint, 1);
      out_.text(box_.left - 8, y(tick), tick_label(tick), {.size = 12, .anchor = Anchor::end});
    }
    double const end = box_.top + box_.height;
    for (double const tick : x_ticks_) {
      out_.line(x(tick), end, x(tick), end + 5, ink, 1);
      out_.text(x(tick), end + 16, tick_label(tick), tick_style);
    }
    out_.frame(box_, ink, 1);
    out_.text(box_.left + box_.width / 2, end + 36, x_label(), axis_style);
    SvgTextStyle upwards = axis_style;
    upwards.upwards = true;
    out_.text(margin + 6, box_.top + box_.height / 2, y_label(), upwards);
  }

  void curve(Curve const& curve, Look const& look, bool marked) {
    std::vector<Point> points;
    for (CurvePoint const& p : curve.points) points.emplace_back(x(p.x), y(p.y));
    out_.polyline(points, look.color, marked ? 2 : 1.5, look.dash);
    for (CurvePoint const& p : curve.points) {
      if (p.spread) {
        double const high = y(p.spread->ci95_high), low = y(std::max(y_.first(), p.spread->ci95_low));
        out_.line(x(p.x), low, x(p.x), high, look.color, 1.2);
        for (double const end : {low, high}) out_.line(x(p.x) - 4, end, x(p.x) + 4, end, look.color, 1.2);
      }
      if (marked) draw_mark(out_, x(p.x), y(p.y), look);
    }
  }

  void draw_legend() {
    double const left = beside_ ? box_.left + box_.width + 20 : box_.left;
    double line = beside_ ? box_.top + 8 : box_.top + box_.height + 56;
    if (legend_.empty()) return;
    if (!plot_.legend.empty()) {
      out_.text(left, line, plot_.legend, legend_title_style);
      line += line_height;
    }
    for (std::size_t i = 0; i < legend_.size(); ++i) {
      std::size_t const column = beside_ ? 0 : i % columns_, row = beside_ ? i : i / columns_;
      double const at = left + static_cast<double>(column) * (widest_entry() + 18),
                   y = line + static_cast<double>(row) * line_height;
      std::array<Point, 2> const key{{{at, y}, {at + key_length, y}}};
      out_.polyline(key, legend_[i].look.color, legend_[i].marked ? 2 : 1.5, legend_[i].look.dash);
      if (legend_[i].marked) draw_mark(out_, at + key_length / 2, y, legend_[i].look);
      out_.text(at + key_length + key_gap, y, legend_[i].name, legend_style);
    }
  }

  LinePlot const& plot_;
  FigureOptions const& options_;
  SvgWriter& out_;
  double top_;
  Scale x_, y_;
  std::string title_;
  std::vector<LegendEntry> legend_;
  std::vector<double> x_ticks_, y_ticks_;
  SvgBox box_;
  double width_ = 0, bottom_ = 0;
  bool beside_ = true;
  std::size_t columns_ = 1;
};

Table numbers_of(std::span<LinePlot const> plots) {
  Table out{
      .columns = {"plot", "y", "curve", "x", "value", "ci95_low", "ci95_high"}, .parameters = {}, .rows = {}};
  for (LinePlot const& plot : plots)
    for (auto const* curves : {&plot.curves, &plot.bounds})
      for (Curve const& curve : *curves)
        for (CurvePoint const& p : curve.points)
          out.rows.push_back({plot.title, plot.y, curve.name, p.x, p.y,
                              p.spread ? Table::Cell(p.spread->ci95_low) : Table::Cell(),
                              p.spread ? Table::Cell(p.spread->ci95_high) : Table::Cell()});
  return out;
}

}  // namespace

std::vector<double> axis_ticks(double first, double last, int maximum) {
  if (!(last > first)) return {first};
  double step = std::pow(10, std::floor(std::log10((last - first) / maximum)));
  for (double const digit : {1., 2., 5., 10.})
    if (std::floor(last / (digit * step)) - std::ceil(first / (digit * step)) + 1 <= maximum) {
      step *= digit;
      break;
    }
  std::vector<double> ticks;
  for (double n = std::ceil(first / step - 1e-9) + 0.0; n * step <= last * (1 + 1e-12); ++n)
    ticks.push_back(n * step + 0.0);  // no -0
  return ticks;
}

std::vector<double> logarithmic_ticks(double first, double last, int maximum) {
  if (!(last > first) || !(first > 0)) return {first};
  auto const with = [&](std::initializer_list<double> digits, int decades) {
    std::vector<double> ticks;
    for (int e = static_cast<int>(std::floor(std::log10(first))); e <= std::ceil(std::log10(last));
         e += decades)
      for (double const digit : digits)
        if (double const tick = digit * std::pow(10, e);
            tick >= first * (1 - 1e-9) && tick <= last * (1 + 1e-9))
          ticks.push_back(tick);
    return ticks;
  };
  for (auto const& digits : {std::initializer_list<double>{1, 2, 5}, {1, 3}, {1}})
    if (auto ticks = with(digits, 1); std::ssize(ticks) <= maximum)
      return ticks.size() >= 2 ? ticks : axis_ticks(first, last, maximum);
  for (int decades = 2;; ++decades)
    if (auto ticks = with({1}, decades); std::ssize(ticks) <= maximum) return ticks;
}

std::string tick_label(double value) {
  std::string text = fmt::format("{:.6g}", value);
  if (std::abs(value) < 1e5 || text.find_first_of(".e") != text.npos) return text;
  for (std::size_t at = text.size(); at > (value < 0 ? 4U : 3U);) text.insert(at -= 3, "\u2009");
  return text;
}

Drawing draw_line_plots(std::span<LinePlot const> plots, FigureOptions const& options) {
  SvgWriter out(options.style);
  double width = 0, height = 0;
  for (LinePlot const& plot : plots) {
    auto const [right, end] = PlotDrawing(out, plot, options, height).draw();
    width = std::max(width, right);
    height = end;
  }
  return {out.picture(width, height, plots.empty() ? std::string() : plots.front().title), numbers_of(plots)};
}

}  // namespace factosim
