#include "sdk/model/ir/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "sdk/model/ir/verify.hpp"

namespace byoc::ir {
namespace {

using testing::HasSubstr;

Graph parsed(const std::string& text) {
  Diagnostics diags;
  auto g = parse(text, "t.byoc", diags);
  EXPECT_TRUE(g) << (diags.all().empty() ? "" : to_string(diags.all()[0]));
  return g ? std::move(*g) : Graph{};
}

std::string error_of(const std::string& text) {
  Diagnostics diags;
  EXPECT_FALSE(parse(text, "t.byoc", diags)) << text;
  EXPECT_EQ(diags.all().size(), 1u);
  return diags.all().empty() ? "" : to_string(diags.all()[0]);
}

template <class T>
std::vector<T> elements(const Blob& blob) {
  std::vector<T> out(blob.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), blob.data(), out.size() * sizeof(T));
  return out;
}

// Everything the form can say, as the printer prints it.
const char kEverything[] = R"(graph "k\"w\\s\n\x01" requant=tflite symbols=[N, "batch size"] {
  input %0 "input_1" : i8[1,49,10,1] q(0.584703, 83) #0
  input %7 : f32[N,3,"batch size"]
  const %1 "w" : i8[2,1,2,1] q(axis=0, [0.1, 2.5e-07], [0, 0]) #4 = [1, -2, 127, -128]
  state %3 "h" : i16[1,4] q(3.0517578e-05, 0) #9 -> %4 = [1, 0, 0, -1]
  %2 "a" : i8[1,48,9,2] q(0.07, -128), _ = Conv.13(%0, %1, _) {activation="relu", alpha=1.0, dilations=[], group=1, k=-9223372036854775808, scales=floats[], some=[0.5, inf], words=strings[], "x y"=["a", "b"]} @"node\n1" #3
  %4 : ? = byoc.FullyConnected.1(%2, %1)
  %5 : f16? = com.microsoft.QLinearAdd.1(%4) {t=tensor(f16[2] = hex"003c00c0")}
  () = "no domain"."an op".2(%5)
  %6 : undefined[] = If.16(%5) {then_branch=graph "inner" requant=onnx {
    input %0 : u8[]
    const %1 : bool[3] = [0, 1, 1]
    output %0
    output %1
  }}
  output %6
  output %6
  output %0
  counted 0 dim 1 by 2
  bounded input "input 1" string 0 2 sequence optional count 2 given 3
  bounded output y f32 0 1
}
)";

TEST(Text, printsWhatItParsed) {
  const std::string text = kEverything;
  const Graph g = parsed(text);
  EXPECT_EQ(print(g), text);
  EXPECT_EQ(g.name, "k\"w\\s\n\x01");
  EXPECT_EQ(g.file, "t.byoc");
  EXPECT_EQ(g.requant, Requant::tflite);
  ASSERT_EQ(g.values.size(), 8u);
  EXPECT_EQ(g.values[7].type.dims, (std::vector<Dim>{symbol_dim(0), 3, symbol_dim(1)}));
  EXPECT_EQ(g.values[1].type.quantisation->axis, 0);
  EXPECT_EQ(elements<std::int8_t>(g.values[1].constant->bytes), (std::vector<std::int8_t>{1, -2, 127, -128}));
  EXPECT_TRUE(g.values[3].is_state);
  EXPECT_EQ(g.values[3].source_index, 9);
  ASSERT_EQ(g.nodes.size(), 5u);
  const Node& conv = g.nodes[0];
  EXPECT_EQ(conv.describe(), "Conv 'node\n1' (#3)");
  EXPECT_EQ(conv.inputs, (std::vector<ValueId>{0, 1, kNoValue}));
  EXPECT_EQ(conv.outputs, (std::vector<ValueId>{2, kNoValue}));
  EXPECT_EQ(conv.integer("k", 0), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(conv.real("alpha", 0), 1.0f);
  EXPECT_TRUE(conv.find<std::vector<float>>("scales"));
  EXPECT_TRUE(conv.find<std::vector<std::int64_t>>("dilations"));
  EXPECT_TRUE(conv.find<std::vector<std::string>>("words"));
  EXPECT_TRUE(g.nodes[1].is("byoc", "FullyConnected"));
  EXPECT_TRUE(g.nodes[2].is("com.microsoft", "QLinearAdd"));
  EXPECT_TRUE(g.nodes[3].is("no domain", "an op"));
  EXPECT_FALSE(g.values[4].type.dims);
  EXPECT_EQ(g.outputs, (std::vector<ValueId>{6, 6, 0}));
}

TEST(Text, acceptsLabelsCommentsAndAnyWhiteSpace) {
  const Graph g = parsed(R"(// a comment
graph "g" { input %x : f32[N] // symbols may be left undeclared
  %y = Relu.13(%x) %9 "z":f32[ N ]=Neg.13( %y )
  output %9 })");
  ASSERT_EQ(g.values.size(), 3u);
  EXPECT_EQ(g.values[0].name, "x");
  EXPECT_EQ(g.values[1].name, "y");
  EXPECT_EQ(g.values[1].type, TensorType{});
  EXPECT_EQ(g.values[2].name, "z");
  EXPECT_EQ(g.symbols, std::vector<std::string>{"N"});
  EXPECT_EQ(g.requant, Requant::onnx);
  EXPECT_EQ(g.nodes[1].inputs, std::vector<ValueId>{1});
}

TEST(Text, keepsTheIdsThatItPrinted) {
  const std::string text =
      "graph \"g\" requant=onnx {\n  input %2 : f32[1]\n  %0 : f32[1] = Relu.13(%2)\n"
      "  %1 : f32[1] = Neg.13(%0)\n  output %1\n}\n";
  const Graph g = parsed(text);
  EXPECT_EQ(g.inputs, std::vector<ValueId>{2});
  EXPECT_EQ(g.nodes[0].outputs, std::vector<ValueId>{0});
  EXPECT_EQ(print(g), text);
}

TEST(Text, keepsEveryBitOfFloats) {
  const std::vector<float> values = {0.1f,
                                     -0.0f,
                                     std::numeric_limits<float>::denorm_min(),
                                     std::numeric_limits<float>::max(),
                                     -std::numeric_limits<float>::infinity(),
                                     std::numeric_limits<float>::quiet_NaN(),
                                     16777217.0f};
  std::vector<std::byte> bytes(values.size() * 4);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  bytes[5 * 4] = std::byte{0x55};  // a payload in the NaN
  Graph g;
  g.add_constant("c", {DType::f32, std::vector<Dim>{7}, std::nullopt}, Blob::own(bytes));
  const Graph back = parsed(print(g));
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), back.values[0].constant->bytes.data()));
  EXPECT_THAT(print(g), HasSubstr("[0.1, -0.0, 1e-45, 3.4028235e+38, -inf, nan(0x7fc00055), 16777216.0]"));
}

TEST(Text, readsEveryElementType) {
  const Graph g = parsed(R"(graph "g" {
    const %0 : u64[1] = [18446744073709551615]  const %1 : i64[1] = [-9223372036854775808]
    const %2 : u32[1] = [4294967295]            const %3 : i32[2] = splat(-7)
    const %4 : u16[1] = [65535]                 const %5 : i16[1] = [-32768]
    const %6 : u8[5] = splat(9)                 const %7 : bool[1] = [1]
    const %8 : f64[1] = [0.1]                   const %9 : i4[3] = hex"210f"
    const %10 : bf16[2] = zeros                 const %11 : f32[0] = []
    const %12 : i8[100] = zeros                 const %13 : f32[] = [2.5] })");
  EXPECT_EQ(elements<std::uint64_t>(g.values[0].constant->bytes)[0], std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(elements<std::int32_t>(g.values[3].constant->bytes), (std::vector<std::int32_t>{-7, -7}));
  EXPECT_EQ(elements<std::uint8_t>(g.values[6].constant->bytes), std::vector<std::uint8_t>(5, 9));
  EXPECT_EQ(elements<double>(g.values[8].constant->bytes)[0], 0.1);
  EXPECT_EQ(elements<std::uint8_t>(g.values[9].constant->bytes), (std::vector<std::uint8_t>{0x21, 0x0f}));
  EXPECT_EQ(g.values[12].constant->bytes.size(), 100u);
  Diagnostics diags;
  EXPECT_TRUE(verify(g, diags));
  EXPECT_EQ(print(parsed(print(g))), print(g));
  EXPECT_THAT(print(g), HasSubstr("i8[100] = zeros"));
}

TEST(Text, printsLargeConstantsAsHexOrHash) {
  std::string list = "[";
  for (int i = 0; i < 100; ++i) list += (i ? "," : "") + std::to_string(i);
  const Graph g = parsed("graph \"g\" { const %0 : u8[100] = " + list + "] }");
  EXPECT_THAT(print(g), HasSubstr("= hex\"000102030405060708090a0b"));
  EXPECT_EQ(print(parsed(print(g))), print(g));
  const std::string hashed = print(g, {.longest_constant = 99});
  EXPECT_THAT(hashed, HasSubstr("= hash(" + to_hex(g.values[0].constant->identity()) + ")"));
  EXPECT_THAT(error_of(hashed), HasSubstr("the data of this constant was not printed"));
}

struct Bad {
  const char* text;
  const char* message;
};

class BadText : public testing::TestWithParam<Bad> {};

TEST_P(BadText, isRefusedWithItsPosition) { EXPECT_THAT(error_of(GetParam().text), HasSubstr(GetParam().message)); }

INSTANTIATE_TEST_SUITE_P(
    Text, BadText,
    testing::Values(
        Bad{"", "'1:1': unexpected text (found the end of the text, expected graph)"},
        Bad{"graph g {}", "'1:7': unexpected text (found 'g', expected the name of the graph, in quotes)"},
        Bad{"graph \"g {}", "'1:7': a string does not end on its line"},
        Bad{"graph \"\\q\" {}", "'1:8': unknown escape in a string (expected \\\", \\\\, \\n or \\xNN)"},
        Bad{"graph \"g\" requant=mine {}", "'1:19': unexpected text (found 'mine', expected tflite or onnx)"},
        Bad{"graph \"g\" foo {}", "found 'foo', expected requant, symbols or '{'"},
        Bad{"graph \"g\" symbols=[N, N] {}", "'1:23': the symbol is listed twice (found N)"},
        Bad{"graph \"g\" {", "'1:12': unexpected text (found the end of the text, expected input, const"},
        Bad{"graph \"g\" {} x", "found 'x', expected the end of the text"},
        Bad{"graph \"g\" {\n  output %3\n}", "'2:10': nothing defines the value (found %3)"},
        Bad{"graph \"g\" { value %0 }", "expected ':' and the type of the value"},
        Bad{"graph \"g\" { value %1.5 : ? }", "not a value (found %1.5, expected '%' and a number or a word)"},
        Bad{"graph \"g\" { value %0 : ?\n value %0 : ? }", "'2:8': the value is declared twice (found %0)"},
        Bad{"graph \"g\" { value %0 : f31[2] }", "'1:24': unknown element type (found f31)"},
        Bad{"graph \"g\" { value %0 : f32[-2] }", "'1:28': negative dimension (found -2, expected 0 or more)"},
        Bad{"graph \"g\" { value %0 : f32[9223372036854775808] }", "not a dimension that fits into 64 bits"},
        Bad{"graph \"g\" { value %0 : f32[2,] }", "found ']', expected a dimension"},
        Bad{"graph \"g\" { value %0 : ? #-1 }", "negative index (found -1, expected 0 or more)"},
        Bad{"graph \"g\" { value %0 : i8[1] q(axis=9999999999, [], []) }", "not an axis (found 9999999999)"},
        Bad{"graph \"g\" { value %0 : i8[1] q(x, 0) }", "not a scale (found x)"},
        Bad{"graph \"g\" { value %0 : i8[1] q(1, 0.5) }", "not a zero point (found 0.5)"},
        Bad{"graph \"g\" { const %0 : f32[N] = [1] }", "a constant needs a known type (found f32[N])"},
        Bad{"graph \"g\" { const %0 : i8[2] = [1] }", "does not have the elements of its type (found 1, expected 2)"},
        Bad{"graph \"g\" { const %0 : i8[2] = [1,2,3] }", "(found 3, expected 2)"},
        Bad{"graph \"g\" { const %0 : i8[1] = [128] }", "not an element of type i8 (found 128)"},
        Bad{"graph \"g\" { const %0 : f32[1] = [1e99] }", "not an element of type f32 (found 1e99)"},
        Bad{"graph \"g\" { const %0 : f32[1] = [nan(0x1)] }", "not an element of type f32 (found nan(0x1))"},
        Bad{"graph \"g\" { const %0 : i8[2] = splat(1, 1) }", "(found 2, expected 1)"},
        Bad{"graph \"g\" { const %0 : f16[1] = [1] }",
            "constants of this type are written as zeros or hex (found f16)"},
        Bad{"graph \"g\" { const %0 : i8[2] = hex\"00\" }", "(found 1 bytes, expected 2 bytes)"},
        Bad{"graph \"g\" { const %0 : i8[2] = hex\"000000\" }", "larger than its type (expected 2 bytes)"},
        Bad{"graph \"g\" { const %0 : i8[2] = hex\"0g00\" }", "not two hexadecimal digits (found 0g)"},
        Bad{"graph \"g\" { const %0 : i8[2] = 7 }", "expected the elements of a constant"},
        Bad{"graph \"g\" { const %0 : i8[2] = zeros const %0 = zeros }", "the constant is given twice (found %0)"},
        Bad{"graph \"g\" { const %0 : i8[1073741825] = zeros }",
            "constants are too large (found i8[1073741825], "
            "expected at most 1073741824 bytes in all)"},
        Bad{"graph \"g\" { const %0 : i8[1073741824] = zeros const %1 : i8[1] = zeros }", "constants are too large"},
        Bad{"graph \"g\" { const %0 : f32[4294967296,4294967296,0] = zeros }", "constants are too large"},
        Bad{"graph \"g\" { %0 = (%0) }", "found '(', expected an operator"},
        Bad{"graph \"g\" { %0 = Relu(%0) }", "found '(', expected '.'"},
        Bad{"graph \"g\" { %0 = Relu.x1() }", "found '(', expected '.'"},
        Bad{"graph \"g\" { %0 = Relu.1x() }", "not an operator version (found 1x)"},
        Bad{"graph \"g\" { %0 = Relu.1() {a=1, a=2} }", "'1:33': the attribute is given twice (found a)"},
        Bad{"graph \"g\" { %0 = Relu.1() {a=9223372036854775808} }", "not the value of an attribute"},
        Bad{"graph \"g\" { %0 = Relu.1() {a=[1, zwei]} }", "not the value of an attribute (found zwei)"},
        Bad{"graph \"g\" { %0 = Relu.1() @x }", "found 'x', expected the name of the node"},
        Bad{"graph \"g\" { \x01 }", "found byte 1"}));

TEST(Text, refusesCountsThatAreNone) {
  const auto counted = [](const std::string& text) { return error_of("graph \"t\" { counted " + text + " }"); };
  EXPECT_THAT(counted("%x"), HasSubstr("expected a number"));
  EXPECT_THAT(counted("0 of 1"), HasSubstr("expected dim"));
  EXPECT_THAT(counted("0 dim 1 2"), HasSubstr("expected by"));
}

TEST(Text, refusesBoundsThatAreNone) {
  const auto bounded = [](const std::string& text) { return error_of("graph \"t\" { bounded " + text + " }"); };
  EXPECT_THAT(bounded("x"), HasSubstr("expected input or output"));
  EXPECT_THAT(bounded("input 3"), HasSubstr("the name of an input or output"));
  EXPECT_THAT(bounded("input x real 0 1"), HasSubstr("not an element type (found real, expected f32, string ...)"));
  EXPECT_THAT(bounded("input x f32 0"), HasSubstr("expected a number"));
  EXPECT_THAT(bounded("input x f32 0 1 count y"), HasSubstr("not an index (found y)"));
}

TEST(Text, refusesDeepNesting) {
  std::string text = "graph \"g\" {";
  for (int i = 0; i < 100000; ++i) text += " () = If.1() {a=graph \"g\" {";
  EXPECT_THAT(error_of(text), HasSubstr("graphs are nested too deeply (expected at most 16 deep)"));
}

TEST(Text, partsOfAnOperatorOfTheModel) {
  const std::string text =
      "graph \"g\" requant=onnx {\n  input %0 : f32[2]\n"
      "  %1 : f32[2] = Relu.13(%0) @\"n\" #0 of \"com.microsoft.Whole\"\n"
      "  %2 : f32[2] = byoc.Whole.1(%1) #1 of \"com.microsoft.Whole\"\n  output %2\n}\n";
  const Graph g = parsed(text);
  EXPECT_EQ(print(g), text);
  EXPECT_EQ(g.nodes[0].describe(), "com.microsoft.Whole 'n' (#0, its Relu)");
  EXPECT_EQ(g.nodes[1].describe(), "com.microsoft.Whole (#1)");
  Diagnostics diags;
  EXPECT_FALSE(parse("graph \"g\" requant=onnx { input %0 : f32[2] %1 : f32[2] = Relu.13(%0) #0 of Whole output %1 }",
                     "t.byoc", diags));
  EXPECT_THAT(to_string(diags.all()[0]), HasSubstr("expected an operator of the model"));
}

TEST(Text, survivesEveryPrefix) {
  const std::string text = kEverything;
  for (std::size_t n = 0; n + 2 < text.size(); ++n) {
    Diagnostics diags;
    EXPECT_FALSE(parse(std::string_view(text).substr(0, n), "t.byoc", diags));
    EXPECT_TRUE(diags.has_errors());
  }
}

}  // namespace
}  // namespace byoc::ir
