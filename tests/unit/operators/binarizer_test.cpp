// ai.onnx.ml.Binarizer through all layers: 1 where an element is larger than the threshold, 0 elsewhere, NaN included.
#include <gmock/gmock.h>

#include "tests/support/text_bench.hpp"
#include "tests/unit/import_onnx/model_file.hpp"

namespace byoc::test {
namespace {

using test::TextBench;
using ::testing::HasSubstr;

TEST(Binarizer, isImported) {
  ModelFile m;
  m.import_opset("ai.onnx.ml", 3);
  m.input("x", {2, 3});
  ModelFile::set_float(m.node("Binarizer", {"x"}, {"y"}), "threshold", 0.5F);
  m.graph().mutable_node(0)->set_domain("ai.onnx.ml");
  m.output("y");
  EXPECT_THAT(m.text(), HasSubstr("= ai.onnx.ml.Binarizer.3(%0) {threshold=0.5}"));
  ModelFile::set_float(*m.graph().mutable_node(0), "limit", 1);
  EXPECT_THAT(m.text(), HasSubstr("attribute 'limit'"));
}

TEST(Binarizer, comparesWithTheThreshold) {
  Diagnostics diags;
  const auto graph = ir::parse(
      "graph \"t\" requant=onnx {\n input %x : f32[5]\n input %i : i32[3]\n"
      "%y : f32[5] = ai.onnx.ml.Binarizer.1(%x) {threshold=0.5}\n %z : i32[3] = ai.onnx.ml.Binarizer.1(%i)\n"
      "output %y\n output %z\n}",
      "t.byoc", diags);
  ASSERT_TRUE(graph);
  const std::vector<float> x = {0.5F, 0.75F, -3, NAN, INFINITY};
  const std::vector<std::int32_t> i = {-1, 0, 7};
  const auto bytes = [](const auto& v) {
    const auto b = std::as_bytes(std::span(v));
    return Blob::own({b.begin(), b.end()});
  };
  const std::vector<evaluate::Tensor> inputs = {{graph->values[graph->inputs[0]].type, bytes(x)},
                                                {graph->values[graph->inputs[1]].type, bytes(i)}};
  const auto outputs = evaluate::run(*graph, inputs, diags);
  ASSERT_TRUE(outputs);
  EXPECT_TRUE(std::ranges::equal((*outputs)[0].bytes.bytes(), bytes(std::vector<float>{0, 1, 0, 0, 1}).bytes()));
  EXPECT_TRUE(std::ranges::equal((*outputs)[1].bytes.bytes(), bytes(std::vector<std::int32_t>{0, 0, 1}).bytes()));
}

TEST(Binarizer, isCompiledForEveryNumber) {
  const std::string node = "%y : T[3,5] = ai.onnx.ml.Binarizer.1(%x) {threshold=0.25} output %y";
  for (const char* type : {"f32", "f64", "f16", "i8", "u16", "i32", "u64"})
    EXPECT_EQ(TextBench("input %x : T[3,5] " + node, type).check(test::host_machine()), "") << type;
  EXPECT_THAT(TextBench("input %x : T[3,5] " + node, "bool").refusal(), HasSubstr("bool"));
}

}  // namespace
}  // namespace byoc::test
