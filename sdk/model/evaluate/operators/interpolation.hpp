// Weights of samples between elements, as Resize and GridSample have them.
#pragma once

#include <array>

namespace byoc::evaluate {

// Keys' cubic convolution for the four elements around a sample that lies `ratio` behind the second.
// https://en.wikipedia.org/wiki/Bicubic_interpolation#Bicubic_convolution_algorithm
template <class R>
[[nodiscard]] std::array<R, 4> cubic_weights(R ratio, R a) {
  const R far = ratio + R{1}, back = R{1} - ratio, end = back + R{1};
  return {((a * far - R{5} * a) * far + R{8} * a) * far - R{4} * a,
          ((a + R{2}) * ratio - (a + R{3})) * ratio * ratio + R{1},
          ((a + R{2}) * back - (a + R{3})) * back * back + R{1},
          ((a * end - R{5} * a) * end + R{8} * a) * end - R{4} * a};
}

}  // namespace byoc::evaluate
