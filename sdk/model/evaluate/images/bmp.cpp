// BMP: 24 and 32 bits a pixel, and 8 bits with a palette, not compressed.
#include "sdk/model/evaluate/images/decoders.hpp"

namespace byoc::evaluate {
namespace {

class BmpReader {
 public:
  explicit BmpReader(ImageBytes bytes) : bytes_(bytes) {}

  Decoded run() {
    constexpr std::int64_t kHeader = 14, kLeastInfo = 40;
    const std::int64_t start = at(10, 4), info = at(kHeader, 4), bits = at(28, 2), compression = at(30, 4);
    const auto width = static_cast<std::int32_t>(at(18, 4)), height = static_cast<std::int32_t>(at(22, 4));
    if (info < kLeastInfo || compression != 0 || (bits != 8 && bits != 24 && bits != 32))
      return std::string("a BMP file that is damaged, or not one of 8, 24 or 32 bits without compression");
    // Rows from the bottom, unless the height is negative.
    const bool from_top = height < 0;
    const std::int64_t rows = from_top ? -std::int64_t{height} : height;
    Decoded out = empty_picture(bytes_, rows, width);
    auto* picture = std::get_if<Picture>(&out);
    if (picture == nullptr) return out;
    const std::int64_t pitch = (width * bits + 31) / 32 * 4, palette = kHeader + info;
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = 0; column < width; ++column) {
        const std::int64_t from = start + (from_top ? row : rows - 1 - row) * pitch + column * bits / 8;
        const std::int64_t colour = bits == 8 ? palette + 4 * at(from, 1) : from;
        for (std::int64_t c = 0; c < 3; ++c)
          picture->rgb[static_cast<std::size_t>(3 * (row * width + column) + c)] =
              static_cast<std::uint8_t>(at(colour + 2 - c, 1));
      }
    return is_cut_ ? Decoded(std::string("a BMP file that is cut")) : out;
  }

 private:
  // A number of `size` bytes, the lowest first.
  std::int64_t at(std::int64_t offset, std::int64_t size) {
    std::int64_t n = 0;
    for (std::int64_t i = size; i-- > 0;) {
      const auto place = static_cast<std::uint64_t>(offset + i);
      is_cut_ = is_cut_ || place >= bytes_.size();
      n = n << 8 | (place < bytes_.size() ? bytes_[place] : 0);
    }
    return n;
  }

  ImageBytes bytes_;
  bool is_cut_ = false;
};

}  // namespace

Decoded decode_bmp(ImageBytes bytes) { return BmpReader(bytes).run(); }

}  // namespace byoc::evaluate
