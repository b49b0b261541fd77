// PNG, by libpng. Colours are what the file has; what is see-through lies on black.
#ifdef BYOC_HAS_PNG
#include <png.h>

#include "sdk/model/evaluate/images/decoders.hpp"
#include "sdk/model/evaluate/images/system_library.hpp"

namespace byoc::evaluate {
namespace {

struct LibPng {
  SystemLibrary library{"libpng16.so.16"};
  decltype(png_image_begin_read_from_memory)* begin =
      library.function<decltype(png_image_begin_read_from_memory)>("png_image_begin_read_from_memory");
  decltype(png_image_finish_read)* finish = library.function<decltype(png_image_finish_read)>("png_image_finish_read");
  decltype(png_image_free)* free = library.function<decltype(png_image_free)>("png_image_free");
};

}  // namespace

Decoded decode_png(ImageBytes bytes) {
  static LibPng png;
  if (!png.library.complete()) return png.library.missing();
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png.begin(&image, bytes.data(), bytes.size()) == 0) return std::string(image.message);
  Decoded out = empty_picture(bytes, image.height, image.width);
  if (auto* picture = std::get_if<Picture>(&out)) {
    image.format = PNG_FORMAT_RGB;
    const png_color black{0, 0, 0};
    if (png.finish(&image, &black, picture->rgb.data(), 0, nullptr) == 0) out = std::string(image.message);
  }
  png.free(&image);
  return out;
}

}  // namespace byoc::evaluate

#endif
