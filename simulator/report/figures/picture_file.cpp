#include "simulator/report/figures/picture_file.hpp"

#include "factosim/error.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/os/atomic_file.hpp"
#include "simulator/base/os/module.hpp"

namespace factosim {

namespace {

PictureWriter const* picture_writer() {
  constexpr Module pictures{
      .file = "factosim_pictures.so", .feature = "a picture as PNG or PDF", .packages = "librsvg2-dev"};
  static auto const* const loaded = static_cast<PictureWriter const*>(find_module(pictures));
  return loaded;
}

}  // namespace

bool is_figure_name(std::filesystem::path const& file) {
  auto const kind = file.extension();
  return kind == ".svg" || kind == ".pdf" || kind == ".png" || kind == ".csv";
}

void check_figure_name(std::filesystem::path const& file) {
  if (file == standard_stream) return;  // SVG
  auto const kind = file.extension();
  if ((kind == ".png" || kind == ".pdf") && picture_writer() == nullptr)
    throw InputError(
        file.string() + "#",
        "PNG and PDF cannot be written (librsvg2-dev was not there when this program was built). "
        "Give a name that ends in .svg, or install it and build again");
  if (!is_figure_name(file))
    throw InputError(
        file.string() + "#",
        "is not the name of a figure (SVG, PDF, PNG and CSV are written). Give a name that ends in "
        ".svg, .pdf, .png or .csv");
}

void write_figure(std::filesystem::path const& file, Drawing const& drawing) {
  check_figure_name(file);
  auto const kind = file.extension();
  write_file_atomically(file, kind == ".csv"   ? csv_text(drawing.numbers)
                              : kind == ".png" ? picture_writer()->png_of_svg(drawing.svg)
                              : kind == ".pdf" ? picture_writer()->pdf_of_svg(drawing.svg)
                                               : drawing.svg);
}

}  // namespace factosim
