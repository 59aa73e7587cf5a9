// The module factosim_png.so.

#include <cairo.h>
#include <librsvg/rsvg.h>

#include <cmath>
#include <memory>

#include "factosim/error.hpp"
#include "simulator/os/module.hpp"
#include "simulator/report/figures/picture_file.hpp"

namespace factosim {

namespace {

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

class LibrsvgWriter final : public PngWriter {
 public:
  [[nodiscard]] std::string png_of_svg(std::string const& svg) const override { return png_of(svg); }
};

}  // namespace

}  // namespace factosim

FACTOSIM_OFFER_MODULE(factosim::PngWriter, factosim::LibrsvgWriter)
