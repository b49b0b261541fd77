#include "sdk/model/import/tflite/convolution.hpp"

#include "sdk/model/import/tflite/hybrid.hpp"
#include "sdk/model/import/tflite/weights.hpp"

namespace byoc::tflite {

void describe(ir::Node& node, const Convolution& form) {
  describe_window(node, form.window, form.placed);
  node.attributes["dilations"] = form.window.dilations;
  node.attributes["filter_layout"] = form.filter_layout;
  node.attributes["group"] = form.group;
}

Result<void> add_convolution(OperatorImport& op, const Convolution& form, ir::ValueId bias,
                             schema::ActivationFunctionType activation) {
  if (is_hybrid(op)) return import_hybrid_convolution(op, form, activation);
  ir::Node& node = op.node("Conv", {op.input(0), filter_of(op, 1), bias});
  describe(node, form);
  describe_product(op, node);
  return op.fuse(node, activation);
}

}  // namespace byoc::tflite
