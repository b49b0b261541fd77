// EyeLike: ones on a diagonal of a matrix of the input's shape.
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/ir/onnx_types.hpp"

namespace byoc::evaluate {

Outcome eye_like(const Call& call) {
  const Dims& dims = *call.in(0).type.dims;
  if (dims.size() != 2) return call.error("the input must be a matrix", describe(call.in(0)));
  const std::int64_t number = call.node.integer("dtype", 0);
  const DType dtype = number == 0 ? call.in(0).type.dtype : ir::onnx_type(number);
  if (dtype == DType::undefined)
    return call.error("attribute dtype is not an element type that is supported", ir::onnx_type_name(number));
  const std::int64_t k = call.node.integer("k", 0);
  Result<Buffer> y = call.allocate(dtype, dims);
  if (!y) return failure;
  const bool known = dispatch(dtype, [&]<class T>() {
    for (std::int64_t r = 0; r < dims[0]; ++r)
      if (k > -dims[0] && k < dims[1] && r + k >= 0 && r + k < dims[1])
        y->as<T>()[static_cast<std::size_t>(r * dims[1] + r + k)] = narrow<T>(1);
  });
  if (!known) return call.error("cannot make a result of this element type", std::string(to_string(dtype)));
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
