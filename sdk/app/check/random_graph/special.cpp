// Entries of ONNX operators that few models have.
#include <algorithm>
#include <cstring>

#include "sdk/app/check/random_graph/builder.hpp"
#include "sdk/app/check/random_graph/windows.hpp"

namespace byoc::check {
namespace {

std::int64_t yes_or_no(Builder& b) { return b.choice.one_in(2) ? 1 : 0; }

void cast_like(Builder& b, const std::string& op) {
  static const std::vector<DType> kTypes = {DType::f32, DType::f16, DType::i32, DType::i8, DType::boolean, DType::f64};
  b.add(op, {b.any_of(b.choice.of(kTypes)), b.any_of(b.choice.of(kTypes))}, {}, {std::nullopt}, 19);
}

void center_crop_pad(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value(1);
  Dims shape;
  for (std::size_t i = 0; i < b.dims(x).size(); ++i) shape.push_back(b.choice.integer(1, 7));
  b.add(op, {x, b.integers(shape)}, {}, {like(b, x)}, 18);
}

void col2im(Builder& b, const std::string& op) {
  const Dims image{b.choice.integer(2, 6), b.choice.integer(2, 6)};
  const Dims block{b.choice.integer(1, 2), b.choice.integer(1, 2)};
  const Dims strides{b.choice.integer(1, 2), b.choice.integer(1, 2)};
  std::int64_t columns = 1;
  for (std::size_t i = 0; i < 2; ++i) columns *= (image[i] - block[i]) / strides[i] + 1;
  const ir::ValueId x = b.same_type(
      {DType::f32, Dims{b.choice.integer(1, 2), block[0] * block[1] * b.choice.integer(1, 3), columns}, {}});
  b.add(op, {x, b.integers(image), b.integers(block)}, {{"strides", strides}}, {std::nullopt}, 18);
}

void compress(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value(1);
  const bool flat = b.choice.one_in(3);
  const auto rank = static_cast<std::int64_t>(b.dims(x).size());
  const std::int64_t axis = b.choice.integer(-rank, rank - 1);
  const std::int64_t n = flat ? elements(b.dims(x)) : b.dims(x)[static_cast<std::size_t>((axis + rank) % rank)];
  Builder::Attributes attributes;
  if (!flat) attributes["axis"] = axis;
  b.add(op, {x, b.constant(DType::boolean, {b.choice.integer(0, n)})}, std::move(attributes), {like(b, x)});
}

ir::ValueId small_zero_point(Builder& b, DType dtype) {
  return b.graph.add_constant("", {dtype, Dims{}, std::nullopt},
                              Blob::own({static_cast<std::byte>(b.choice.integer(0, 20))}));
}

void conv_integer(Builder& b, const std::string& op) {
  const DType t = b.choice.one_in(2) ? DType::i8 : DType::u8;
  const ir::ValueId x = b.any_of(t, 4, 4);
  Builder::Attributes attributes = window(b, {b.dims(x)[2], b.dims(x)[3]}, true);
  if (attributes.empty() || b.dims(x)[1] == 0) return;
  const Dims kernel = std::get<Dims>(attributes["kernel_shape"]);
  const DType w = b.choice.one_in(2) ? DType::i8 : DType::u8;
  std::vector<ir::ValueId> inputs{x, b.constant(w, {b.choice.integer(1, 4), b.dims(x)[1], kernel[0], kernel[1]})};
  if (b.choice.one_in(2)) inputs.push_back(small_zero_point(b, t));
  if (inputs.size() == 3 && b.choice.one_in(2)) inputs.push_back(small_zero_point(b, w));
  b.add(op, std::move(inputs), std::move(attributes));
}

void matmul_integer(Builder& b, const std::string& op) {
  const DType t = b.choice.one_in(2) ? DType::i8 : DType::u8;
  const ir::ValueId x = b.any_of(t, 2, 3);
  const DType w = b.choice.one_in(2) ? DType::i8 : DType::u8;
  std::vector<ir::ValueId> inputs{x, b.constant(w, {b.dims(x).back(), b.choice.integer(1, 6)})};
  if (b.choice.one_in(2)) inputs.push_back(small_zero_point(b, t));
  if (inputs.size() == 3 && b.choice.one_in(2)) inputs.push_back(small_zero_point(b, w));
  b.add(op, std::move(inputs));
}

void dft(Builder& b, const std::string& op) {
  const ir::ValueId x =
      b.same_type({DType::f32, Dims{b.choice.integer(1, 3), b.choice.integer(1, 12), b.choice.integer(1, 2)}, {}});
  b.add(op, {x}, {{"axis", std::int64_t{1}}, {"inverse", yes_or_no(b)}});
}

void deform_conv(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(4, 4);
  const Dims d = b.dims(x);
  if (elements(d) == 0) return;
  const Dims kernel{std::min<std::int64_t>(d[2], 2), std::min<std::int64_t>(d[3], 2)};
  const Dims out{d[2] - kernel[0] + 1, d[3] - kernel[1] + 1};
  const std::int64_t taps = kernel[0] * kernel[1];
  std::vector<ir::ValueId> inputs{x, b.constant(DType::f32, {b.choice.integer(1, 3), d[1], kernel[0], kernel[1]}),
                                  b.reals({d[0], 2 * taps, out[0], out[1]}, -1.5f, 1.5f)};
  if (b.choice.one_in(2)) {
    inputs.push_back(ir::kNoValue);
    inputs.push_back(b.reals({d[0], taps, out[0], out[1]}, 0, 1));
  }
  b.add(op, std::move(inputs), {{"kernel_shape", kernel}}, {std::nullopt}, 19);
}

void det(Builder& b, const std::string& op) {
  const std::int64_t n = b.choice.integer(1, 4);
  b.add(op, {b.same_type({DType::f32, b.choice.one_in(2) ? Dims{n, n} : Dims{2, n, n}, {}})});
}

void dynamic_quantize(Builder& b, const std::string& op) {
  b.add(op, {b.any_real()}, {}, {std::nullopt, std::nullopt, std::nullopt});
}

void einsum(Builder& b, const std::string& op) {
  struct Form {
    const char* equation;
    std::vector<Dims> operands;
  };
  const std::int64_t n = b.choice.integer(1, 5), m = b.choice.integer(1, 5), k = b.choice.integer(1, 5);
  const std::vector<Form> forms = {{"ij,jk->ik", {{n, m}, {m, k}}},
                                   {"ij->ji", {{n, m}}},
                                   {"ii->i", {{n, n}}},
                                   {"...ij,jk", {{2, n, m}, {m, k}}},
                                   {"ij,ij->", {{n, m}, {n, m}}},
                                   {"bij,bjk->bik", {{2, n, m}, {2, m, k}}},
                                   {"i,j->ij", {{n}, {m}}}};
  const Form& form = b.choice.of(forms);
  std::vector<ir::ValueId> inputs;
  for (const Dims& d : form.operands) inputs.push_back(b.same_type({DType::f32, d, {}}));
  b.add(op, std::move(inputs), {{"equation", std::string(form.equation)}});
}

void global_lp_pool(Builder& b, const std::string& op) {
  b.add(op, {b.any_real(3, 5)}, {{"p", b.choice.integer(1, 3)}});
}

void grid_sample(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(4, 4);
  const Dims d = b.dims(x);
  if (elements(d) == 0) return;
  static const std::vector<std::string> kModes = {"linear", "nearest", "cubic"};
  static const std::vector<std::string> kPadding = {"zeros", "border", "reflection"};
  b.add(op, {x, b.reals({d[0], b.choice.integer(1, 4), b.choice.integer(1, 4), 2}, -1.3f, 1.3f)},
        {{"mode", b.choice.of(kModes)}, {"padding_mode", b.choice.of(kPadding)}, {"align_corners", yes_or_no(b)}},
        {std::nullopt}, 20);
}

void affine_grid(Builder& b, const std::string& op) {
  const std::int64_t n = b.choice.integer(1, 2);
  const bool solid = b.choice.one_in(3);
  Dims size{n, 2, b.choice.integer(1, 5), b.choice.integer(1, 5)};
  if (solid) size.push_back(b.choice.integer(1, 3));
  const std::int64_t d = solid ? 3 : 2;
  b.add(op, {b.same_type({DType::f32, Dims{n, d, d + 1}, {}}), b.integers(size)}, {{"align_corners", yes_or_no(b)}},
        {std::nullopt}, 20);
}

void group_normalization(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(3, 4);
  const std::int64_t channels = b.dims(x)[1], groups = channels % 2 == 0 && b.choice.one_in(2) ? 2 : 1;
  const Dims scale{b.choice.one_in(2) ? channels : groups};
  b.add(op, {x, b.reals(scale, 0.5f, 2), b.reals(scale, -1, 1)}, {{"num_groups", groups}}, {std::nullopt},
        scale[0] == channels ? 21 : 18);
}

void lp_normalization(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(1);
  const auto rank = static_cast<std::int64_t>(b.dims(x).size());
  b.add(op, {x}, {{"axis", b.choice.integer(-rank, rank - 1)}, {"p", b.choice.integer(1, 2)}});
}

ir::ValueId boxes(Builder& b, std::int64_t n, bool with_batch) {
  std::vector<float> of;
  for (std::int64_t i = 0; i < n; ++i) {
    const float x = b.choice.real(0, 3), y = b.choice.real(0, 3);
    if (with_batch) of.push_back(0);
    of.insert(of.end(), {x, y, x + b.choice.real(0.5f, 4), y + b.choice.real(0.5f, 4)});
  }
  std::vector<std::byte> bytes(of.size() * 4);
  std::ranges::copy(std::as_bytes(std::span(of)), bytes.begin());
  return b.graph.add_constant("", {DType::f32, Dims{n, with_batch ? 5 : 4}, {}}, Blob::own(std::move(bytes)));
}

void max_roi_pool(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(4, 4);
  if (elements(b.dims(x)) == 0) return;
  b.add(op, {x, boxes(b, b.choice.integer(1, 3), true)},
        {{"pooled_shape", Dims{b.choice.integer(1, 3), b.choice.integer(1, 3)}}, {"spatial_scale", 1.0f}});
}

void roi_align(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(4, 4);
  if (elements(b.dims(x)) == 0) return;
  const std::int64_t n = b.choice.integer(1, 3);
  Dims batch;
  for (std::int64_t i = 0; i < n; ++i) batch.push_back(b.choice.integer(0, b.dims(x)[0] - 1));
  b.add(op, {x, boxes(b, n, false), b.integers(batch)},
        {{"output_height", b.choice.integer(1, 3)},
         {"output_width", b.choice.integer(1, 3)},
         {"sampling_ratio", b.choice.integer(0, 2)},
         {"mode", std::string(b.choice.one_in(2) ? "avg" : "max")}},
        {std::nullopt}, 16);
}

// The windows do not overlap, so that no element is written twice, and cover everything, so that the shape comes back.
void max_pool_and_back(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(4, 4);
  const Dims d = b.dims(x);
  if (elements(d) == 0) return;
  const Dims kernel{d[2] % 2 == 0 ? 2 : 1, d[3] % 2 == 0 ? 2 : 1};
  const Builder::Attributes attributes{{"kernel_shape", kernel}, {"strides", kernel}, {"pads", Dims{0, 0, 0, 0}}};
  Builder::Attributes pool = attributes;
  pool["dilations"] = Dims{1, 1};
  if (!b.add("MaxPool", {x}, std::move(pool), {std::nullopt, std::nullopt}, 12)) return;
  const std::vector<ir::ValueId> pooled = b.graph.nodes.back().outputs;
  // A window without a number has the index -1, which nothing can be put back to.
  const ir::ValueId zero =
      b.graph.add_constant("", {DType::i64, Dims{}, std::nullopt}, Blob::own(std::vector<std::byte>(8)));
  if (!b.add("Max", {pooled[1], zero}, {}, {std::nullopt}, 13)) return;
  b.add(op, {pooled[0], b.graph.nodes.back().outputs[0]}, attributes);
}

void loss(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(2, 4);
  const Dims d = b.dims(x);
  if (elements(d) == 0) return;
  Dims labels{d[0]};
  labels.insert(labels.end(), d.begin() + 2, d.end());
  Dims classes;
  for (std::int64_t i = 0; i < elements(labels); ++i) classes.push_back(b.choice.integer(0, d[1] - 1));
  std::vector<std::byte> bytes(classes.size() * 8);
  std::ranges::copy(std::as_bytes(std::span(classes)), bytes.begin());
  static const std::vector<std::string> kReductions = {"none", "sum", "mean"};
  std::vector<ir::ValueId> inputs{
      x, b.graph.add_constant("", {DType::i64, labels, std::nullopt}, Blob::own(std::move(bytes)))};
  if (b.choice.one_in(2)) inputs.push_back(b.reals({d[1]}, 0.2f, 2));
  b.add(op, std::move(inputs), {{"reduction", b.choice.of(kReductions)}}, {std::nullopt}, 13);
}

void one_hot(Builder& b, const std::string& op) {
  static const std::vector<DType> kIndices = {DType::i64, DType::i32, DType::u8, DType::f32};
  const ir::ValueId x = b.any_of(b.choice.of(kIndices), 0, 3);
  const auto rank = static_cast<std::int64_t>(b.dims(x).size());
  b.add(op, {x, b.integers({b.choice.integer(1, 6)}), b.constant(DType::f32, {2})},
        {{"axis", b.choice.integer(-rank - 1, rank)}});
}

void scatter_nd(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value(1, 3);
  const Dims d = b.dims(x);
  if (elements(d) == 0) return;
  const std::int64_t row = b.choice.integer(-d[0], d[0] - 1);
  ir::TensorType updates = b.type(x);
  updates.dims = Dims{1};
  updates.dims->insert(updates.dims->end(), d.begin() + 1, d.end());
  std::vector<std::byte> bytes(8);
  for (std::size_t k = 0; k < 8; ++k) bytes[k] = static_cast<std::byte>(row >> (8 * k));
  b.add(op,
        {x, b.graph.add_constant("", {DType::i64, Dims{1, 1}, {}}, Blob::own(std::move(bytes))), b.same_type(updates)},
        {}, {like(b, x)}, 18);
}

void shrink(Builder& b, const std::string& op) {
  b.add(op, {b.any_real()}, {{"lambd", b.choice.real(0, 2)}, {"bias", b.choice.real(-1, 1)}});
}

void tfidf(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_of(b.choice.one_in(2) ? DType::i32 : DType::i64, 1, 2);
  static const std::vector<std::string> kModes = {"TF", "IDF", "TFIDF"};
  b.add(op, {x},
        {{"mode", b.choice.of(kModes)},
         {"min_gram_length", std::int64_t{1}},
         {"max_gram_length", std::int64_t{2}},
         {"max_skip_count", b.choice.integer(0, 1)},
         {"ngram_counts", Dims{0, 3}},
         {"ngram_indexes", Dims{0, 1, 2, 3}},
         {"pool_int64s", Dims{1, 2, 3, 0, 1}},
         {"weights", std::vector<float>{1, 2, 0.5f, 3}}});
}

// Trees of three nodes and four leaves. They read an input: what another node computed may lie on either side of a
// split.
void tree_ensemble(Builder& b, const std::string& op) {
  const std::int64_t features = b.choice.integer(1, 6), trees = b.choice.integer(1, 4),
                     targets = b.choice.integer(1, 3);
  std::vector<std::int32_t> nodes, roots, first, to;
  for (std::int32_t t = 0; t < trees; ++t) {
    roots.push_back(3 * t);
    for (std::int32_t n = 0; n < 3; ++n) {
      const bool inner = n == 0;
      nodes.push_back(static_cast<std::int32_t>(b.choice.integer(0, features - 1)));
      nodes.push_back(static_cast<std::int32_t>(b.choice.integer(0, 5) + 8 * b.choice.integer(0, 1)));
      for (std::int32_t child = 0; child < 2; ++child)
        nodes.push_back(inner ? 3 * t + 1 + child : -1 - (4 * t + 2 * (n - 1) + child));
    }
  }
  for (std::int32_t l = 0; l <= 4 * trees; ++l) first.push_back(l);
  for (std::int32_t l = 0; l < 4 * trees; ++l)
    to.push_back(static_cast<std::int32_t>(b.choice.integer(0, targets - 1)));
  const auto table = [&](const std::vector<std::int32_t>& v, Dims dims) {
    std::vector<std::byte> bytes(v.size() * sizeof(std::int32_t));
    std::memcpy(bytes.data(), v.data(), bytes.size());
    return b.graph.add_constant("", {DType::i32, std::move(dims), {}}, Blob::own(std::move(bytes)));
  };
  static const std::vector<std::string> kAggregates = {"sum", "average", "min", "max"};
  b.add(op,
        {b.input({DType::f32, Dims{b.choice.integer(1, 4), features}, {}}), b.reals({3 * trees}, -1, 1),
         table(nodes, {3 * trees, 4}), table(roots, {trees}), table(first, {4 * trees + 1}), table(to, {4 * trees}),
         b.reals({4 * trees}, -2, 2)},
        {{"aggregate", b.choice.of(kAggregates)}, {"n_targets", targets}}, {std::nullopt}, 1);
}

void affine_sample(Builder& b, const std::string& op) {
  ir::ValueId x = b.any_real(4, 4);
  if (b.dims(x)[0] != 1 || elements(b.dims(x)) == 0) x = b.input({DType::f32, Dims{1, 3, 4, 2}, {}});
  b.add(op, {x, b.reals({1, 4, 4}, -1.5f, 1.5f)},
        {{"output_height", b.choice.integer(1, 5)}, {"output_width", b.choice.integer(1, 5)}}, {std::nullopt}, 1);
}

void optimiser(Builder& b, const std::string& op) {
  const ir::TensorType type{DType::f32, b.shape(0, 2), {}};
  const bool adam = op.ends_with("Adam");
  std::vector<ir::ValueId> inputs{
      b.scalar(0.1f),
      b.graph.add_constant("", {DType::i64, Dims{}, {}}, Blob::own(std::vector<std::byte>(8, std::byte{1}))),
      b.same_type(type), b.same_type(type), b.reals(*type.dims, 0, 2)};
  if (adam) inputs.push_back(b.reals(*type.dims, 0, 2));
  Builder::Attributes attributes{{"norm_coefficient", b.choice.real(0, 0.1f)}};
  if (op.ends_with("Momentum")) {
    attributes["alpha"] = 0.9f;
    attributes["beta"] = 0.5f;
    attributes["mode"] = std::string(b.choice.one_in(2) ? "standard" : "nesterov");
  }
  b.add(op, std::move(inputs), std::move(attributes), std::vector<std::optional<ir::TensorType>>(adam ? 3 : 2), 1);
}

}  // namespace

void add_special(std::vector<Generator>& out) {
  const std::pair<const char*, void (*)(Builder&, const std::string&)> kEntries[] = {
      {"AffineGrid", affine_grid},
      {"CastLike", cast_like},
      {"CenterCropPad", center_crop_pad},
      {"Col2Im", col2im},
      {"Compress", compress},
      {"ConvInteger", conv_integer},
      {"DFT", dft},
      {"DeformConv", deform_conv},
      {"Det", det},
      {"DynamicQuantizeLinear", dynamic_quantize},
      {"Einsum", einsum},
      {"GlobalLpPool", global_lp_pool},
      {"GridSample", grid_sample},
      {"GroupNormalization", group_normalization},
      {"LpNormalization", lp_normalization},
      {"MatMulInteger", matmul_integer},
      {"MaxRoiPool", max_roi_pool},
      {"MaxUnpool", max_pool_and_back},
      {"NegativeLogLikelihoodLoss", loss},
      {"OneHot", one_hot},
      {"RoiAlign", roi_align},
      {"ScatterND", scatter_nd},
      {"Shrink", shrink},
      {"SoftmaxCrossEntropyLoss", loss},
      {"TfIdfVectorizer", tfidf},
      {"ai.onnx.preview.training.Adagrad", optimiser},
      {"ai.onnx.preview.training.Adam", optimiser},
      {"ai.onnx.preview.training.Momentum", optimiser},
      {"byoc.AffineSample", affine_sample},
      {"byoc.TreeEnsemble", tree_ensemble},
  };
  for (const auto& [op, add] : kEntries) out.push_back({op, 1, add});
}

}  // namespace byoc::check
