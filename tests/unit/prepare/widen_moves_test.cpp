#include "sdk/model/evaluate/evaluate.hpp"
#include "tests/unit/prepare/preparing.hpp"

namespace byoc::test {
namespace {

// "Cast Transpose Cast"
std::string operators_of(const std::string& statements) {
  ir::Graph g = graph_of(statements);
  Diagnostics diags;
  EXPECT_TRUE(prepare(g, {}, diags)) << all_errors(diags);
  std::string out;
  for (const ir::Node& n : g.nodes) out += (out.empty() ? "" : " ") + n.op;
  return out;
}

TEST(WidenMoves, elementsOfFewBitsMoveAsBytes) {
  const std::string move = "%y = Transpose.23(%x) {perm=[1, 0]} output %y";
  EXPECT_EQ(operators_of("input %x : i4[2,3] " + move), "Cast Transpose Cast");
  EXPECT_EQ(operators_of("input %x : u2[2,3] " + move), "Cast Transpose Cast");
  EXPECT_EQ(operators_of("input %x : f4e2m1[2,3] " + move), "BitCast Cast Transpose Cast BitCast");
  EXPECT_EQ(operators_of("input %x : f8e5m2[2,3] " + move), "BitCast Transpose BitCast");
  EXPECT_THAT(prepared("input %x : i4[2,3] " + move), HasSubstr("i8[3,2] = Transpose"));
  EXPECT_EQ(operators_of("input %x : i8[2,3] " + move), "Transpose");
}

TEST(WidenMoves, whatStaysInOrderStays) {
  EXPECT_EQ(operators_of("input %x : i4[2,3] const %s : i64[1] = [6] %y = Reshape.21(%x, %s) output %y"), "Reshape");
  EXPECT_EQ(operators_of("input %x : f8e4m3fn[2,3] %y = Flatten.21(%x) {axis=0} output %y"), "Flatten");
}

TEST(WidenMoves, constantsAreMovedPacked) {
  EXPECT_THAT(prepared("const %x : i4[2,3] = hex\"214365\" %y = Transpose.23(%x) {perm=[1, 0]} output %y"),
              HasSubstr("i4[3,2] = hex\"415263\""));
  EXPECT_THAT(prepared("const %x : f4e2m1[3] = hex\"2103\" const %p : i64[2] = [1, 1] %y = Pad.23(%x, %p) output %y"),
              HasSubstr("f4e2m1[5] = hex\"103200\""));
  EXPECT_THAT(prepared("const %x : u2[2] = hex\"09\" const %z : u2[1] = hex\"03\" "
                       "%y = Concat.13(%x, %z, %x) {axis=0} output %y"),
              HasSubstr("u2[5] = hex\"7902\""));
  EXPECT_THAT(prepared("const %x : f8e8m0[3] = hex\"010203\" const %i : i64[2] = [2, 0] "
                       "%y = Gather.13(%x, %i) output %y"),
              HasSubstr("f8e8m0[2] = hex\"0301\""));
}

TEST(WidenMoves, slicesOfPartsOfBytesAreRefused) {
  EXPECT_THAT(prepare_error("input %x : i4[3,2] %y = Scan.16(%x) {captures=0, num_scan_inputs=1, body=graph \"b\" "
                            "requant=onnx { input %a : i4[2] %b = Identity.1(%a) output %b }} output %y"),
              HasSubstr("slices of elements of fewer than 8 bits are not supported (found i4, expected a Cast around "
                        "the loop)"));
}

}  // namespace
}  // namespace byoc::test
