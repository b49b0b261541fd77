#include "sdk/model/import/tflite/pool.hpp"

#include "sdk/model/import/tflite/window.hpp"

namespace byoc::tflite {

Result<ir::Node*> import_pool(OperatorImport& op, const schema::Pool2DOptions& o, const char* graph_op,
                              const char* domain) {
  const ir::ValueId x = op.input(0);
  if (!op.expect_rank(x, 4) || !op.expect_rank(op.output(), 4)) return failure;
  // The mean of uint8 is of numbers that are not negative: halves go up.
  const bool of_uint8 = op.type(x).dtype == DType::u8 && std::string_view(graph_op) == "AveragePool";
  if (of_uint8 ? !op.expect_quantised(x, {DType::u8}) || !op.expect_quantised(op.output(), {DType::u8})
               : !op.expect_activations(x, op.output()))
    return failure;
  if (!op.expect_equal_quantisation(x, op.output())) return failure;
  const Window window{{o.filter_height(), o.filter_width()}, {o.stride_h(), o.stride_w()}};
  auto placed = place(op, x, window, o.padding());
  if (!placed) return failure;
  const auto& d = op.dims(x);
  if (!op.expect_dims(op.output(), {d[0], placed->output[0], placed->output[1], d[3]})) return failure;
  ir::Node& node = *domain == '\0' ? op.node(graph_op, {x}) : op.byoc_node(graph_op, {x});
  describe_window(node, window, *placed);
  return &node;
}

}  // namespace byoc::tflite
