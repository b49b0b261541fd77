// WebP, by libwebp. Transparent pixels keep their colour.
#ifdef BYOC_HAS_WEBP
#include <webp/decode.h>

#include "sdk/model/evaluate/images/decoders.hpp"
#include "sdk/model/evaluate/images/system_library.hpp"

namespace byoc::evaluate {
namespace {

struct LibWebP {
  SystemLibrary library{"libwebp.so.7"};
  decltype(WebPGetInfo)* info = library.function<decltype(WebPGetInfo)>("WebPGetInfo");
  decltype(WebPDecodeRGBInto)* decode = library.function<decltype(WebPDecodeRGBInto)>("WebPDecodeRGBInto");
};

}  // namespace

Decoded decode_webp(ImageBytes bytes) {
  static LibWebP webp;
  if (!webp.library.complete()) return webp.library.missing();
  int width = 0, height = 0;
  if (webp.info(bytes.data(), bytes.size(), &width, &height) == 0) return std::string("no WebP picture");
  Decoded out = empty_picture(bytes, height, width);
  if (auto* picture = std::get_if<Picture>(&out))
    if (webp.decode(bytes.data(), bytes.size(), picture->rgb.data(), picture->rgb.size(), 3 * width) == nullptr)
      return std::string("a damaged WebP picture");
  return out;
}

}  // namespace byoc::evaluate

#endif
