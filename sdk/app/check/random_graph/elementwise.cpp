// Entries of operators that compute element by element.
#include "sdk/app/check/random_graph/builder.hpp"
#include "sdk/model/ir/onnx_types.hpp"

namespace byoc::check {
namespace {

// Types that arithmetic is defined for.
const std::vector<DType> kNumbers = {DType::f32, DType::f32, DType::f32, DType::i32, DType::i64,
                                     DType::f16, DType::f64, DType::u8,  DType::i8,  DType::bf16,
                                     DType::i16, DType::u16, DType::u32, DType::u64};
const std::vector<DType> kIntegers = {DType::i32, DType::i64, DType::u8,  DType::i8,
                                      DType::i16, DType::u16, DType::u32, DType::u64};
const std::vector<DType> kReals = {DType::f32, DType::f32, DType::f32, DType::f16, DType::f64, DType::bf16};

void real_unary(Builder& b, const std::string& op) {
  Builder::Attributes attributes;
  if (op == "LeakyRelu" || op == "Elu" || op == "Celu" || op == "Swish" || op == "ThresholdedRelu")
    if (b.choice.one_in(2)) attributes["alpha"] = b.choice.real(0.01f, 1.5f);
  if (op == "HardSigmoid" && b.choice.one_in(2)) {
    attributes["alpha"] = b.choice.real(0.1f, 0.4f);
    attributes["beta"] = b.choice.real(0.3f, 0.7f);
  }
  if (op == "Gelu" && b.choice.one_in(2)) attributes["approximate"] = std::string("tanh");
  b.add(op, {b.any_of(b.choice.of(kReals))}, std::move(attributes), {std::nullopt}, op == "Swish" ? 24 : 20);
}

void number_unary(Builder& b, const std::string& op) {
  b.add(op, {b.any_of(b.choice.of(kNumbers))}, {}, {std::nullopt}, 20);
}

void binarizer(Builder& b, const std::string& op) {
  b.add(op, {b.any_of(b.choice.of(kNumbers))}, {{"threshold", b.choice.real(-1, 1)}});
}

void integer_unary(Builder& b, const std::string& op) {
  b.add(op, {b.any_of(b.choice.of(kIntegers))}, {}, {std::nullopt}, 18);
}

void boolean_unary(Builder& b, const std::string& op) { b.add(op, {b.any_of(DType::boolean)}); }

void real_binary(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_of(b.choice.of(kReals));
  b.add(op, {x, b.broadcastable(x)});
}

void number_binary(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_of(b.choice.of(kNumbers));
  const ir::ValueId y = b.choice.one_in(8) ? x : b.broadcastable(x);
  Builder::Attributes attributes;
  if (b.dtype(x) == DType::f32 && (op == "Add" || op == "Sub" || op == "Mul") && b.choice.one_in(4))
    attributes["activation"] = b.choice.of(std::vector<std::string>{"relu", "relu6", "relu_n1_to_1"});
  b.choice.one_in(2) ? b.add(op, {x, y}, std::move(attributes)) : b.add(op, {y, x}, std::move(attributes));
}

void comparison(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_of(b.choice.of(kNumbers));
  b.add(op, {x, b.broadcastable(x)});
}

void boolean_binary(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_of(DType::boolean);
  b.add(op, {x, b.broadcastable(x)});
}

void integer_binary(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_of(b.choice.of(kIntegers));
  b.add(op, {x, b.broadcastable(x)}, {}, {std::nullopt}, 18);
}

void bit_shift(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_of(b.choice.of(std::vector<DType>{DType::u8, DType::u16, DType::u32, DType::u64}));
  b.add(op, {x, b.broadcastable(x)}, {{"direction", std::string(b.choice.one_in(2) ? "LEFT" : "RIGHT")}});
}

void variadic(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_of(b.choice.of(op == "Mean" || op == "Sum" ? kReals : kNumbers));
  std::vector<ir::ValueId> inputs{x};
  while (inputs.size() < 4 && b.choice.one_in(2)) inputs.push_back(b.broadcastable(x));
  b.add(op, std::move(inputs));
}

void power(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real();
  b.choice.one_in(2) ? b.add(op, {x, b.scalar(static_cast<float>(b.choice.integer(0, 3)))})
                     : b.add(op, {x, b.broadcastable(x)});
}

void prelu(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(1);
  Dims slope = b.dims(x);
  for (std::int64_t& d : slope)
    if (b.choice.one_in(2)) d = 1;
  b.add(op, {x, b.constant(DType::f32, slope)});
}

void clip(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real();
  const float low = b.choice.real(-3, 1);
  const ir::ValueId min = b.choice.one_in(4) ? ir::kNoValue : b.scalar(low);
  const ir::ValueId max = b.choice.one_in(4) ? ir::kNoValue : b.scalar(low + b.choice.real(0, 4));
  b.add(op, {x, min, max});
}

void where(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value();
  const ir::ValueId condition = b.same_type({DType::boolean, b.dims(x), std::nullopt});
  b.choice.one_in(2) ? b.add(op, {condition, x, b.broadcastable(x)}, {}, {b.as(b.dtype(x), b.type(x).quantisation)})
                     : b.add(op, {condition, b.broadcastable(x), x}, {}, {b.as(b.dtype(x), b.type(x).quantisation)});
}

void cast(Builder& b, const std::string& op) {
  static const std::vector<std::int64_t> kTypes = {1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 16};
  b.add(op, {b.any_of(b.choice.of(kNumbers))}, {{"to", b.choice.of(kTypes)}});
}

// Casts to a type of few bits, from one, or both; the result may keep another shape.
void cast_small(Builder& b, const std::string& op) {
  static const std::vector<DType> kTypes = {DType::i4,       DType::u4,         DType::i2,     DType::u2,
                                            DType::f8e4m3fn, DType::f8e4m3fnuz, DType::f8e5m2, DType::f8e5m2fnuz,
                                            DType::f8e8m0,   DType::f4e2m1};
  static const std::vector<std::string> kModes = {"up", "down", "nearest"};
  const ir::ValueId x = b.any_of(b.choice.one_in(2) ? b.choice.of(kTypes) : b.choice.of(kNumbers));
  const DType t = !is_small(b.dtype(x)) || b.choice.one_in(4) ? b.choice.of(kTypes) : b.choice.of(kNumbers);
  Builder::Attributes attributes{{"to", ir::onnx_number(t)}};
  if (b.choice.one_in(3)) attributes["saturate"] = std::int64_t{0};
  if (b.choice.one_in(3)) attributes["round_mode"] = b.choice.of(kModes);
  if (!b.add(op, {x}, std::move(attributes), {std::nullopt}, 25) || b.choice.one_in(2)) return;
  b.add("Flatten", {b.graph.nodes.back().outputs[0]}, {{"axis", std::int64_t{0}}}, {std::nullopt}, 25);
}

// Casts to integers only: any bits may be a NaN, of which there are many.
void bit_cast(Builder& b, const std::string& op) {
  struct Width {
    std::vector<DType> from;
    std::vector<std::int64_t> to;
  };
  static const std::vector<Width> kWidths = {{{DType::i8, DType::u8}, {2, 3}},
                                             {{DType::f16, DType::bf16, DType::i16}, {4, 5}},
                                             {{DType::f32, DType::f32, DType::i32, DType::u32}, {6, 12}},
                                             {{DType::f64, DType::i64, DType::u64}, {7, 13}}};
  const Width& width = b.choice.of(kWidths);
  b.add(op, {b.any_of(b.choice.of(width.from))}, {{"to", b.choice.of(width.to)}}, {std::nullopt}, 26);
}

void is_inf(Builder& b, const std::string& op) {
  b.add(op, {b.any_of(b.choice.of(std::vector<DType>{DType::f32, DType::f64}))});
}

void modulo(Builder& b, const std::string& op) {
  const bool real = b.choice.one_in(2);
  const ir::ValueId x = b.any_of(real ? DType::f32 : b.choice.of(kIntegers));
  // A divisor of 0 has no meaning for integers.
  ir::TensorType type{b.dtype(x), Dims{}, std::nullopt};
  std::vector<std::byte> bytes(bit_width(type.dtype) / 8);
  bytes[0] = std::byte(b.choice.integer(1, 100));
  if (real) return void(b.add(op, {x, b.scalar(b.choice.real(0.3f, 5))}, {{"fmod", std::int64_t{1}}}));
  b.add(op, {x, b.graph.add_constant("", type, Blob::own(std::move(bytes)))},
        {{"fmod", std::int64_t{b.choice.one_in(2) ? 1 : 0}}});
}

}  // namespace

void add_elementwise(std::vector<Generator>& out) {
  for (const char* op : {"Sigmoid", "Tanh", "Relu", "Exp", "Sin", "Cos", "Erf", "Sqrt", "Softplus", "HardSwish"})
    out.push_back({op, 3, real_unary});
  for (const char* op : {"Acos",  "Acosh", "Asin",       "Asinh",       "Atan",      "Atanh", "Celu",
                         "Cosh",  "Elu",   "Gelu",       "HardSigmoid", "LeakyRelu", "Log",   "Mish",
                         "Round", "Selu",  "Swish",      "Sinh",        "Softsign",  "Tan",   "ThresholdedRelu",
                         "Ceil",  "Floor", "Reciprocal", "IsNaN"})
    out.push_back({op, 1, real_unary});
  for (const char* op : {"Abs", "Neg", "Sign"}) out.push_back({op, 2, number_unary});
  out.push_back({"ai.onnx.ml.Binarizer", 1, binarizer});
  out.push_back({"BitCast", 1, bit_cast});
  out.push_back({"BitwiseNot", 1, integer_unary});
  out.push_back({"Not", 1, boolean_unary});
  out.push_back({"IsInf", 1, is_inf});
  for (const char* op : {"Add", "Sub", "Mul"}) out.push_back({op, 8, number_binary});
  out.push_back({"Div", 3, real_binary});
  for (const char* op : {"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"})
    out.push_back({op, 1, comparison});
  for (const char* op : {"And", "Or", "Xor"}) out.push_back({op, 1, boolean_binary});
  for (const char* op : {"BitwiseAnd", "BitwiseOr", "BitwiseXor"}) out.push_back({op, 1, integer_binary});
  out.push_back({"BitShift", 1, bit_shift});
  for (const char* op : {"Max", "Min", "Mean", "Sum"}) out.push_back({op, 2, variadic});
  out.push_back({"Pow", 2, power});
  out.push_back({"PRelu", 2, prelu});
  out.push_back({"Clip", 3, clip});
  out.push_back({"Where", 3, where});
  out.push_back({"Cast", 4, cast});
  out.push_back({"Cast", 2, cast_small});
  out.push_back({"Mod", 2, modulo});
}

}  // namespace byoc::check
