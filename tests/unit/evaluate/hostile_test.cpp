// Operands that do not fit the operator: a result or an error that names the node, never a crash. Fixed seeds; run
// under the sanitizers by the sanitize preset.
#include <random>

#include "sdk/model/evaluate/value.hpp"
#include "sdk/model/ir/operators.hpp"
#include "tests/unit/evaluate/evaluating.hpp"

namespace byoc::test {
namespace {

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::int64_t below(std::int64_t n) { return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random_); }
  bool chance(int percent) { return below(100) < percent; }

  ir::TensorType type() {
    constexpr DType kTypes[] = {DType::f32, DType::f32, DType::f32, DType::i8,  DType::i8,  DType::u8,      DType::i16,
                                DType::i32, DType::i64, DType::i64, DType::f64, DType::f16, DType::boolean, DType::i4};
    ir::TensorType t;
    t.dtype = kTypes[below(std::ssize(kTypes))];
    t.dims.emplace();
    for (std::int64_t rank = below(6); rank > 0; --rank) t.dims->push_back(chance(5) ? 0 : 1 + below(4));
    if (chance(50) && (t.dtype == DType::i8 || t.dtype == DType::u8 || t.dtype == DType::i16))
      t.quantisation = quantisation(t);
    return t;
  }

  evaluate::Tensor tensor(ir::TensorType t) {
    std::vector<std::byte> bytes(t.bytes());
    for (std::byte& b : bytes) b = static_cast<std::byte>(below(256));
    // Shapes and axes that nearly make sense reach further than random bits.
    if (t.dtype == DType::i64)
      for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
        const std::int64_t v = chance(90) ? below(7) - 2 : INT64_MIN + below(3);
        std::memcpy(bytes.data() + i, &v, 8);
      }
    return {std::move(t), Blob::own(std::move(bytes))};
  }

  // Strings, a sequence or an optional in its place, now and then.
  evaluate::Tensor held(evaluate::Tensor t) {
    if (chance(40)) return t;
    if (chance(40)) {
      std::vector<std::string> texts(static_cast<std::size_t>(t.type.elements()));
      for (std::string& text : texts) text = std::string(static_cast<std::size_t>(below(3)), chance(50) ? 'a' : '7');
      return evaluate::tensor_of(*t.type.dims, std::move(texts));
    }
    if (chance(30)) return evaluate::optional_of(t.type, chance(50) ? std::optional(t) : std::nullopt);
    std::vector<evaluate::Tensor> items(static_cast<std::size_t>(below(4)), t);
    return evaluate::sequence_of(chance(95) ? t.type.dtype : DType::u16, std::move(items));
  }

  std::vector<std::int64_t> list(std::int64_t longest) {
    std::vector<std::int64_t> out(static_cast<std::size_t>(below(longest + 1)));
    for (std::int64_t& v : out) v = chance(95) ? below(4) : INT64_MAX - below(2);
    return out;
  }

  void attributes(ir::Node& node) {
    for (const char* key : {"axis",
                            "group",
                            "keepdims",
                            "transA",
                            "transB",
                            "allowzero",
                            "ceil_mode",
                            "to",
                            "start",
                            "end",
                            "count_include_pad",
                            "keep_num_dims",
                            "noop_with_empty_axes",
                            "blocksize",
                            "batch_dims",
                            "upper",
                            "largest",
                            "batch_axis",
                            "time_axis",
                            "output_height",
                            "sampling_ratio",
                            "align_corners",
                            "antialias",
                            "exclude_outside",
                            "max_gram_length",
                            "max_skip_count"})
      if (chance(30)) node.attributes[key] = chance(95) ? below(8) - 3 : INT64_MIN;
    for (const char* key : {"kernel_shape", "strides", "dilations", "pads", "perm", "axes", "pooled_shape",
                            "ngram_counts", "ngram_indexes", "pool_int64s"})
      if (chance(40)) node.attributes[key] = list(6);
    if (chance(40)) node.attributes["data_layout"] = std::string(chance(80) ? "NHWC" : "other");
    if (chance(40)) node.attributes["filter_layout"] = std::string(chance(50) ? "OHWI" : "IHWO");
    if (chance(20)) node.attributes["activation"] = std::string(chance(80) ? "relu6" : "other");
    constexpr const char* kModes[] = {"reflect", "edge", "wrap", "linear", "cubic", "CRD", "TFIDF", "max"};
    if (chance(40)) node.attributes["mode"] = std::string(kModes[below(std::ssize(kModes))]);
    constexpr const char* kEquations[] = {"ij,jk", "...i->...", "ii->i", "a,b,c->", "->", ",", "i..j"};
    if (chance(40)) node.attributes["equation"] = std::string(kEquations[below(std::ssize(kEquations))]);
    if (chance(20)) node.attributes["reduction"] = std::string(chance(50) ? "add" : "max");
    if (chance(20))
      node.attributes["coordinate_transformation_mode"] =
          std::string(chance(50) ? "tf_crop_and_resize" : "align_corners");
    if (chance(20)) node.attributes["beta"] = chance(50) ? -1.0F : 1e30F;
    if (chance(50)) {
      const evaluate::Tensor t = tensor(type());
      node.attributes["value"] = ir::Tensor{t.type, chance(90) ? t.bytes : Blob()};
    }
  }

 private:
  Quantisation quantisation(const ir::TensorType& t) {
    Quantisation q;
    if (chance(40)) q.axis = static_cast<std::int32_t>(below(4));
    std::size_t n = 1;
    if (q.per_axis() && chance(80) && static_cast<std::size_t>(q.axis) < t.dims->size())
      n = static_cast<std::size_t>((*t.dims)[static_cast<std::size_t>(q.axis)]);
    for (std::size_t i = 0; i < n; ++i) {
      q.scales.push_back(chance(95) ? 0.1F : chance(50) ? 1e-38F : 1e38F);
      q.zero_points.push_back(chance(95) ? below(20) : 1000);
    }
    return q;
  }

  std::mt19937 random_;
};

TEST(Hostile, noChannelsAreNormalised) {
  const std::string x = "const %x : f32[1,0,8,2] = [] const %n : f32[0] = [] const %t : f32[2] = [1, 2] ";
  EXPECT_TRUE(result_of<float>(x + "%y = InstanceNormalization.17(%x, %n, %n) output %y").empty());
  EXPECT_TRUE(result_of<float>(x + "%y = GroupNormalization.18(%x, %t, %t) {num_groups=2} output %y").empty());
  EXPECT_TRUE(result_of<float>(x + "%y = GroupNormalization.21(%x, %n, %n) {num_groups=2} output %y").empty());
}

TEST(Hostile, anyOperandsGiveAResultOrAnError) {
  std::size_t computed = 0;
  for (const ir::Operator& op : ir::operators())
    for (unsigned seed = 0; seed < 400; ++seed) {
      Generator g(seed);
      ir::Graph graph;
      graph.requant = g.chance(50) ? Requant::tflite : Requant::onnx;
      ir::Node node;
      node.domain = op.domain;
      node.op = op.name;
      node.version = g.chance(50) ? 11 : 13;
      g.attributes(node);
      const auto most = static_cast<std::int64_t>(std::min(op.arity.most_inputs, op.arity.least_inputs + 3));
      const auto least = static_cast<std::int64_t>(op.arity.least_inputs);
      const std::int64_t count = least + g.below(most - least + 1);
      std::vector<evaluate::Tensor> tensors;
      for (std::int64_t i = 0; i < count; ++i)
        tensors.push_back(g.tensor(i > 0 && g.chance(60) ? tensors[0].type : g.type()));
      if (seed % 4 == 3)
        for (evaluate::Tensor& t : tensors) t = g.held(std::move(t));
      std::vector<const evaluate::Tensor*> operands;
      for (const evaluate::Tensor& t : tensors) {
        operands.push_back(g.chance(97) ? &t : nullptr);
        node.inputs.push_back(ir::kNoValue);
      }
      ir::Value out;
      if (g.chance(50)) out.type = g.type();
      if (!tensors.empty() && g.chance(60)) {
        out.type = tensors[0].type;
        out.type.dims.reset();
      }
      node.outputs.push_back(graph.add_value(out));
      Diagnostics diags;
      const auto results = evaluate::evaluate_node(graph, node, operands, diags);
      computed += results ? 1 : 0;
      ASSERT_NE(static_cast<bool>(results), diags.has_errors()) << node.describe() << " seed " << seed;
      if (results)
        for (const evaluate::Tensor& t : *results) ASSERT_TRUE(evaluate::is_whole(t)) << node.describe();
      else
        ASSERT_THAT(all_errors(diags), HasSubstr(node.describe()));
    }
  // The generator must get past the checks often enough to mean something.
  EXPECT_GT(computed, 1000U);
}

}  // namespace
}  // namespace byoc::test
