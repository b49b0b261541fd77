// Parts that operators with broadcasting share.
#pragma once

#include "sdk/model/import/tflite/operator_import.hpp"

namespace byoc::tflite {

// Expects one of these element types; int8 and int16 with one scale, int32 and int64 without. uint8 kernels are refused
// here.
Result<void> expect_element(OperatorImport&, ir::ValueId, std::initializer_list<DType> allowed);

// The shape that both broadcast to: dimensions count from the last; a missing one or a 1 repeats.
Result<std::vector<ir::Dim>> broadcast(OperatorImport&, const std::vector<ir::Dim>& a, const std::vector<ir::Dim>& b);
// A shape as an input: int32 or int64, an element for each dimension of the output, and those where it is constant.
Result<void> expect_shape_input(OperatorImport&, ir::ValueId);
// `x` as it is, where a run finds these `numbers` to be what the model states of them; where they are known already,
// `x` itself. Places that are `open` follow from other operands.
[[nodiscard]] ir::ValueId expect_at_run_time(OperatorImport&, ir::ValueId x, ir::ValueId numbers,
                                             std::vector<std::int64_t> stated, std::vector<std::int64_t> open = {});
// As expect_at_run_time(), for the shape that a RESHAPE of `x` is given, which may say -1 once.
[[nodiscard]] ir::ValueId expect_shape_at_run_time(OperatorImport&, ir::ValueId x, ir::ValueId shape,
                                                   std::vector<ir::Dim> stated);

// Expects a, b -> y of their broadcast shape; all of one of these element types.
Result<void> expect_binary(OperatorImport&, std::initializer_list<DType> allowed);
// Adds `domain`.`graph_op` for a, b -> y of their broadcast shape; all of one of these element types.
Result<ir::Node*> import_binary(OperatorImport&, const char* domain, const char* graph_op,
                                std::initializer_list<DType> allowed);
// As import_binary(), with a bool result.
Result<void> import_comparison(OperatorImport&, const char* domain, const char* graph_op,
                               std::initializer_list<DType> allowed);

}  // namespace byoc::tflite
