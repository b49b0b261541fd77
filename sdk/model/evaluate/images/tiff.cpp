// TIFF, by libtiff: the first picture of the file.
#ifdef BYOC_HAS_TIFF
#include <tiffio.h>

#include <algorithm>
#include <cstdarg>
#include <cstring>

#include "sdk/model/evaluate/images/decoders.hpp"
#include "sdk/model/evaluate/images/system_library.hpp"

namespace byoc::evaluate {
namespace {

struct LibTiff {
  SystemLibrary library{"libtiff.so.6"};
  decltype(TIFFClientOpen)* open = library.function<decltype(TIFFClientOpen)>("TIFFClientOpen");
  decltype(TIFFClose)* close = library.function<decltype(TIFFClose)>("TIFFClose");
  decltype(TIFFGetField)* field = library.function<decltype(TIFFGetField)>("TIFFGetField");
  decltype(TIFFReadRGBAImageOriented)* read =
      library.function<decltype(TIFFReadRGBAImageOriented)>("TIFFReadRGBAImageOriented");
  decltype(TIFFSetErrorHandler)* on_error = library.function<decltype(TIFFSetErrorHandler)>("TIFFSetErrorHandler");
  decltype(TIFFSetWarningHandler)* on_warning =
      library.function<decltype(TIFFSetWarningHandler)>("TIFFSetWarningHandler");
};

// The bytes as a file that is read only.
struct TiffSource {
  ImageBytes bytes;
  toff_t at = 0;

  static TiffSource& of(thandle_t handle) { return *static_cast<TiffSource*>(handle); }
  static tmsize_t read(thandle_t handle, void* to, tmsize_t size) {
    TiffSource& s = of(handle);
    const toff_t left = s.at < s.bytes.size() ? s.bytes.size() - s.at : 0;
    const auto count =
        static_cast<std::size_t>(std::min<toff_t>(left, static_cast<toff_t>(std::max<tmsize_t>(size, 0))));
    if (count != 0) std::memcpy(to, s.bytes.data() + s.at, count);
    s.at += count;
    return static_cast<tmsize_t>(count);
  }
  static tmsize_t write(thandle_t, void*, tmsize_t) { return -1; }
  static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    TiffSource& s = of(handle);
    s.at = offset + (whence == SEEK_CUR ? s.at : whence == SEEK_END ? s.bytes.size() : 0);
    return s.at;
  }
  static int close(thandle_t) { return 0; }
  static toff_t size(thandle_t handle) { return of(handle).bytes.size(); }
};

}  // namespace

Decoded decode_tiff(ImageBytes bytes) {
  static LibTiff tiff;
  if (!tiff.library.complete()) return tiff.library.missing();
  // No library of ours prints.
  tiff.on_error(nullptr);
  tiff.on_warning(nullptr);
  TiffSource source{bytes};
  // "m": nothing is mapped.
  TIFF* file = tiff.open("image", "rm", &source, TiffSource::read, TiffSource::write, TiffSource::seek,
                         TiffSource::close, TiffSource::size, nullptr, nullptr);
  if (file == nullptr) return std::string("no TIFF file");
  std::uint32_t width = 0, height = 0;
  Decoded out = std::string("a TIFF file that does not say its size");
  if (tiff.field(file, TIFFTAG_IMAGEWIDTH, &width) == 1 && tiff.field(file, TIFFTAG_IMAGELENGTH, &height) == 1)
    out = empty_picture(bytes, height, width);
  if (auto* picture = std::get_if<Picture>(&out)) {
    std::vector<std::uint32_t> pixels(picture->rgb.size() / 3);
    if (tiff.read(file, width, height, pixels.data(), ORIENTATION_TOPLEFT, 1) == 1) {
      for (std::size_t i = 0; i < pixels.size(); ++i) {
        picture->rgb[3 * i] = static_cast<std::uint8_t>(TIFFGetR(pixels[i]));
        picture->rgb[3 * i + 1] = static_cast<std::uint8_t>(TIFFGetG(pixels[i]));
        picture->rgb[3 * i + 2] = static_cast<std::uint8_t>(TIFFGetB(pixels[i]));
      }
    } else {
      out = std::string("a damaged TIFF file, or of a kind that libtiff does not turn into colours");
    }
  }
  tiff.close(file);
  return out;
}

}  // namespace byoc::evaluate

#endif
