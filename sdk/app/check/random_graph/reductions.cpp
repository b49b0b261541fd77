// Entries of reductions and of what works along an axis.
#include "sdk/app/check/random_graph/builder.hpp"

namespace byoc::check {
namespace {

void reduce(Builder& b, const std::string& op) {
  static const std::vector<DType> kTypes = {DType::f32, DType::f32, DType::f32, DType::i32, DType::i64, DType::f64};
  const ir::ValueId x = b.any_of(b.choice.of(kTypes));
  const auto rank = static_cast<std::int64_t>(b.dims(x).size());
  Dims axes;
  for (std::int64_t i = 0; i < rank; ++i)
    if (b.choice.one_in(2)) axes.push_back(b.choice.one_in(3) ? i - rank : i);
  Builder::Attributes attributes{{"keepdims", std::int64_t{b.choice.one_in(2) ? 1 : 0}}};
  if (axes.empty() && b.choice.one_in(3)) attributes["noop_with_empty_axes"] = std::int64_t{1};
  b.add(op, {x, b.integers(axes)}, std::move(attributes), {std::nullopt}, 18);
}

void arg_extreme(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(1);
  const auto rank = static_cast<std::int64_t>(b.dims(x).size());
  b.add(op, {x},
        {{"axis", b.choice.integer(-rank, rank - 1)},
         {"keepdims", std::int64_t{b.choice.one_in(2) ? 1 : 0}},
         {"select_last_index", std::int64_t{b.choice.one_in(2) ? 1 : 0}}});
}

void along_axis(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(1);
  const auto rank = static_cast<std::int64_t>(b.dims(x).size());
  b.add(op, {x}, {{"axis", b.choice.integer(-rank, rank - 1)}});
}

void cum_sum(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(1);
  const auto rank = static_cast<std::int64_t>(b.dims(x).size());
  const std::int64_t axis = b.choice.integer(-rank, rank - 1);
  std::vector<std::byte> bytes(8);
  for (std::size_t k = 0; k < 8; ++k) bytes[k] = static_cast<std::byte>(axis >> (8 * k));
  b.add(
      op, {x, b.graph.add_constant("", {DType::i64, Dims{}, std::nullopt}, Blob::own(std::move(bytes)))},
      {{"exclusive", std::int64_t{b.choice.one_in(2) ? 1 : 0}}, {"reverse", std::int64_t{b.choice.one_in(2) ? 1 : 0}}});
}

void normalisation(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(3, 5);
  const Dims channels{b.dims(x)[1]};
  if (op == "BatchNormalization")
    return void(b.add(op, {x, b.reals(channels, 0.5f, 2), b.reals(channels, -1, 1), b.reals(channels, -1, 1),
                           b.reals(channels, 0.3f, 2)}));
  if (op == "InstanceNormalization") return void(b.add(op, {x, b.reals(channels, 0.5f, 2), b.reals(channels, -1, 1)}));
  if (op == "LayerNormalization") {
    const Dims last{b.dims(x).back()};
    return void(b.add(op, {x, b.reals(last, 0.5f, 2), b.reals(last, -1, 1)}, {{"axis", std::int64_t{-1}}}));
  }
  if (op == "RMSNormalization")
    return void(b.add(op, {x, b.reals({b.dims(x).back()}, 0.5f, 2)}, {{"axis", std::int64_t{-1}}}, {std::nullopt}, 23));
  if (op == "LRN") return void(b.add(op, {x}, {{"size", b.choice.integer(1, 5)}}));
  b.add(op, {x});
}

}  // namespace

void add_reductions(std::vector<Generator>& out) {
  for (const char* op : {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin"}) out.push_back({op, 2, reduce});
  for (const char* op : {"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceProd", "ReduceSumSquare"})
    out.push_back({op, 1, reduce});
  for (const char* op : {"ArgMax", "ArgMin"}) out.push_back({op, 1, arg_extreme});
  out.push_back({"Softmax", 3, along_axis});
  out.push_back({"LogSoftmax", 1, along_axis});
  out.push_back({"Hardmax", 1, along_axis});
  for (const char* op : {"CumProd", "CumSum"}) out.push_back({op, 1, cum_sum});
  out.push_back({"BatchNormalization", 2, normalisation});
  for (const char* op :
       {"InstanceNormalization", "LayerNormalization", "LRN", "MeanVarianceNormalization", "RMSNormalization"})
    out.push_back({op, 1, normalisation});
}

}  // namespace byoc::check
