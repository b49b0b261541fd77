#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/pool.hpp"

namespace byoc::tflite {

Result<void> import_average_pool_2d(OperatorImport& op) {
  auto options = op.options<schema::Pool2DOptions>();
  if (!options) return failure;
  auto node = import_pool(op, **options, "AveragePool");
  if (!node) return failure;
  (*node)->attributes["count_include_pad"] = std::int64_t{0};
  return op.fuse(**node, (*options)->fused_activation_function());
}

}  // namespace byoc::tflite
