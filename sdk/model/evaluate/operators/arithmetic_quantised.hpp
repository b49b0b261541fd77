// Add, Sub, Mul, Div on quantised tensors. `dims` is the broadcast shape.
#pragma once

#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {

using QuantisedBinary = Outcome (*)(const Call& call, const Dims& dims);

Outcome add_quantised(const Call& call, const Dims& dims);
Outcome sub_quantised(const Call& call, const Dims& dims);
Outcome mul_quantised(const Call& call, const Dims& dims);
Outcome div_quantised(const Call& call, const Dims& dims);

}  // namespace byoc::evaluate
