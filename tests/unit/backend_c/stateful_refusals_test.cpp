// What of SVDF and UnidirectionalSequenceLstm the backend refuses, in words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/c/backend.hpp"
#include "sdk/codegen/codegen/region.hpp"
#include "sdk/model/ir/text.hpp"
#include "tests/support/generated_program.hpp"

namespace byoc::test {
namespace {

using ::testing::HasSubstr;

// The verdict on the only node of a graph: "claimed", or why not.
std::string verdict(const std::string& statements, const std::string& mode = "tflite") {
  Diagnostics diags;
  const auto graph = ir::parse("graph \"t\" requant=" + mode + " {\n" + statements + "\n}", "t.byoc", diags);
  EXPECT_TRUE(graph) << (diags.all().empty() ? "" : to_string(diags.all()[0]));
  if (!graph) return "";
  const plugin::BoundRegion bound = plugin::make_region(*graph);
  const codegen::Verdict v = c::create_backend()->verdicts(bound.region, host_machine().target)[0];
  return v.claimed ? "claimed" : v.text;
}

struct Svdf {
  std::string x = "i8[1,2] q(0.5, 1)", feature = "i8[2,2] q(0.5, 0)", time = "i16[2,3] q(0.5, 0)";
  std::string state = "i16[1,6] q(0.5, 0)", bias = "i32[2]", y = "i8[1,2] q(0.5, 0)", attributes = "rank=1";
  std::string outputs = "%y, %n";

  [[nodiscard]] std::string text() const {
    return "input %x : " + x + " input %f : " + feature + " input %t : " + time + " state %s : " + state +
           " -> %n input %b : " + bias + " value %y : " + y + " value %n : " + state + " " + outputs +
           " = byoc.SVDF.1(%x, %f, %t, %s, %b) {" + attributes + "} output %y";
  }
};

template <class F>
std::string svdf(F&& change, const std::string& mode = "tflite") {
  Svdf s;
  change(s);
  return verdict(s.text(), mode);
}

void make_float_svdf(Svdf& s) {
  s.x = s.y = "f32[1,2]", s.feature = "f32[2,2]", s.time = "f32[2,3]", s.state = "f32[1,6]", s.bias = "f32[2]";
}

TEST(StatefulRefusals, svdf) {
  EXPECT_EQ(svdf([](auto&) {}), "claimed");
  EXPECT_EQ(svdf(make_float_svdf), "claimed");
  EXPECT_THAT(svdf([](auto&) {}, "onnx"), HasSubstr("found a quantised model of ONNX"));
  EXPECT_THAT(svdf([](Svdf& s) { s.x = "u8[1,2] q(0.5, 1)"; }), HasSubstr("input: found u8"));
  EXPECT_THAT(svdf([](Svdf& s) { s.feature = "i16[2,2] q(0.5, 0)"; }), HasSubstr("feature weights: found i16"));
  EXPECT_THAT(svdf([](Svdf& s) { s.time = "i8[2,3] q(0.5, 0)"; }), HasSubstr("expected the state's type"));
  EXPECT_THAT(svdf([](Svdf& s) { s.state = s.time = "u8[1,6] q(0.5, 0)"; }),
              HasSubstr("expected a state of i8 or i16"));
  EXPECT_THAT(svdf([](Svdf& s) { s.bias = "f32[2]"; }), HasSubstr("found f32, expected i32"));
  EXPECT_THAT(svdf([](Svdf& s) { s.y = "i8[1,2] q(1e-15, 0)"; }), HasSubstr("found a factor of 2^30 or more"));
  EXPECT_THAT(svdf([](Svdf& s) { make_float_svdf(s), s.attributes = "rank=1, activation=\"gelu\""; }),
              HasSubstr("found activation gelu"));
  EXPECT_THAT(svdf([](Svdf& s) { make_float_svdf(s), s.time = "f16[2,3]"; }), HasSubstr("found f16, expected f32"));
}

struct Lstm {
  std::string x = "i8[1,2,3] q(0.5, 1)", weights = "i8[3,3] q(0.5, 0)", bias = "i32[3]";
  std::string hidden = "i8[1,3] q(0.0078125, 3)", cell = "i16[1,3] q(0.00048828125, 0)";
  std::string y = "i8[1,2,3] q(0.0078125, 3)";

  [[nodiscard]] std::string text() const {
    std::string out = "input %x : " + x + " ", operands = "%x";
    for (int i = 1; i <= 12; ++i) {
      const std::string id = "%i" + std::to_string(i);
      out += "input " + id + " : " + (i < 9 ? weights : bias) + " ";
      operands += ", " + id;
    }
    return out + "state %h : " + hidden + " -> %nh state %c : " + cell + " -> %nc value %y : " + y +
           " value %nh : " + hidden + " value %nc : " + cell + " %y, %nh, %nc = byoc.UnidirectionalSequenceLstm.1(" +
           operands + ", %h, %c) {cell_clip=0.0} output %y";
  }
};

template <class F>
std::string lstm(F&& change, const std::string& mode = "tflite") {
  Lstm l;
  change(l);
  return verdict(l.text(), mode);
}

TEST(StatefulRefusals, unidirectionalSequenceLstm) {
  EXPECT_EQ(lstm([](auto&) {}), "claimed");
  EXPECT_THAT(lstm([](auto&) {}, "onnx"), HasSubstr("found a quantised model of ONNX"));
  EXPECT_THAT(lstm([](Lstm& l) { l.x = "u8[1,2,3] q(0.5, 1)"; }), HasSubstr("found u8, expected f32, or quantised"));
  EXPECT_THAT(lstm([](Lstm& l) { l.hidden = "i16[1,3] q(0.5, 0)"; }), HasSubstr("found i16, expected i8"));
  EXPECT_THAT(lstm([](Lstm& l) { l.y = "i16[1,2,3] q(0.5, 0)"; }), HasSubstr("found i16, expected i8"));
  EXPECT_THAT(lstm([](Lstm& l) { l.cell = "i8[1,3] q(0.5, 0)"; }), HasSubstr("expected a cell of i16"));
  EXPECT_THAT(lstm([](Lstm& l) { l.cell = "i16[1,3] q(0.0006, 0)"; }), HasSubstr("expected a power of two"));
  EXPECT_THAT(lstm([](Lstm& l) { l.weights = "i16[3,3] q(0.5, 0)"; }), HasSubstr("weights: found i16"));
  EXPECT_THAT(lstm([](Lstm& l) { l.bias = "i64[3]"; }), HasSubstr("found i64, expected i32"));
  EXPECT_THAT(lstm([](Lstm& l) { l.hidden = "i8[1,3] q(1e-20, 3)"; }), HasSubstr("a factor between scales"));
  EXPECT_THAT(lstm([](Lstm& l) { l.x = "f32[1,2,3]"; }), HasSubstr("found i8, expected f32, or quantised"));
}

}  // namespace
}  // namespace byoc::test
