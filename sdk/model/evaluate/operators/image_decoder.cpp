// ImageDecoder: the pixels of a picture in a file, [height, width, channels].
#include "sdk/model/evaluate/images/image.hpp"
#include "sdk/model/evaluate/operators.hpp"

namespace byoc::evaluate {

Outcome image_decoder(const Call& call) {
  const Tensor& x = call.in(0);
  if (x.type.dtype != DType::u8) return call.unsupported_dtype(0, "u8");
  const std::string format = call.node.text("pixel_format", "RGB");
  if (format != "RGB" && format != "BGR" && format != "Grayscale")
    return call.error("attribute pixel_format is not one of its values", format, "RGB, BGR or Grayscale");
  const Decoded decoded = decode_image(elements<std::uint8_t>(x));
  const auto* picture = std::get_if<Picture>(&decoded);
  if (picture == nullptr)
    return call.error("the picture cannot be decoded", std::get<std::string>(decoded),
                      "BMP, JPEG, JPEG 2000, PNG, PNM, TIFF or WebP");
  const std::size_t channels = format == "Grayscale" ? 1 : 3;
  Result<Buffer> y = call.allocate(DType::u8, {picture->height, picture->width, static_cast<std::int64_t>(channels)});
  if (!y) return failure;
  const auto to = y->as<std::uint8_t>();
  for (std::size_t i = 0; i < picture->rgb.size() / 3; ++i) {
    const std::uint8_t* p = picture->rgb.data() + 3 * i;
    // Luma of ITU-R BT.601 in 16 bits, rounded to nearest.
    if (channels == 1) to[i] = static_cast<std::uint8_t>((p[0] * 19595 + p[1] * 38470 + p[2] * 7471 + 0x8000) >> 16);
    for (std::size_t c = 0; channels == 3 && c < 3; ++c) to[3 * i + c] = p[format == "RGB" ? c : 2 - c];
  }
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
