#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/pool.hpp"

namespace byoc::tflite {

Result<void> import_max_pool_2d(OperatorImport& op) {
  auto options = op.options<schema::Pool2DOptions>();
  if (!options) return failure;
  auto node = import_pool(op, **options, "MaxPool");
  if (!node) return failure;
  (*node)->attributes["dilations"] = std::vector<std::int64_t>{1, 1};
  return op.fuse(**node, (*options)->fused_activation_function());
}

}  // namespace byoc::tflite
