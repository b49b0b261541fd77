#include "sdk/import/tflite/elementwise.hpp"

#include <algorithm>

namespace byoc::tflite {
namespace {

// Dimensions count from the last; a missing one or a 1 repeats.
Result<std::vector<ir::Dim>> broadcast(Lowering& op, const std::vector<ir::Dim>& a, const std::vector<ir::Dim>& b) {
  std::vector<ir::Dim> out(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const ir::Dim da = i < a.size() ? a[a.size() - 1 - i] : 1;
    const ir::Dim db = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (da != db && da != 1 && db != 1)
      return op.refuse("shapes of the inputs do not broadcast", std::to_string(da) + " against " + std::to_string(db));
    out[out.size() - 1 - i] = da == 1 ? db : da;
  }
  return out;
}

}  // namespace

Result<void> lower_elementwise(Lowering& op, const char* onnx_op, schema::ActivationFunctionType activation) {
  const ir::ValueId a = op.input(0), b = op.input(1);
  if (!op.expect_activations(a, b) || !op.expect_activations(a, op.output())) return failure;
  auto dims = broadcast(op, op.dims(a), op.dims(b));
  if (!dims || !op.expect_dims(op.output(), *dims)) return failure;
  return op.fuse(op.node(onnx_op, {a, b}), activation);
}

}  // namespace byoc::tflite
