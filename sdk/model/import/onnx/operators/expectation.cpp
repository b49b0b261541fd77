#include "sdk/model/import/onnx/operators/expectation.hpp"

#include "sdk/model/ir/onnx_types.hpp"

namespace byoc::onnx_import {

Composition::Value expected(Normaliser& e, const ir::Node& like, Composition::Value x, Composition::Value holds,
                            const std::string& message) {
  Composition c(e, like);
  const auto flat = c.op("Reshape", {c.cast(holds, DType::i64), c.integers({-1})});
  ir::Node expect;
  expect.domain = "byoc";
  expect.op = "Expect";
  expect.version = 1;
  expect.name = like.name;
  expect.position = like.position;
  expect.inputs = {x, c.op("ReduceMin", {flat}, {{"keepdims", std::int64_t{1}}})};
  expect.outputs = {e.temporary()};
  expect.attributes["expected"] = std::vector<std::int64_t>{1};
  expect.attributes["what"] = message;
  const ir::ValueId out = expect.outputs[0];
  e.emit(std::move(expect));
  return out;
}

Composition::Value not_negative(Normaliser& e, const ir::Node& like, Composition::Value x, const std::string& name) {
  Composition c(e, like);
  const auto zero = c.op("CastLike", {c.integer(0), x});
  return expected(e, like, x, c.op("GreaterOrEqual", {x, zero}), name + " must not be negative");
}

}  // namespace byoc::onnx_import
