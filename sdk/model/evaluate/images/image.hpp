// Pictures in files of the usual formats, decoded by the system's libraries where those are there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace byoc::evaluate {

// Rows from the top, three bytes a pixel: red, green, blue.
struct Picture {
  std::int64_t height = 0, width = 0;
  std::vector<std::uint8_t> rgb;
};
// The picture, or an error message.
using Decoded = std::variant<Picture, std::string>;

struct PictureSize {
  std::int64_t height = 0, width = 0;
};
// A file. Where `size_alone` is given, decoders read no further than to the size of the picture, and make none.
struct ImageBytes : std::span<const std::uint8_t> {
  using span::span;
  ImageBytes(std::span<const std::uint8_t> bytes) : span(bytes) {}
  PictureSize* size_alone = nullptr;
};

// A file may say any size; larger ones are refused before anything is made for them.
inline constexpr std::int64_t kMostPixels = std::int64_t{1} << 27;

using ImageDecoder = Decoded (*)(ImageBytes);

struct ImageFormat {
  std::string_view start;  // of its files
  const char* name;
  const char* library;  // that decodes it; "" for none
  ImageDecoder decode;  // null: byoc was built without the library's header
};

// The known formats: BMP, JPEG, JPEG 2000, PNG, PNM, TIFF, WebP.
[[nodiscard]] std::span<const ImageFormat> image_formats();

// Decodes a picture in the format that its first bytes indicate.
[[nodiscard]] Decoded decode_image(ImageBytes bytes, std::span<const ImageFormat> formats = image_formats());

// The size that the file states; nothing where it is no picture, or too large.
[[nodiscard]] std::optional<PictureSize> size_of_picture(std::span<const std::uint8_t> bytes);

// An empty picture of this size for what is in `bytes`; a message where it is none, or too large, or the size alone is
// asked for. Internal to this folder.
[[nodiscard]] Decoded empty_picture(const ImageBytes& bytes, std::int64_t height, std::int64_t width);

}  // namespace byoc::evaluate
