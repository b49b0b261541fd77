// JPEG, by libjpeg-turbo.
#ifdef BYOC_HAS_JPEG
#include <turbojpeg.h>

#include <algorithm>

#include "sdk/model/evaluate/images/decoders.hpp"
#include "sdk/model/evaluate/images/system_library.hpp"

namespace byoc::evaluate {
namespace {

struct TurboJpeg {
  SystemLibrary library{"libturbojpeg.so.0"};
  decltype(tjInitDecompress)* init = library.function<decltype(tjInitDecompress)>("tjInitDecompress");
  decltype(tjDecompressHeader3)* header = library.function<decltype(tjDecompressHeader3)>("tjDecompressHeader3");
  decltype(tjDecompress2)* decompress = library.function<decltype(tjDecompress2)>("tjDecompress2");
  decltype(tjGetErrorStr2)* error = library.function<decltype(tjGetErrorStr2)>("tjGetErrorStr2");
  decltype(tjGetErrorCode)* code = library.function<decltype(tjGetErrorCode)>("tjGetErrorCode");
  decltype(tjDestroy)* destroy = library.function<decltype(tjDestroy)>("tjDestroy");
};

}  // namespace

Decoded decode_jpeg(ImageBytes bytes) {
  static TurboJpeg jpeg;
  if (!jpeg.library.complete()) return jpeg.library.missing();
  const tjhandle handle = jpeg.init();
  if (handle == nullptr) return std::string("no memory for a decoder");
  int width = 0, height = 0, sampling = 0, colours = 0;
  Decoded out = std::string();
  if (jpeg.header(handle, bytes.data(), bytes.size(), &width, &height, &sampling, &colours) != 0) {
    out = std::string(jpeg.error(handle));
  } else if (out = empty_picture(bytes, height, width); auto* picture = std::get_if<Picture>(&out)) {
    // The number of scans is limited, because a file of many scans takes very long. Files with warnings are decoded as
    // well as possible.
    const int done = jpeg.decompress(handle, bytes.data(), bytes.size(), picture->rgb.data(), width, 0, height,
                                     TJPF_RGB, TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS);
    if (done != 0 && jpeg.code(handle) != TJERR_WARNING) out = std::string(jpeg.error(handle));
  }
  jpeg.destroy(handle);
  return out;
}

}  // namespace byoc::evaluate

#endif
