// PBM, PGM and PPM, as text and as bytes.
#include <algorithm>

#include "sdk/model/evaluate/images/decoders.hpp"

namespace byoc::evaluate {
namespace {

class PnmReader {
 public:
  explicit PnmReader(ImageBytes bytes) : bytes_(bytes) {}

  Decoded run() {
    const int kind = bytes_[1] - '0';
    const bool is_text = kind < 4, is_bits = kind % 3 == 1, is_colour = kind % 3 == 0;
    at_ = 2;
    const std::int64_t width = number(), height = number();
    const std::int64_t most = is_bits ? 1 : number();
    if (most < 1 || most > 65535) return std::string("a PNM header that is damaged");
    if (!is_text) ++at_;  // one white space ends the header
    Decoded out = empty_picture(bytes_, height, width);
    auto* picture = std::get_if<Picture>(&out);
    if (picture == nullptr) return out;
    for (std::int64_t row = 0; row < height; ++row) {
      bit_ = 0;
      for (std::int64_t column = 0; column < width; ++column) {
        std::uint8_t* pixel = picture->rgb.data() + 3 * (row * width + column);
        for (int c = 0; c < (is_colour ? 3 : 1); ++c) {
          const std::int64_t v = is_bits ? 1 - bit(is_text) : is_text ? number() : sample(most);
          if (v < 0 || v > most) return std::string("a PNM file that is cut or damaged");
          pixel[c] = static_cast<std::uint8_t>((v * 255 + most / 2) / most);
        }
        if (!is_colour) pixel[1] = pixel[2] = pixel[0];
      }
      if (!is_text && is_bits && bit_ != 0) ++at_;
    }
    return out;
  }

 private:
  [[nodiscard]] int byte() const { return at_ < bytes_.size() ? bytes_[at_] : -1; }
  [[nodiscard]] bool is_space() const { return byte() == ' ' || (byte() >= '\t' && byte() <= '\r'); }

  void skip() {
    while (is_space() || byte() == '#') {
      if (byte() == '#')
        while (byte() >= 0 && byte() != '\n') ++at_;
      else
        ++at_;
    }
  }

  // -1 where none stands.
  std::int64_t number() {
    constexpr std::int64_t kMost = std::int64_t{1} << 32;
    skip();
    if (byte() < '0' || byte() > '9') return -1;
    std::int64_t n = 0;
    for (; byte() >= '0' && byte() <= '9'; ++at_) n = std::min(n * 10 + (byte() - '0'), kMost);
    return n;
  }

  std::int64_t sample(std::int64_t most) {
    const int high = byte();
    ++at_;
    if (most < 256 || high < 0) return high;
    const int low = byte();
    ++at_;
    return low < 0 ? -1 : high * 256 + low;
  }

  // 1 is black; 2 where there is none.
  std::int64_t bit(bool is_text) {
    if (is_text) {
      skip();
      const int digit = byte();
      ++at_;
      return digit == '0' || digit == '1' ? digit - '0' : 2;
    }
    const int all = byte();
    if (all < 0) return 2;
    const int one = all >> (7 - bit_) & 1;
    bit_ = (bit_ + 1) % 8;
    if (bit_ == 0) ++at_;
    return one;
  }

  ImageBytes bytes_;
  std::size_t at_ = 0;
  int bit_ = 0;
};

}  // namespace

Decoded decode_pnm(ImageBytes bytes) { return PnmReader(bytes).run(); }

}  // namespace byoc::evaluate
