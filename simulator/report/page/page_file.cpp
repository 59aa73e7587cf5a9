#include "simulator/report/page/page_file.hpp"

#include "simulator/core/json_text.hpp"
#include "simulator/core/xml_text.hpp"
#include "simulator/report/page/page_assets.hpp"

namespace factosim {

namespace {

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

void write_page_file(TextFile& out, std::string_view title, std::string_view generator,
                     nlohmann::ordered_json const& content, std::vector<PageArray> const& arrays) {
  out.put(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
      "'unsafe-inline'; "
      "style-src 'unsafe-inline'; img-src data:\">\n"
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
