// JPEG 2000, by OpenJPEG: pictures of one or three components of 8 bits (or fewer) and one size.
#ifdef BYOC_HAS_JPEG2000
#include <openjpeg.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "sdk/model/evaluate/images/decoders.hpp"
#include "sdk/model/evaluate/images/system_library.hpp"

namespace byoc::evaluate {
namespace {

struct OpenJpeg {
  SystemLibrary library{"libopenjp2.so.7"};
  decltype(opj_create_decompress)* create = library.function<decltype(opj_create_decompress)>("opj_create_decompress");
  decltype(opj_set_default_decoder_parameters)* defaults =
      library.function<decltype(opj_set_default_decoder_parameters)>("opj_set_default_decoder_parameters");
  decltype(opj_setup_decoder)* setup = library.function<decltype(opj_setup_decoder)>("opj_setup_decoder");
  decltype(opj_read_header)* header = library.function<decltype(opj_read_header)>("opj_read_header");
  decltype(opj_decode)* decode = library.function<decltype(opj_decode)>("opj_decode");
  decltype(opj_destroy_codec)* destroy = library.function<decltype(opj_destroy_codec)>("opj_destroy_codec");
  decltype(opj_image_destroy)* destroy_image = library.function<decltype(opj_image_destroy)>("opj_image_destroy");
  decltype(opj_stream_create)* stream = library.function<decltype(opj_stream_create)>("opj_stream_create");
  decltype(opj_stream_destroy)* destroy_stream = library.function<decltype(opj_stream_destroy)>("opj_stream_destroy");
  decltype(opj_stream_set_user_data)* user_data =
      library.function<decltype(opj_stream_set_user_data)>("opj_stream_set_user_data");
  decltype(opj_stream_set_user_data_length)* length =
      library.function<decltype(opj_stream_set_user_data_length)>("opj_stream_set_user_data_length");
  decltype(opj_stream_set_read_function)* on_read =
      library.function<decltype(opj_stream_set_read_function)>("opj_stream_set_read_function");
  decltype(opj_stream_set_skip_function)* on_skip =
      library.function<decltype(opj_stream_set_skip_function)>("opj_stream_set_skip_function");
  decltype(opj_stream_set_seek_function)* on_seek =
      library.function<decltype(opj_stream_set_seek_function)>("opj_stream_set_seek_function");
};

struct Jpeg2000Source {
  ImageBytes bytes;
  std::size_t at = 0;

  static OPJ_SIZE_T read(void* to, OPJ_SIZE_T size, void* self) {
    auto& s = *static_cast<Jpeg2000Source*>(self);
    const std::size_t count = std::min<std::size_t>(size, s.bytes.size() - s.at);
    if (count == 0) return static_cast<OPJ_SIZE_T>(-1);
    std::memcpy(to, s.bytes.data() + s.at, count);
    s.at += count;
    return count;
  }
  static OPJ_OFF_T skip(OPJ_OFF_T count, void* self) {
    auto& s = *static_cast<Jpeg2000Source*>(self);
    if (count < 0 || static_cast<std::size_t>(count) > s.bytes.size() - s.at) return -1;
    s.at += static_cast<std::size_t>(count);
    return count;
  }
  static OPJ_BOOL seek(OPJ_OFF_T to, void* self) {
    auto& s = *static_cast<Jpeg2000Source*>(self);
    if (to < 0 || static_cast<std::size_t>(to) > s.bytes.size()) return OPJ_FALSE;
    s.at = static_cast<std::size_t>(to);
    return OPJ_TRUE;
  }
};

Decoded picture_of(const ImageBytes& bytes, const opj_image_t& image) {
  constexpr OPJ_UINT32 kBits = 8;
  if (image.numcomps != 1 && image.numcomps < 3) return std::string("a picture of two components");
  const OPJ_UINT32 used = image.numcomps == 1 ? 1 : 3;
  const opj_image_comp_t& first = image.comps[0];
  Decoded out = empty_picture(bytes, first.h, first.w);
  auto* picture = std::get_if<Picture>(&out);
  if (picture == nullptr) return out;
  for (OPJ_UINT32 c = 0; c < 3; ++c) {
    const opj_image_comp_t& from = image.comps[used == 1 ? 0 : c];
    if (from.data == nullptr || from.w != first.w || from.h != first.h || from.prec > kBits)
      return std::string("components of different sizes, or of more than 8 bits");
    const OPJ_INT32 shift = from.sgnd != 0 ? 1 << (from.prec - 1) : 0;
    for (std::size_t i = 0; i < picture->rgb.size() / 3; ++i)
      picture->rgb[3 * i + c] = static_cast<std::uint8_t>(std::clamp(from.data[i] + shift, 0, 255));
  }
  return out;
}

}  // namespace

Decoded decode_jpeg2000(ImageBytes bytes) {
  static OpenJpeg jpeg;
  if (!jpeg.library.complete()) return jpeg.library.missing();
  Jpeg2000Source source{bytes};
  const std::unique_ptr<opj_stream_t, decltype(jpeg.destroy_stream)> stream(jpeg.stream(1 << 16, OPJ_TRUE),
                                                                            jpeg.destroy_stream);
  const std::unique_ptr<opj_codec_t, decltype(jpeg.destroy)> codec(
      jpeg.create(bytes[0] == 0 ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K), jpeg.destroy);
  if (stream == nullptr || codec == nullptr) return std::string("no memory for a decoder");
  jpeg.user_data(stream.get(), &source, nullptr);
  jpeg.length(stream.get(), bytes.size());
  jpeg.on_read(stream.get(), Jpeg2000Source::read);
  jpeg.on_skip(stream.get(), Jpeg2000Source::skip);
  jpeg.on_seek(stream.get(), Jpeg2000Source::seek);
  opj_dparameters_t parameters;
  jpeg.defaults(&parameters);
  opj_image_t* read = nullptr;
  const bool has_header =
      jpeg.setup(codec.get(), &parameters) == OPJ_TRUE && jpeg.header(stream.get(), codec.get(), &read) == OPJ_TRUE;
  const std::unique_ptr<opj_image_t, decltype(jpeg.destroy_image)> image(read, jpeg.destroy_image);
  if (!has_header || image == nullptr || image->numcomps == 0) return std::string("a damaged JPEG 2000 picture");
  const Decoded room = empty_picture(bytes, std::int64_t{image->y1} - image->y0, std::int64_t{image->x1} - image->x0);
  if (std::holds_alternative<std::string>(room)) return room;
  if (jpeg.decode(codec.get(), stream.get(), image.get()) != OPJ_TRUE)
    return std::string("a damaged JPEG 2000 picture");
  return picture_of(bytes, *image);
}

}  // namespace byoc::evaluate

#endif
