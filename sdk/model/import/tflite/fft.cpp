#include "sdk/model/import/tflite/fft.hpp"

namespace byoc::tflite {

Result<std::int64_t> fft_length(OperatorImport& op) {
  constexpr std::int64_t kLongest = 65536;
  const auto length = op.option("fft_length", 2, kLongest);
  if (!length) return failure;
  if (*length % 2 != 0) return op.refuse("option 'fft_length' is odd", std::to_string(*length), "an even number");
  const ir::ValueId x = op.input(0);
  if (!op.expect_dtype(x, {DType::i16, DType::i32, DType::f32}) || !op.expect_option_type(x) ||
      !op.expect_dtype(op.output(), {op.type(x).dtype}))
    return failure;
  if (op.rank(x) == 0) return op.refuse("unsupported shape of " + op.describe(x), "a scalar", "1 dimension or more");
  return *length;
}

}  // namespace byoc::tflite
