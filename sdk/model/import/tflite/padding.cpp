#include "sdk/model/import/tflite/padding.hpp"

namespace byoc::tflite {

Result<Paddings> read_paddings(OperatorImport& op, std::initializer_list<DType> allowed) {
  const ir::ValueId x = op.input(0);
  const auto rank = static_cast<ir::Dim>(op.rank(x));
  if (!op.expect_dtype(op.input(1), allowed) || !op.expect_dims(op.input(1), {rank, 2})) return failure;
  auto given = op.integers(op.input(1), "the paddings");
  if (!given) return failure;
  Paddings out;
  for (std::size_t i = 0; i < op.rank(x); ++i) {
    const std::int64_t before = (*given)[2 * i], after = (*given)[2 * i + 1];
    if (before < 0 || after < 0)
      return op.refuse("negative padding", std::to_string(before < 0 ? before : after), "0 or more");
    ir::Dim sum = 0;
    if (__builtin_add_overflow(op.dims(x)[i], before, &sum) || __builtin_add_overflow(sum, after, &sum))
      return op.refuse("the paddings are too large", std::to_string(before) + " and " + std::to_string(after));
    out.before.push_back(before);
    out.after.push_back(after);
    out.dims.push_back(sum);
  }
  return out;
}

ir::Node& pad(OperatorImport& op, ir::ValueId x, ir::ValueId to, const Paddings& p, const std::string& mode,
              ir::ValueId value) {
  std::vector<std::int64_t> pads = p.before;
  pads.insert(pads.end(), p.after.begin(), p.after.end());
  const ir::ValueId around = op.add_integers(pads);
  ir::Node& node = op.node("Pad", {x, around, value}, {to});
  node.attributes["mode"] = mode;
  return node;
}

}  // namespace byoc::tflite
