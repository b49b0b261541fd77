#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/padding.hpp"

namespace byoc::tflite {

// Input 1: [rank, 2], before and after. REFLECT does not repeat the edge, SYMMETRIC does.
Result<void> import_mirror_pad(OperatorImport& op) {
  auto options = op.options<schema::MirrorPadOptions>();
  if (!options) return failure;
  const schema::MirrorPadMode mode = (*options)->mode();
  if (mode != schema::MirrorPadMode::REFLECT && mode != schema::MirrorPadMode::SYMMETRIC)
    return op.refuse("unknown mode", std::to_string(static_cast<int>(mode)), "REFLECT or SYMMETRIC");
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_moved(x, y)) return failure;
  auto paddings = read_paddings(op, {DType::i32, DType::i64});
  if (!paddings || !op.expect_dims(y, paddings->dims)) return failure;
  const bool reflects = mode == schema::MirrorPadMode::REFLECT;
  for (std::size_t i = 0; i < op.rank(x); ++i) {
    const std::int64_t longest = std::max<std::int64_t>(op.dims(x)[i] - (reflects ? 1 : 0), 0);
    for (const std::int64_t p : {paddings->before[i], paddings->after[i]})
      if (p > longest)
        return op.refuse("a mirrored padding is longer than its dimension", std::to_string(p),
                         "at most " + std::to_string(longest));
  }
  pad(op, x, y, *paddings, reflects ? "reflect" : "symmetric", ir::kNoValue);
  return {};
}

}  // namespace byoc::tflite
