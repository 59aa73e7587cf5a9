#include "simulator/report/page/page_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <bit>

#include "factosim/error.hpp"
#include "simulator/base/core/json_text.hpp"

namespace factosim {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are taken as they lie in memory");

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Escapes text for XML and HTML. Drops the control characters that XML cannot represent.
std::string xml_escaped(std::string_view text) {
  std::string out;
  for (char const c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out;
}

std::string base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::size_t const left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t b = 0; b < 3; ++b)
      group = group << 8U | (b < left ? static_cast<std::uint8_t>(bytes[i + b]) : 0U);
    for (std::size_t d = 0; d < 4; ++d)
      out += d <= left ? digits[group >> (18U - 6U * static_cast<unsigned>(d)) & 63U] : '=';
  }
  return out;
}

std::string deflated(std::string_view bytes) {
  constexpr int level = 4;  // 6: 1.3 % less, 1.8 times the time
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  int const status = compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                               reinterpret_cast<Bytef const*>(bytes.data()), bytes.size(), level);
  FACTOSIM_ALWAYS(status == Z_OK, "zlib compresses what lies in memory");
  out.resize(size);
  return out;
}

/// Returns all first bytes of elements of `size` bytes, then all second bytes, and so on.
std::string planes(std::string_view bytes, std::size_t size) {
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t plane = 0; plane < size; ++plane)
    for (std::size_t i = plane; i < bytes.size(); i += size) out += bytes[i];
  return out;
}

/// Returns JSON for a script element: no text in it can end that element.
std::string script_text(nlohmann::ordered_json const& json) {
  std::string const text = json_text(json);
  std::string out;
  out.reserve(text.size());
  for (char const c : text) {
    if (c == '<')
      out += "\\u003c";  // "<" occurs in strings only
    else
      out += c;
  }
  return out;
}

void put_arrays(TextFile& out, std::vector<PageArray> const& arrays, bool late) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (arrays[i].late != late) continue;
    out.put("<script type=\"text/plain\" id=\"array{}\">", i);
    out.put_text(arrays[i].text);
    out.put_text("</script>\n");
  }
}

}  // namespace

std::string packed(std::string_view bytes, std::size_t size) { return base64(deflated(planes(bytes, size))); }

void write_page_file(TextFile& out, std::string_view title, std::string_view generator,
                     nlohmann::ordered_json const& content, std::vector<PageArray> const& arrays) {
  out.put(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
      "'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
      "<meta name=\"generator\" content=\"{}\">\n<title>{}</title>\n<style>\n",
      xml_escaped(generator), xml_escaped(title));
  out.put_text(page_style());
  out.put_text(
      "</style></head>\n<body>\n<noscript>This report draws its panels with JavaScript.</noscript>\n"
      "<script type=\"application/json\" id=\"report\">");
  out.put_text(script_text(content));
  out.put_text("</script>\n");
  put_arrays(out, arrays, false);
  out.put_text("<script>\n");
  out.put_text(page_program());
  out.put_text("</script>\n");
  put_arrays(out, arrays, true);
  out.put_text("</body></html>\n");
}

}  // namespace factosim
