// Operator versions of opsets 18 to 21, which the official cases at hand do not have.
#include "tests/conformance/one_operator.hpp"

namespace byoc::test {
namespace {

using ::testing::HasSubstr;

TEST(NewerOpsets, Pad18HasAxes) {
  Case c(18);
  c.in("x", {2, 2}, {1, 2, 3, 4}).axes("pads", {1, 2}).constant("value", {}, {9}).axes("axes", {-1});
  c.op("Pad", {"x", "pads", "value", "axes"});
  c.gives({2, 5}, {9, 1, 2, 9, 9, 9, 3, 4, 9, 9}).check();
}

TEST(NewerOpsets, Pad18OfSomeAxesReflects) {
  Case c(18);
  c.in("x", {2, 3}, {1, 2, 3, 4, 5, 6}).axes("pads", {2, 0}).axes("axes", {1});
  set_text(c.op("Pad", {"x", "pads", "", "axes"}), "mode", "reflect");
  c.gives({2, 5}, {3, 2, 1, 2, 3, 6, 5, 4, 5, 6}).check();
}

TEST(NewerOpsets, Pad19Wraps) {
  Case c(19);
  c.in("x", {3}, {1, 2, 3}).axes("pads", {2, 1});
  set_text(c.op("Pad", {"x", "pads"}), "mode", "wrap");
  c.gives({6}, {2, 3, 1, 2, 3, 1}).check();
}

TEST(NewerOpsets, Split18CountsItsOutputs) {
  Case c(18);
  c.in("x", {5}, {1, 2, 3, 4, 5});
  ModelFile::set_int(c.op("Split", {"x"}, 3), "num_outputs", 3);
  c.gives({2}, {1, 2}).gives({2}, {3, 4}).gives({1}, {5}).check();
}

TEST(NewerOpsets, Resize18HasAxes) {
  Case c(18);
  c.in("x", {1, 1, 2, 2}, {1, 2, 3, 4}).axes("sizes", {4, 4});
  auto& n = c.op("Resize", {"x", "", "", "sizes"});
  ModelFile::set_ints(n, "axes", {2, 3});
  c.gives({1, 1, 4, 4}, {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4}).check();
}

TEST(NewerOpsets, Resize18KeepsTheAspectRatio) {
  Case c(18);
  c.in("x", {1, 1, 1, 2}, {1, 2}).axes("sizes", {5, 4});
  auto& n = c.op("Resize", {"x", "", "", "sizes"});
  ModelFile::set_ints(n, "axes", {2, 3});
  set_text(n, "keep_aspect_ratio_policy", "not_larger");
  c.gives({1, 1, 2, 4}, {1, 1, 2, 2, 1, 1, 2, 2}).check();
}

TEST(NewerOpsets, Resize18Antialiases) {
  Case c(18);
  // Halved with a triangle over four samples: weights 1, 3, 3, 1 of 8; what is outside is the sample at the edge.
  c.in("x", {4}, {0, 8, 16, 24}).axes("sizes", {2});
  auto& n = c.op("Resize", {"x", "", "", "sizes"});
  set_text(n, "mode", "linear");
  ModelFile::set_int(n, "antialias", 1);
  c.gives({2}, {5, 19}).check();
}

TEST(NewerOpsets, Reductions18TakeAxesAsAnOperand) {
  struct Reduction {
    const char* op;
    Numbers expected;
  };
  for (const Reduction& r :
       {Reduction{"ReduceMax", {2, 4}}, Reduction{"ReduceMin", {1, 3}}, Reduction{"ReduceMean", {1.5, 3.5}},
        Reduction{"ReduceProd", {2, 12}}, Reduction{"ReduceL1", {3, 7}}, Reduction{"ReduceL2", {std::sqrt(5.0), 5}},
        Reduction{"ReduceSumSquare", {5, 25}}, Reduction{"ReduceLogSum", {std::log(3.0), std::log(7.0)}},
        Reduction{"ReduceLogSumExp", {2.3132616875, 4.3132616875}}}) {
    SCOPED_TRACE(r.op);
    Case c(18);
    c.in("x", {2, 2}, {1, 2, 3, 4}).axes("axes", {-1});
    ModelFile::set_int(c.op(r.op, {"x", "axes"}), "keepdims", 0);
    c.gives({2}, r.expected).check();
  }
}

TEST(NewerOpsets, Reductions18OverNoAxesMayDoNothing) {
  Case c(18);
  c.in("x", {2}, {-1, 2}).axes("axes", {});
  ModelFile::set_int(c.op("ReduceMax", {"x", "axes"}), "noop_with_empty_axes", 1);
  c.gives({2}, {-1, 2}).check();
}

TEST(NewerOpsets, ReduceMax20TakesBool) {
  Case c(20);
  c.in("x", {2, 2}, {0, 1, 0, 0}, TensorProto::BOOL).axes("axes", {1});
  ModelFile::set_int(c.op("ReduceMax", {"x", "axes"}), "keepdims", 0);
  c.gives({2}, {1, 0}, TensorProto::BOOL).check();
}

TEST(NewerOpsets, ReduceMin20TakesBool) {
  Case c(20);
  c.in("x", {2, 2}, {0, 1, 1, 1}, TensorProto::BOOL).axes("axes", {1});
  ModelFile::set_int(c.op("ReduceMin", {"x", "axes"}), "keepdims", 0);
  c.gives({2}, {0, 1}, TensorProto::BOOL).check();
}

TEST(NewerOpsets, AveragePool19HasDilations) {
  Case c(19);
  c.in("x", {1, 1, 5}, {1, 2, 3, 4, 6});
  auto& n = c.op("AveragePool", {"x"});
  ModelFile::set_ints(n, "kernel_shape", {2});
  ModelFile::set_ints(n, "dilations", {2});
  c.gives({1, 1, 3}, {2, 3, 4.5}).check();
}

TEST(NewerOpsets, LpPool18HasDilations) {
  Case c(18);
  c.in("x", {1, 1, 4}, {3, 0, 4, 5});
  auto& n = c.op("LpPool", {"x"});
  ModelFile::set_ints(n, "kernel_shape", {2});
  ModelFile::set_ints(n, "dilations", {2});
  c.gives({1, 1, 2}, {5, 5}).check();
}

TEST(NewerOpsets, GridSample20CallsItLinear) {
  Case c(20);
  c.in("x", {1, 1, 2, 2}, {1, 2, 3, 4}).in("grid", {1, 1, 3, 2}, {-1, -1, 1, 1, 0, 0});
  auto& n = c.op("GridSample", {"x", "grid"});
  set_text(n, "mode", "linear");
  ModelFile::set_int(n, "align_corners", 1);
  c.gives({1, 1, 1, 3}, {1, 4, 2.5}).check();
}

TEST(NewerOpsets, DFT20TakesTheAxisAsAnOperand) {
  Case c(20);
  c.in("x", {1, 4, 1}, {1, 2, 3, 4}).constant("axis", {}, {1}, TensorProto::INT64);
  c.op("DFT", {"x", "", "axis"});
  c.gives({1, 4, 2}, {10, 0, -2, 2, -2, 0, -2, -2}).check();
}

TEST(NewerOpsets, Cast19) {
  Case c(19);
  c.in("x", {4}, {-1.5, 2.5, 100, 3.99});
  ModelFile::set_int(c.op("Cast", {"x"}), "to", TensorProto::INT8);
  c.gives({4}, {-1, 2, 100, 3}, TensorProto::INT8).check();
}

TEST(NewerOpsets, CastLike19) {
  Case c(19);
  c.in("x", {2}, {1.75, -3}).constant("like", {1}, {0}, TensorProto::INT32);
  c.op("CastLike", {"x", "like"});
  c.gives({2}, {1, -3}, TensorProto::INT32).check();
}

TEST(NewerOpsets, QuantizeLinear21NamesItsType) {
  Case c(21);
  c.in("x", {4}, {-1, 0.25, 0.75, 40000}).constant("scale", {}, {0.5});
  ModelFile::set_int(c.op("QuantizeLinear", {"x", "scale"}), "output_dtype", TensorProto::UINT16);
  c.gives({4}, {0, 0, 2, 65535}, TensorProto::UINT16).check();
}

TEST(NewerOpsets, DequantizeLinear21TakesInt16) {
  Case c(21);
  c.in("x", {3}, {-300, 0, 300}, TensorProto::INT16)
      .constant("scale", {}, {0.5})
      .constant("zero", {}, {100}, TensorProto::INT16);
  c.op("DequantizeLinear", {"x", "scale", "zero"});
  c.gives({3}, {-200, -50, 100}).check();
}

TEST(NewerOpsets, DequantizeLinear21InBlocks) {
  Case c(21);
  c.in("x", {4}, {1, 2, 3, 4}, TensorProto::INT8).constant("scale", {2}, {0.5, 2});
  auto& n = c.op("DequantizeLinear", {"x", "scale"});
  ModelFile::set_int(n, "block_size", 2);
  ModelFile::set_int(n, "axis", 0);
  c.gives({4}, {0.5, 1, 6, 8}).check();
}

TEST(NewerOpsets, Gelu20) {
  Case c(20);
  c.in("x", {3}, {-1, 0, 1});
  c.op("Gelu", {"x"});
  c.gives({3}, {-0.158655254, 0, 0.841344746}).check();
}

TEST(NewerOpsets, Gelu20ByTanh) {
  Case c(20);
  c.in("x", {3}, {-1, 0, 1});
  set_text(c.op("Gelu", {"x"}), "approximate", "tanh");
  c.gives({3}, {-0.158808009, 0, 0.841191991}).check();
}

TEST(NewerOpsets, Mish18) {
  Case c(18);
  c.in("x", {3}, {-1, 0, 1});
  c.op("Mish", {"x"});
  c.gives({3}, {-0.303401461, 0, 0.865098388}).check();
}

TEST(NewerOpsets, Bitwise18) {
  struct Bitwise {
    const char* op;
    Numbers expected;
  };
  for (const Bitwise& b :
       {Bitwise{"BitwiseAnd", {8, 0}}, Bitwise{"BitwiseOr", {14, 255}}, Bitwise{"BitwiseXor", {6, 255}}}) {
    SCOPED_TRACE(b.op);
    Case c(18);
    c.in("a", {2}, {12, 240}, TensorProto::UINT8).in("b", {2}, {10, 15}, TensorProto::UINT8);
    c.op(b.op, {"a", "b"});
    c.gives({2}, b.expected, TensorProto::UINT8).check();
  }
  Case c(18);
  c.in("x", {3}, {0, -1, 5}, TensorProto::INT32);
  c.op("BitwiseNot", {"x"});
  c.gives({3}, {-1, 0, -6}, TensorProto::INT32).check();
}

TEST(NewerOpsets, Col2Im18AddsWhatOverlaps) {
  Case c(18);
  c.in("x", {1, 4, 4}, Numbers(16, 1)).axes("image", {3, 3}).axes("block", {2, 2});
  c.op("Col2Im", {"x", "image", "block"});
  c.gives({1, 1, 3, 3}, {1, 2, 1, 2, 4, 2, 1, 2, 1}).check();
}

TEST(NewerOpsets, CenterCropPad18) {
  Case crop(18);
  crop.in("x", {5, 2}, {0, 1, 10, 11, 20, 21, 30, 31, 40, 41}).axes("shape", {2, 4});
  crop.op("CenterCropPad", {"x", "shape"});
  crop.gives({2, 4}, {0, 10, 11, 0, 0, 20, 21, 0}).check();
  Case axes(18);
  axes.in("x", {2, 3}, {1, 2, 3, 4, 5, 6}).axes("shape", {1});
  ModelFile::set_ints(axes.op("CenterCropPad", {"x", "shape"}), "axes", {-1});
  axes.gives({2, 1}, {2, 5}).check();
}

// Opset 18 has one scale for each group, opset 21 one for each channel.
TEST(NewerOpsets, GroupNormalization) {
  for (const int opset : {18, 21}) {
    SCOPED_TRACE(opset);
    Case c(opset);
    c.in("x", {1, 4, 1}, {0, 2, 4, 8});
    if (opset == 18)
      c.constant("scale", {2}, {1, 2}).constant("bias", {2}, {0, 1});
    else
      c.constant("scale", {4}, {1, 2, 3, 4}).constant("bias", {4}, {0, 0, 1, 1});
    auto& n = c.op("GroupNormalization", {"x", "scale", "bias"});
    ModelFile::set_int(n, "num_groups", 2);
    ModelFile::set_float(n, "epsilon", 0);
    c.gives({1, 4, 1}, opset == 18 ? Numbers{-1, 1, -1, 3} : Numbers{-1, 2, -2, 5}).check();
  }
}

TEST(NewerOpsets, AffineGrid20) {
  for (const int align : {0, 1}) {
    SCOPED_TRACE(align);
    Case c(20);
    c.in("theta", {1, 2, 3}, {1, 0, 0, 0, 2, 1}).axes("size", {1, 1, 2, 2});
    ModelFile::set_int(c.op("AffineGrid", {"theta", "size"}), "align_corners", align);
    const double e = align ? 1 : 0.5;
    c.gives({1, 2, 2, 2}, {-e, -2 * e + 1, e, -2 * e + 1, -e, 2 * e + 1, e, 2 * e + 1}).check();
  }
}

TEST(NewerOpsets, IsInf20TakesFloat16) {
  Case c(20);
  c.in("x", {4}, {INFINITY, -INFINITY, 1, NAN}, TensorProto::FLOAT16);
  ModelFile::set_int(c.op("IsInf", {"x"}), "detect_negative", 0);
  c.gives({4}, {1, 0, 0, 0}, TensorProto::BOOL).check();
}

TEST(NewerOpsets, IsNaN20) {
  Case c(20);
  c.in("x", {3}, {INFINITY, NAN, 1});
  c.op("IsNaN", {"x"});
  c.gives({3}, {0, 1, 0}, TensorProto::BOOL).check();
}

TEST(NewerOpsets, Scatter18KeepsExtremes) {
  Case elements(18);
  elements.in("x", {4}, {1, 2, 3, 4}).constant("at", {3}, {0, 0, 3}, TensorProto::INT64).in("u", {3}, {5, 4, 0});
  set_text(elements.op("ScatterElements", {"x", "at", "u"}), "reduction", "max");
  elements.gives({4}, {5, 2, 3, 4}).check();
  Case nd(18);
  nd.in("x", {4}, {1, 2, 3, 4}).constant("at", {3, 1}, {0, 0, 3}, TensorProto::INT64).in("u", {3}, {5, -4, 0});
  set_text(nd.op("ScatterND", {"x", "at", "u"}), "reduction", "min");
  nd.gives({4}, {-4, 2, 3, 0}).check();
}

TEST(NewerOpsets, Equal19AndShapesOf21) {
  Case equal(19);
  equal.in("a", {2}, {1, 2}).in("b", {2}, {1, 3});
  equal.op("Equal", {"a", "b"});
  equal.gives({2}, {1, 0}, TensorProto::BOOL).check();
  Case reshape(21);
  reshape.in("x", {2, 3}, {1, 2, 3, 4, 5, 6}).axes("shape", {0, -1, 1});
  reshape.op("Reshape", {"x", "shape"});
  reshape.gives({2, 3, 1}, {1, 2, 3, 4, 5, 6}).check();
  Case transpose(21);
  transpose.in("x", {2, 3}, {1, 2, 3, 4, 5, 6});
  transpose.op("Transpose", {"x"});
  transpose.gives({3, 2}, {1, 4, 2, 5, 3, 6}).check();
  Case squeeze(21);
  squeeze.in("x", {1, 2, 1}, {1, 2}).axes("axes", {-1});
  squeeze.op("Squeeze", {"x", "axes"});
  squeeze.gives({1, 2}, {1, 2}).check();
}

TEST(NewerOpsets, WhatNeedsFilesOrStringsIsRefusedByName) {
  for (const char* op : {"ImageDecoder", "StringConcat", "StringSplit", "RegexFullMatch"}) {
    SCOPED_TRACE(op);
    Case c(20);
    c.in("x", {2}, {1, 2}, TensorProto::UINT8);
    c.op(op, {"x"});
    EXPECT_THAT(c.refusal(), HasSubstr(op));
  }
}

}  // namespace
}  // namespace byoc::test
