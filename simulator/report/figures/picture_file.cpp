#include "simulator/report/figures/picture_file.hpp"

#include "factosim/error.hpp"
#include "simulator/os/atomic_file.hpp"
#include "simulator/os/module.hpp"

namespace factosim {

namespace {

PngWriter const* png_writer() {
  constexpr Module png{.file = "factosim_png.so", .feature = "a picture as PNG", .packages = "librsvg2-dev"};
  static auto const* const loaded = static_cast<PngWriter const*>(find_module(png));
  return loaded;
}

}  // namespace

bool is_picture_name(std::filesystem::path const& file) {
  return file.extension() == ".svg" || file.extension() == ".png";
}

void check_picture_name(std::filesystem::path const& file) {
  if (file.extension() == ".png" && png_writer() == nullptr)
    throw InputError(file.string() + "#",
                     "PNG cannot be written (librsvg2-dev was not there when this program was built). Give a "
                     "name that ends in .svg, or install it and build again");
  if (!is_picture_name(file))
    throw InputError(file.string() + "#",
                     "is the name of no picture (SVG and PNG are written). Give one that "
                     "ends in .svg or .png");
}

void write_picture(std::filesystem::path const& file, std::string const& svg) {
  check_picture_name(file);
  write_file_atomically(file, file.extension() == ".png" ? png_writer()->png_of_svg(svg) : svg);
}

}  // namespace factosim
