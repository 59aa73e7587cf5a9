#include "simulator/report/figures/svg_writer.hpp"

#include "simulator/base/core/xml_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>

namespace factosim {

namespace {

template <class... Arguments>
void append(std::string& out, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Arguments>(arguments)...);
}

std::string attributes(SvgBox b) {
  return fmt::format(R"(x="{:.6g}" y="{:.6g}" width="{:.6g}" height="{:.6g}")", b.left, b.top, b.width,
                     b.height);
}

}  // namespace

std::string SvgWriter::paint(Color color) const {
  if (style_.palette == Palette::color) return hex_of(color);
  auto const luma = static_cast<std::uint8_t>(
      std::lround(0.299 * color.red + 0.587 * color.green + 0.114 * color.blue));  // ITU-R BT.601
  return hex_of({luma, luma, luma});
}

void SvgWriter::rectangle(SvgBox box, Color fill) {
  append(body_, "<rect {} fill=\"{}\"/>\n", attributes(box), paint(fill));
}

void SvgWriter::frame(SvgBox box, Color stroke, double width) {
  append(body_, "<rect {} fill=\"none\" stroke=\"{}\" stroke-width=\"{:.6g}\"/>\n", attributes(box),
         paint(stroke), width);
}

void SvgWriter::line(double x1, double y1, double x2, double y2, Color stroke, double width) {
  append(body_,
         R"(<line x1="{:.6g}" y1="{:.6g}" x2="{:.6g}" y2="{:.6g}" stroke="{}" stroke-width="{:.6g}"/>)", x1,
         y1, x2, y2, paint(stroke), width);
  body_ += '\n';
}

void SvgWriter::text(double x, double y, std::string_view content, SvgTextStyle const& style) {
  constexpr std::array<std::string_view, 3> anchors = {"start", "middle", "end"};
  // Not every viewer supports dominant-baseline: the baseline is a third of the size below the middle.
  double const baseline = y + 0.36 * style.size;
  append(body_, R"(<text x="{:.6g}" y="{:.6g}" font-size="{:.6g}" fill="{}")", x, baseline, style.size,
         paint(style.color));
  if (style.anchor != SvgTextStyle::Anchor::start)
    append(body_, " text-anchor=\"{}\"", anchors[static_cast<std::size_t>(style.anchor)]);
  if (style.bold) body_ += " font-weight=\"bold\"";
  if (style.upwards) append(body_, " transform=\"rotate(-90 {:.6g} {:.6g})\"", x, y);
  append(body_, ">{}</text>\n", xml_escaped(content));
}

void SvgWriter::open_scaled_group(std::string_view id, double x, double y, double unit) {
  append(body_,
         "<g id=\"{}\" transform=\"translate({:.6g} {:.6g}) scale({:.6g})\" "
         "shape-rendering=\"crispEdges\">\n",
         xml_escaped(id), x, y, unit);
}

void SvgWriter::open_filled_group(Color fill, std::string_view name) {
  append(body_, "<g fill=\"{}\"><title>{}</title>\n", paint(fill), xml_escaped(name));
}

void SvgWriter::filled(SvgBox box) { append(body_, "<rect {}/>\n", attributes(box)); }

void SvgWriter::close_group() { body_ += "</g>\n"; }

void SvgWriter::cells(SvgBox box, std::size_t columns, std::size_t rows, std::span<Cells const> cells,
                      Color fill, std::string_view name) {
  double const height = box.height / static_cast<double>(rows);
  // Rows that are high enough are separated by a line of background.
  double const gap = height > 5 ? 1 / height : 0;
  append(body_,
         "<path fill=\"{}\" transform=\"translate({:.6g} {:.6g}) scale({:.6g} {:.6g})\" "
         "shape-rendering=\"crispEdges\" d=\"",
         paint(fill), box.left, box.top + height * gap / 2, box.width / static_cast<double>(columns), height);
  for (Cells const& c : cells)
    append(body_, "M{} {}h{}v{:.4g}h-{}z", c.column, c.row, c.width, 1 - gap, c.width);
  append(body_, "\"><title>{}</title></path>\n", xml_escaped(name));
}

namespace {

/// Returns "x,y x,y", rounded to a tenth of a pixel.
std::string point_list(std::span<std::pair<double, double> const> points) {
  std::string out;
  for (auto const& [x, y] : points)
    append(out, "{}{:.6g},{:.6g}", out.empty() ? "" : " ", std::round(x * 10) / 10 + 0.0,
           std::round(y * 10) / 10 + 0.0);
  return out;
}

}  // namespace

void SvgWriter::polyline(std::span<std::pair<double, double> const> points, Color stroke, double width,
                         std::string_view dash) {
  append(body_, R"(<polyline fill="none" stroke="{}" stroke-width="{:.6g}" stroke-linejoin="round")",
         paint(stroke), width);
  if (!dash.empty()) append(body_, R"( stroke-dasharray="{}")", dash);
  append(body_, " points=\"{}\"/>\n", point_list(points));
}

void SvgWriter::polygon(std::span<std::pair<double, double> const> points, Color fill) {
  append(body_, "<polygon fill=\"{}\" points=\"{}\"/>\n", paint(fill), point_list(points));
}

void SvgWriter::circle(double x, double y, double radius, Color fill) {
  append(body_, R"(<circle cx="{:.6g}" cy="{:.6g}" r="{:.6g}" fill="{}"/>)", x, y, radius, paint(fill));
  body_ += '\n';
}

void SvgWriter::open_clipped_group(SvgBox box) {
  ++clips_;
  append(body_, "<clipPath id=\"clip{0}\"><rect {1}/></clipPath>\n<g clip-path=\"url(#clip{0})\">\n", clips_,
         attributes(box));
}

std::string SvgWriter::picture(double width, double height, std::string_view title) const {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  std::string const family =
      style_.font.empty() ? "Helvetica, Arial, 'DejaVu Sans', sans-serif" : xml_escaped(style_.font);
  bool const natural = style_.width_mm <= 0 && style_.height_mm <= 0 && style_.font_pt <= 0;
  std::string const unit = natural ? "" : "mm";
  double const scale = natural ? 1 : style_.unit_mm();
  append(out,
         "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.6g}{}\" height=\"{:.6g}{}\" "
         "viewBox=\"0 0 {:.6g} {:.6g}\" font-family=\"{}\">\n",
         width * scale, unit, height * scale, unit, width, height, family);
  append(out, "<title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
         xml_escaped(title));
  return out + body_ + "</svg>\n";
}

namespace {

/// Advance widths of the printable characters of ASCII in DejaVu Sans 2.37, the widest of the common
/// sans-serif fonts, in thousandths of its size.
constexpr std::array<int, 95> advances{
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635,  611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838};
constexpr int advance_elsewhere = 1000;
constexpr double bold_factor = 1.17;  // on average 1.12; of no lower-case word more

}  // namespace

double text_width(std::string_view text, SvgTextStyle const& style) {
  int sum = 0;
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F)
      sum += advances[byte - 0x20U];
    else if ((byte & 0xC0U) != 0x80U)  // not a continuation in UTF-8
      sum += advance_elsewhere;
  }
  return sum / 1000.0 * style.size * (style.bold ? bold_factor : 1);
}

namespace {

/// Returns the part of the text that fits: up to a space if possible, and at least one character.
std::size_t fitting(std::string const& text, SvgTextStyle const& style, double width) {
  std::size_t end = text.size();
  while (end > 1 && text_width(text.substr(0, end), style) > width) {
    std::size_t const space = text.rfind(' ', end - 1);
    end = space != std::string::npos && space > 0 ? space : end - 1;
  }
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
  return end;
}

}  // namespace

std::vector<std::string> wrapped(std::string text, SvgTextStyle const& style, double width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::size_t const end = fitting(text, style, width);
    lines.push_back(text.substr(0, end));
    text.erase(0, std::min(text.size(), text.find_first_not_of(' ', end)));
  }
  return lines;
}

std::string shortened_to(std::string_view text, double width, SvgTextStyle const& style) {
  if (text_width(text, style) <= width) return std::string(text);
  std::size_t end = text.size();
  auto const within = [&] { return (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U; };
  do {
    do --end;
    while (end > 0 && within());
  } while (end > 0 && text_width(text.substr(0, end), style) + text_width("\u2026", style) > width);
  return std::string(text.substr(0, end)) + "\u2026";
}

}  // namespace factosim
