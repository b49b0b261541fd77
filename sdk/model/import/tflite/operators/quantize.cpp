#include <algorithm>
#include <iterator>
#include <utility>

#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {
namespace {

constexpr std::pair<DType, DType> kPairs[] = {
    {DType::f32, DType::i8},  {DType::f32, DType::u8},  {DType::f32, DType::i16}, {DType::i8, DType::i8},
    {DType::i8, DType::u8},   {DType::i8, DType::i16},  {DType::i8, DType::i32},  {DType::u8, DType::i8},
    {DType::i16, DType::i8},  {DType::i16, DType::i16}, {DType::i16, DType::i32}, {DType::i32, DType::i8},
    {DType::i32, DType::i16},
};

}  // namespace

// Converts float32 to integers, or one quantisation to another, each with one scale.
Result<void> import_quantize(OperatorImport& op) {
  auto options = op.optional_options<schema::QuantizeOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  const DType from = op.type(x).dtype, to = op.type(y).dtype;
  if (std::find(std::begin(kPairs), std::end(kPairs), std::pair(from, to)) == std::end(kPairs))
    return op.refuse("unsupported element types of " + op.describe(x) + " and " + op.describe(y),
                     std::string(to_string(from)) + " to " + std::string(to_string(to)),
                     "f32, i8, i16 or i32 to i8 or i16; i8 or i16 to i32; f32 or i8 to u8; u8 to i8");
  if (from != DType::f32 && !op.expect_quantised(x, {from})) return failure;
  if (!op.expect_quantised(y, {to}) || !op.expect_dims(y, op.dims(x))) return failure;
  op.byoc_node("Quantize", {x});
  return {};
}

}  // namespace byoc::tflite
