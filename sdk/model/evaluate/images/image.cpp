#include "sdk/model/evaluate/images/image.hpp"

#include <algorithm>

#include "sdk/model/evaluate/images/decoders.hpp"

namespace byoc::evaluate {

Decoded empty_picture(const ImageBytes& bytes, std::int64_t height, std::int64_t width) {
  const std::string size = std::to_string(width) + "x" + std::to_string(height) + " pixels";
  if (height < 1 || width < 1) return "a picture of " + size;
  if (height > kMostPixels / width) return size + ", which are more than " + std::to_string(kMostPixels);
  if (bytes.size_alone != nullptr) {
    *bytes.size_alone = {height, width};
    return std::string();
  }
  return Picture{height, width, std::vector<std::uint8_t>(static_cast<std::size_t>(3 * height * width))};
}

std::span<const ImageFormat> image_formats() {
  using std::literals::string_view_literals::operator""sv;
  static constexpr ImageFormat kFormats[] = {
      {"BM"sv, "BMP", "", decode_bmp},
      {"\xff\xd8\xff"sv, "JPEG", "libjpeg-turbo", decode_jpeg},
      {"\0\0\0\x0cjP  \r\n\x87\n"sv, "JPEG 2000", "OpenJPEG", decode_jpeg2000},
      {"\xff\x4f\xff\x51"sv, "JPEG 2000", "OpenJPEG", decode_jpeg2000},
      {"\x89PNG\r\n\x1a\n"sv, "PNG", "libpng", decode_png},
      {"P1"sv, "PNM", "", decode_pnm},
      {"P2"sv, "PNM", "", decode_pnm},
      {"P3"sv, "PNM", "", decode_pnm},
      {"P4"sv, "PNM", "", decode_pnm},
      {"P5"sv, "PNM", "", decode_pnm},
      {"P6"sv, "PNM", "", decode_pnm},
      {"II*\0"sv, "TIFF", "libtiff", decode_tiff},
      {"MM\0*"sv, "TIFF", "libtiff", decode_tiff},
      {"RIFF"sv, "WebP", "libwebp", decode_webp},
  };
  return kFormats;
}

Decoded decode_image(ImageBytes bytes, std::span<const ImageFormat> formats) {
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 16));
  for (const ImageFormat& f : formats) {
    if (!start.starts_with(f.start)) continue;
    if (f.decode == nullptr) return std::string(f.name) + ", and this byoc was built without " + f.library;
    return f.decode(bytes);
  }
  return std::string("a format that is not known");
}

std::optional<PictureSize> size_of_picture(std::span<const std::uint8_t> bytes) {
  PictureSize size;
  ImageBytes file(bytes);
  file.size_alone = &size;
  (void)decode_image(file);
  return size.height == 0 ? std::nullopt : std::optional(size);
}

}  // namespace byoc::evaluate
