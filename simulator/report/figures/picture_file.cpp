#include "simulator/report/figures/picture_file.hpp"

#include "factosim/error.hpp"
#include "simulator/os/atomic_file.hpp"

#if FACTOSIM_RSVG
#include <cairo.h>
#include <librsvg/rsvg.h>

#include <cmath>
#include <memory>
#endif

namespace factosim {

namespace {

#if FACTOSIM_RSVG

std::string png_of(std::string const& svg) {
  constexpr double pixels = 3;  // for one of the picture: 300 dpi where that is 5 inches wide
  auto const drop = [](auto* object) { g_object_unref(object); };
  std::unique_ptr<RsvgHandle, decltype(drop)> const handle(
      rsvg_handle_new_from_data(reinterpret_cast<guint8 const*>(svg.data()), svg.size(), nullptr), drop);
  FACTOSIM_ALWAYS(handle != nullptr, "librsvg reads what svg_writer writes");
  double width = 0, height = 0;
  FACTOSIM_ALWAYS(rsvg_handle_get_intrinsic_size_in_pixels(handle.get(), &width, &height) != 0,
                  "a picture says how large it is");
  std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> const surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(width * pixels)),
                                 static_cast<int>(std::ceil(height * pixels))),
      cairo_surface_destroy);
  std::unique_ptr<cairo_t, decltype(&cairo_destroy)> const context(cairo_create(surface.get()),
                                                                   cairo_destroy);
  cairo_scale(context.get(), pixels, pixels);
  RsvgRectangle const whole{0, 0, width, height};
  FACTOSIM_ALWAYS(rsvg_handle_render_document(handle.get(), context.get(), &whole, nullptr) != 0,
                  "librsvg draws what it has read");
  std::string out;
  auto const append = [](void* to, unsigned char const* bytes, unsigned int length) {
    static_cast<std::string*>(to)->append(reinterpret_cast<char const*>(bytes), length);
    return CAIRO_STATUS_SUCCESS;
  };
  FACTOSIM_ALWAYS(cairo_surface_write_to_png_stream(surface.get(), append, &out) == CAIRO_STATUS_SUCCESS,
                  "cairo writes into memory");
  return out;
}

constexpr bool knows_png = true;
#else
std::string png_of(std::string const&) { return {}; }
constexpr bool knows_png = false;
#endif

}  // namespace

void check_picture_name(std::filesystem::path const& file) {
  if (file.extension() == ".png" && !knows_png)
    throw InputError(file.string() + "#",
                     "PNG cannot be written (librsvg2-dev was not there when this program was built). Give a "
                     "name that ends in .svg, or install it and build again");
  if (file.extension() != ".svg" && file.extension() != ".png")
    throw InputError(file.string() + "#",
                     "is the name of no picture (SVG and PNG are written). Give one that "
                     "ends in .svg or .png");
}

void write_picture(std::filesystem::path const& file, std::string const& svg) {
  check_picture_name(file);
  write_file_atomically(file, file.extension() == ".png" ? png_of(svg) : svg);
}

}  // namespace factosim
