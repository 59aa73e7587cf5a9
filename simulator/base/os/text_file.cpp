#include "simulator/base/os/text_file.hpp"

#include <zlib.h>

#include <iterator>
#include <vector>

#include "factosim/error.hpp"

namespace factosim {

/// A gzip stream without name and date, so that equal texts give equal bytes.
class TextFile::Compressor {
 public:
  Compressor() : out_(flushed_from) {
    constexpr int level = 4;  // half of the default's time for a few percent more bytes
    constexpr int gzip_window = 15 + 16;
    constexpr int default_memory = 8;
    int const status =
        deflateInit2(&stream_, level, Z_DEFLATED, gzip_window, default_memory, Z_DEFAULT_STRATEGY);
    FACTOSIM_ALWAYS(status == Z_OK, "zlib has no memory");
  }
  ~Compressor() { deflateEnd(&stream_); }
  Compressor(Compressor const&) = delete;
  Compressor& operator=(Compressor const&) = delete;

  void write(std::string_view text, AtomicFile& file, bool last) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib does not change it
    stream_.avail_in = static_cast<uInt>(text.size());
    do {
      stream_.next_out = out_.data();
      stream_.avail_out = static_cast<uInt>(out_.size());
      deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
      file.write({reinterpret_cast<char const*>(out_.data()), out_.size() - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

 private:
  z_stream stream_{};
  std::vector<Bytef> out_;
};

TextFile::TextFile(std::filesystem::path const& path) : file_(path) {
  if (path.extension() == ".gz") compressor_ = std::make_unique<Compressor>();
}

TextFile::~TextFile() = default;

void TextFile::put_formatted(fmt::string_view format, fmt::format_args arguments) {
  fmt::vformat_to(std::back_inserter(buffer_), format, arguments);
  if (buffer_.size() > flushed_from) flush();
}

void TextFile::flush() {
  if (compressor_)
    compressor_->write({buffer_.data(), buffer_.size()}, file_, false);
  else
    file_.write({buffer_.data(), buffer_.size()});
  buffer_.clear();
}

void TextFile::commit() {
  flush();
  if (compressor_) compressor_->write({}, file_, true);
  file_.commit();
}

}  // namespace factosim
