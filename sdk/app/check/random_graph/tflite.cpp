// Entries of operators of the domain byoc that only TFLite models have.
#include <cstring>

#include "sdk/app/check/random_graph/builder.hpp"
#include "sdk/app/check/random_graph/windows.hpp"

namespace byoc::check {
namespace {

const std::vector<std::string> kTfliteActivations = {"none", "none", "relu", "relu6", "relu_n1_to_1"};

bool is_tflite(const Builder& b) { return b.graph.requant == Requant::tflite; }

ir::ValueId any_i8(Builder& b, std::size_t least_rank, std::size_t most_rank) {
  return b.any(
      [&](const ir::TensorType& t) {
        return t.dtype == DType::i8 && t.quantisation && !t.quantisation->per_axis() && t.dims->size() >= least_rank &&
               t.dims->size() <= most_rank;
      },
      [&] { return ir::TensorType{DType::i8, b.shape(least_rank, most_rank), b.per_tensor(DType::i8)}; });
}

void add_n(Builder& b, const std::string& op) {
  if (!is_tflite(b)) return;
  const ir::ValueId x = any_i8(b, 0, 4);
  std::vector<ir::ValueId> inputs{x, b.same_type(b.type(x))};
  while (inputs.size() < 4 && b.choice.one_in(2)) inputs.push_back(b.same_type(b.type(x)));
  b.add(op, std::move(inputs), {}, {Builder::as(DType::i8, b.per_tensor(DType::i8))});
}

void batch_matmul(Builder& b, const std::string& op) {
  const bool quantised = is_tflite(b) && b.choice.one_in(2);
  const ir::ValueId x = quantised ? any_i8(b, 2, 4) : b.any_real(2, 4);
  const bool tx = b.choice.one_in(3), ty = b.choice.one_in(3);
  const Dims d = b.dims(x);
  const std::int64_t depth = d[d.size() - (tx ? 2 : 1)], columns = b.choice.integer(1, 6);
  ir::TensorType other = b.type(x);
  other.dims->resize(d.size() - 2);
  for (std::int64_t& n : *other.dims)
    if (b.choice.one_in(4)) n = 1;
  other.dims->push_back(ty ? columns : depth);
  other.dims->push_back(ty ? depth : columns);
  if (quantised && b.choice.one_in(2)) other.quantisation = b.per_tensor(DType::i8);
  Quantisation q = b.per_tensor(DType::i8);
  q.scales[0] *= 8;
  b.add(op, {x, b.same_type(other)}, {{"adj_x", std::int64_t{tx}}, {"adj_y", std::int64_t{ty}}},
        {quantised ? Builder::as(DType::i8, q) : std::nullopt});
}

void real_pair(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real();
  b.add(op, {x, b.broadcastable(x)});
}

void squared_difference(Builder& b, const std::string& op) {
  if (!is_tflite(b) || b.choice.one_in(2)) return real_pair(b, op);
  const ir::ValueId x = any_i8(b, 0, 4);
  ir::TensorType other = b.type(x);
  other.quantisation = b.per_tensor(DType::i8);
  b.add(op, {x, b.same_type(other)}, {}, {Builder::as(DType::i8, b.per_tensor(DType::i8))});
}

void not_equal(Builder& b, const std::string& op) {
  static const std::vector<DType> kTypes = {DType::f32, DType::i32, DType::i64, DType::boolean};
  const ir::ValueId x = b.any_of(b.choice.of(kTypes));
  b.add(op, {x, b.broadcastable(x)});
}

void l2_normalization(Builder& b, const std::string& op) {
  const bool quantised = is_tflite(b) && b.choice.one_in(2);
  const ir::ValueId x = quantised ? any_i8(b, 1, 4) : b.any_real(1);
  b.add(op, {x}, {}, {quantised ? Builder::as(DType::i8, Quantisation{{1.0f / 128}, {0}, -1}) : std::nullopt});
}

void l2_pool(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(4, 4);
  const bool nhwc = b.choice.one_in(2);
  const Dims& d = b.dims(x);
  Builder::Attributes attributes = window(b, nhwc ? Dims{d[1], d[2]} : Dims{d[2], d[3]}, false);
  if (attributes.empty()) return;
  if (nhwc) attributes["data_layout"] = std::string("NHWC");
  if (b.choice.one_in(2)) attributes["activation"] = b.choice.of(kTfliteActivations);
  b.add(op, {x}, std::move(attributes));
}

void rsqrt(Builder& b, const std::string& op) { b.add(op, {b.any_real()}); }

// An Expect whose found numbers equal the expected ones, which only a run tells: 0 * any + expected.
void expect(Builder& b, const std::string& op) {
  const std::int64_t count = b.choice.integer(1, 4);
  Dims zeros(static_cast<std::size_t>(count), 0), expected;
  for (std::int64_t i = 0; i < count; ++i) expected.push_back(b.choice.integer(-3, 1000));
  const ir::ValueId any = b.input({DType::i64, Dims{count}, std::nullopt});
  if (!b.add("Mul", {any, b.integers(zeros)})) return;
  if (!b.add("Add", {b.graph.nodes.back().outputs[0], b.integers(expected)})) return;
  const ir::ValueId found = b.graph.nodes.back().outputs[0], x = b.any_value();
  Builder::Attributes attributes{{"expected", expected}};
  if (b.choice.one_in(2)) attributes["open"] = Dims{b.choice.integer(0, count - 1)};
  b.add(op, {x, found}, std::move(attributes), {like(b, x)});
}

// The state is a value like any other here.
void svdf(Builder& b, const std::string& op) {
  const std::int64_t rank = b.choice.integer(1, 2), units = b.choice.integer(1, 4), memory = b.choice.integer(1, 4);
  const std::int64_t filters = rank * units;
  Builder::Attributes attributes{{"rank", rank}, {"activation", b.choice.of(kTfliteActivations)}};
  if (!is_tflite(b) || b.choice.one_in(2)) {
    const ir::ValueId x = b.any_real(2, 2);
    b.add(op,
          {x, b.constant(DType::f32, {filters, b.dims(x)[1]}), b.constant(DType::f32, {filters, memory}),
           b.same_type({DType::f32, Dims{b.dims(x)[0], filters * memory}, {}}), b.constant(DType::f32, {units})},
          std::move(attributes), {std::nullopt, std::nullopt});
    return;
  }
  const ir::ValueId x = any_i8(b, 2, 2);
  const DType state = b.choice.one_in(2) ? DType::i16 : DType::i8;
  const auto scaled = [&](float scale) { return Quantisation{{scale}, {0}, -1}; };
  const Quantisation in = scaled(0.01f);
  ir::TensorType state_type{state, Dims{b.dims(x)[0], filters * memory}, scaled(state == DType::i16 ? 0.0005f : 0.05f)};
  const float bias = state_type.quantisation->scales[0] * 0.01f;
  b.add(op,
        {x, b.quantised_constant(DType::i8, {filters, b.dims(x)[1]}, in, -127, 127),
         b.quantised_constant(state, {filters, memory}, in, -127, 127), b.same_type(state_type),
         b.quantised_constant(DType::i32, {units}, scaled(bias), -3000, 3000)},
        std::move(attributes),
        {Builder::as(DType::i8, b.per_tensor(DType::i8)), Builder::as(state, state_type.quantisation)});
}

void lstm(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(3, 3);
  const std::int64_t units = b.choice.integer(1, 4), depth = b.dims(x)[2];
  const bool time_major = b.choice.one_in(2);
  const std::int64_t batch = b.dims(x)[time_major ? 1 : 0];
  std::vector<ir::ValueId> inputs{x};
  for (int k = 0; k < 4; ++k) inputs.push_back(b.reals({units, depth}, -1, 1));
  for (int k = 0; k < 4; ++k) inputs.push_back(b.reals({units, units}, -1, 1));
  for (int k = 0; k < 4; ++k) inputs.push_back(b.reals({units}, -1, 1));
  for (int k = 0; k < 2; ++k) inputs.push_back(b.same_type({DType::f32, Dims{batch, units}, {}}));
  Builder::Attributes attributes{{"time_major", std::int64_t{time_major}},
                                 {"reverse", std::int64_t{b.choice.one_in(3)}}};
  if (b.choice.one_in(2)) attributes["cell_clip"] = b.choice.real(0.5f, 3);
  b.add(op, std::move(inputs), std::move(attributes), {std::nullopt, std::nullopt, std::nullopt});
}

void fake_quantize(Builder& b, const std::string& op) {
  b.add(op, {b.any_real()}, {{"scale", b.choice.real(0.01f, 2)}, {"offset", b.choice.real(-3, 3)}});
}

void lookup(Builder& b, const std::string& op) {
  std::vector<std::byte> table(256);
  for (std::byte& element : table) element = static_cast<std::byte>(b.choice.integer(0, 255));
  b.add(op, {any_i8(b, 1, 4), b.graph.add_constant("", {DType::i8, Dims{256}, {}}, Blob::own(std::move(table)))}, {},
        {Builder::as(DType::i8, b.per_tensor(DType::i8))});
}

void dynamic_quantize_rows(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(1, 4);
  if (b.dtype(x) != DType::f32) return;
  b.add(op, {x}, {{"symmetric", std::int64_t{b.choice.one_in(2)}}}, {std::nullopt, std::nullopt, std::nullopt});
}

void bucketize(Builder& b, const std::string& op) {
  static const std::vector<DType> kTypes = {DType::f32, DType::i32, DType::i64};
  std::vector<float> boundaries;
  float last = b.choice.real(-4, 0);
  for (std::int64_t i = b.choice.integer(0, 9); i > 0; --i) boundaries.push_back(last += b.choice.real(0, 2));
  std::vector<std::byte> bytes(boundaries.size() * sizeof(float));
  if (!boundaries.empty()) std::memcpy(bytes.data(), boundaries.data(), bytes.size());
  const auto count = static_cast<std::int64_t>(boundaries.size());
  b.add(op, {b.any_of(b.choice.of(kTypes)),
             b.graph.add_constant("", {DType::f32, Dims{count}, {}}, Blob::own(std::move(bytes)))});
}

void right_shift(Builder& b, const std::string& op) {
  static const std::vector<DType> kTypes = {DType::i8, DType::u8, DType::i16, DType::u16, DType::i32, DType::u32};
  const ir::ValueId x = b.any_of(b.choice.of(kTypes));
  b.add(op, {x, b.broadcastable(x)});
}

}  // namespace

void add_tflite(std::vector<Generator>& out) {
  out.push_back({"byoc.AddN", 2, add_n});
  out.push_back({"byoc.BatchMatMul", 2, batch_matmul});
  out.push_back({"byoc.Expect", 1, expect});
  for (const char* op : {"byoc.FloorDiv", "byoc.FloorMod"}) out.push_back({op, 1, real_pair});
  out.push_back({"byoc.SquaredDifference", 1, squared_difference});
  out.push_back({"byoc.NotEqual", 1, not_equal});
  out.push_back({"byoc.L2Normalization", 1, l2_normalization});
  out.push_back({"byoc.L2Pool", 1, l2_pool});
  out.push_back({"byoc.Rsqrt", 1, rsqrt});
  out.push_back({"byoc.SVDF", 1, svdf});
  out.push_back({"byoc.UnidirectionalSequenceLstm", 1, lstm});
  out.push_back({"byoc.Atan2", 1, real_pair});
  out.push_back({"byoc.Bucketize", 1, bucketize});
  out.push_back({"byoc.DynamicQuantize", 1, dynamic_quantize_rows});
  out.push_back({"byoc.Lookup", 1, lookup});
  out.push_back({"byoc.FakeQuantize", 1, fake_quantize});
  out.push_back({"byoc.RightShift", 1, right_shift});
}

}  // namespace byoc::check
