#include "sdk/evaluate/images/image.hpp"

#include <algorithm>
#include <string_view>

namespace byoc::evaluate {

Decoded empty_picture(std::int64_t height, std::int64_t width) {
  const std::string size = std::to_string(width) + "x" + std::to_string(height) + " pixels";
  if (height < 1 || width < 1) return "a picture of " + size;
  if (height > kMostPixels / width) return size + ", which are more than " + std::to_string(kMostPixels);
  return Picture{height, width, std::vector<std::uint8_t>(static_cast<std::size_t>(3 * height * width))};
}

Decoded decode_image(ImageBytes bytes) {
  using std::literals::string_view_literals::operator""sv;
  struct Format {
    std::string_view start;
    Decoded (*decode)(ImageBytes);
  };
  static constexpr Format kFormats[] = {
      {"BM"sv, decode_bmp},
      {"\xff\xd8\xff"sv, decode_jpeg},
      {"\0\0\0\x0cjP  \r\n\x87\n"sv, decode_jpeg2000},
      {"\xff\x4f\xff\x51"sv, decode_jpeg2000},
      {"\x89PNG\r\n\x1a\n"sv, decode_png},
      {"P1"sv, decode_pnm},
      {"P2"sv, decode_pnm},
      {"P3"sv, decode_pnm},
      {"P4"sv, decode_pnm},
      {"P5"sv, decode_pnm},
      {"P6"sv, decode_pnm},
      {"II*\0"sv, decode_tiff},
      {"MM\0*"sv, decode_tiff},
      {"RIFF"sv, decode_webp},
  };
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 16));
  for (const Format& f : kFormats)
    if (start.starts_with(f.start)) return f.decode(bytes);
  return std::string("a format that is not known");
}

}  // namespace byoc::evaluate
