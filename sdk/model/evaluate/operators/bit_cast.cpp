// BitCast: the same bits as elements of another type of the same width.
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/ir/onnx_types.hpp"

namespace byoc::evaluate {

Outcome bit_cast(const Call& call) {
  const Tensor& x = call.in(0);
  const DType to = ir::onnx_type(call.node.integer("to", 0));
  if (to == DType::undefined || bit_width(to) != bit_width(x.type.dtype))
    return call.error("attribute to is no type of the input's width", ir::onnx_type_name(call.node.integer("to", 0)),
                      describe(x));
  return single(Tensor{{to, x.type.dims, std::nullopt}, x.bytes});
}

}  // namespace byoc::evaluate
