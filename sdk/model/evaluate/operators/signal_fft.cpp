#include "sdk/model/evaluate/operators/signal_fft.hpp"

namespace byoc::evaluate {

std::vector<int> fft_radices(int length) {
  // Fours, then twos, then odd numbers up to the root of the whole length; what is left then is a radix, prime or not.
  std::vector<int> out;
  const int most = static_cast<int>(std::sqrt(static_cast<double>(length)));
  int radix = 4;
  do {
    while (length % radix != 0) {
      radix = radix == 4 ? 2 : radix == 2 ? 3 : radix + 2;
      if (radix > most) radix = length;
    }
    length /= radix;
    out.push_back(radix);
  } while (length > 1);
  return out;
}

}  // namespace byoc::evaluate
