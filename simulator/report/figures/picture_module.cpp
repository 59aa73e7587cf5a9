// The module factosim_pictures.so.

#include <cairo-pdf.h>
#include <cairo.h>
#include <librsvg/rsvg.h>

#include <cmath>
#include <memory>

#include "factosim/error.hpp"
#include "simulator/base/os/module.hpp"
#include "simulator/report/figures/picture_file.hpp"

namespace factosim {

namespace {

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;

cairo_status_t append(void* to, unsigned char const* bytes, unsigned int length) {
  static_cast<std::string*>(to)->append(reinterpret_cast<char const*>(bytes), length);
  return CAIRO_STATUS_SUCCESS;
}

/// A picture that librsvg has read.
class Picture {
 public:
  explicit Picture(std::string const& svg)
      : handle_(rsvg_handle_new_from_data(reinterpret_cast<guint8 const*>(svg.data()), svg.size(), nullptr),
                [](RsvgHandle* handle) { g_object_unref(handle); }) {
    FACTOSIM_ALWAYS(handle_ != nullptr, "librsvg reads what svg_writer writes");
    rsvg_handle_set_dpi(handle_.get(), 96);
    FACTOSIM_ALWAYS(rsvg_handle_get_intrinsic_size_in_pixels(handle_.get(), &width, &height) != 0,
                    "a picture says how large it is");
  }

  /// Draws the picture with `scale` pixels or points of the surface for one of its own.
  void draw_on(Surface const& surface, double scale) const {
    std::unique_ptr<cairo_t, decltype(&cairo_destroy)> const context(cairo_create(surface.get()),
                                                                     cairo_destroy);
    cairo_set_source_rgb(context.get(), 1, 1, 1);  // also of pixels that the picture covers in part
    cairo_paint(context.get());
    cairo_scale(context.get(), scale, scale);
    RsvgRectangle const whole{0, 0, width, height};
    FACTOSIM_ALWAYS(rsvg_handle_render_document(handle_.get(), context.get(), &whole, nullptr) != 0,
                    "librsvg draws what it has read");
  }

  double width = 0, height = 0;  // in pixels of 1/96 inch

 private:
  std::unique_ptr<RsvgHandle, void (*)(RsvgHandle*)> handle_;
};

class LibrsvgWriter final : public PictureWriter {
 public:
  [[nodiscard]] std::string png_of_svg(std::string const& svg) const override {
    constexpr double scale = 3;
    Picture const picture(svg);
    Surface const surface(
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(picture.width * scale)),
                                   static_cast<int>(std::ceil(picture.height * scale))),
        cairo_surface_destroy);
    picture.draw_on(surface, scale);
    std::string out;
    FACTOSIM_ALWAYS(cairo_surface_write_to_png_stream(surface.get(), append, &out) == CAIRO_STATUS_SUCCESS,
                    "cairo writes into memory");
    return out;
  }

  [[nodiscard]] std::string pdf_of_svg(std::string const& svg) const override {
    constexpr double scale = 72.0 / 96;
    Picture const picture(svg);
    std::string out;
    {
      Surface const surface(
          cairo_pdf_surface_create_for_stream(append, &out, picture.width * scale, picture.height * scale),
          cairo_surface_destroy);
      // Without the date of today the same figure has the same bytes.
      cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, "1970-01-01T00:00:00Z");
      picture.draw_on(surface, scale);
      cairo_surface_finish(surface.get());
      FACTOSIM_ALWAYS(cairo_surface_status(surface.get()) == CAIRO_STATUS_SUCCESS,
                      "cairo writes into memory");
    }
    return out;
  }
};

}  // namespace

}  // namespace factosim

FACTOSIM_OFFER_MODULE(factosim::PictureWriter, factosim::LibrsvgWriter)
