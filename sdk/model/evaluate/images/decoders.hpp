// Decoders of one format each. Null where the header of the library was missing when byoc was configured. Internal to
// this folder.
#pragma once

#include "sdk/model/evaluate/images/image.hpp"

namespace byoc::evaluate {

[[nodiscard]] Decoded decode_bmp(ImageBytes);
[[nodiscard]] Decoded decode_pnm(ImageBytes);

#ifdef BYOC_HAS_JPEG
[[nodiscard]] Decoded decode_jpeg(ImageBytes);
#else
inline constexpr ImageDecoder decode_jpeg = nullptr;
#endif

#ifdef BYOC_HAS_JPEG2000
[[nodiscard]] Decoded decode_jpeg2000(ImageBytes);
#else
inline constexpr ImageDecoder decode_jpeg2000 = nullptr;
#endif

#ifdef BYOC_HAS_PNG
[[nodiscard]] Decoded decode_png(ImageBytes);
#else
inline constexpr ImageDecoder decode_png = nullptr;
#endif

#ifdef BYOC_HAS_TIFF
[[nodiscard]] Decoded decode_tiff(ImageBytes);
#else
inline constexpr ImageDecoder decode_tiff = nullptr;
#endif

#ifdef BYOC_HAS_WEBP
[[nodiscard]] Decoded decode_webp(ImageBytes);
#else
inline constexpr ImageDecoder decode_webp = nullptr;
#endif

}  // namespace byoc::evaluate
