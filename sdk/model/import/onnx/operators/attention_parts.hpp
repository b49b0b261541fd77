// Parts that the attention operators share.
#pragma once

#include "sdk/model/import/onnx/composition.hpp"

namespace byoc::onnx_import {

// a [batch, heads, rows, n] times b [batch, fewer heads, n, columns]: several heads of `a` that lie behind one another
// share one of b, and become one matrix of more rows. `heads` of a that is no multiple of b's is refused in the end.
Composition::Value grouped_product(Composition&, Composition::Value a, Composition::Value b);

// (q * sqrt(scale)) * (k * sqrt(scale))^T: half of the scale goes into each factor, so that products of 16-bit floats
// stay in range. Without `scale` it is 1 / sqrt(size of a head).
Composition::Value scaled_products(Composition&, Composition::Value q, Composition::Value k, const float* scale);

// i64[length]: 0, 1 ... below an i64[1].
Composition::Value count_to(Composition&, Composition::Value length);

}  // namespace byoc::onnx_import
