// Operators of opsets 22 to 28 and of ai.onnx.preview, against sums that are written out here.
#include <functional>

#include "tests/conformance/one_operator.hpp"

namespace byoc::test {
namespace {

using ::testing::HasSubstr;

// Numbers that look random and are not large.
Numbers some(std::size_t count, std::size_t seed = 1) {
  Numbers out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(std::sin(static_cast<double>(i * 7 + seed * 13)) * 1.5);
  return out;
}

// What Attention is to give, of operands of 4 dims: one row of one head at a time.
struct Attended {
  std::int64_t batch = 1, heads = 2, kv_heads = 2, rows = 3, keys = 4, size = 2, v_size = 3;
  double scale = 0, softcap = 0;
  bool probabilities = false;  // show these instead of the products
  std::function<double(std::int64_t b, std::int64_t h, std::int64_t row, std::int64_t key)> bias;
  Numbers y, scores;

  void compute(const Numbers& q, const Numbers& k, const Numbers& v) {
    for (std::int64_t b = 0; b < batch; ++b)
      for (std::int64_t h = 0; h < heads; ++h)
        for (std::int64_t r = 0; r < rows; ++r) row(q, k, v, b, h, r);
  }

 private:
  void row(const Numbers& q, const Numbers& k, const Numbers& v, std::int64_t b, std::int64_t h, std::int64_t r) {
    const std::int64_t kv = b * kv_heads + h / (heads / kv_heads);
    const auto at = [](const Numbers& n, std::int64_t i) { return n[static_cast<std::size_t>(i)]; };
    Numbers p;
    double sum = 0;
    for (std::int64_t j = 0; j < keys; ++j) {
      double dot = 0;
      for (std::int64_t d = 0; d < size; ++d)
        dot += at(q, ((b * heads + h) * rows + r) * size + d) * at(k, (kv * keys + j) * size + d);
      dot *= scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(size));
      if (!probabilities) scores.push_back(dot);
      if (softcap != 0) dot = std::tanh(dot / softcap) * softcap;
      p.push_back(std::exp(dot + (bias ? bias(b, h, r, j) : 0)));
      sum += p.back();
    }
    for (double& one : p) one = sum == 0 ? 0 : one / sum;
    if (probabilities) scores.insert(scores.end(), p.begin(), p.end());
    for (std::int64_t d = 0; d < v_size; ++d) {
      double out = 0;
      for (std::int64_t j = 0; j < keys; ++j) out += at(p, j) * at(v, (kv * keys + j) * v_size + d);
      y.push_back(out);
    }
  }
};

TEST(NewestOpsets, Attention23) {
  Attended a;
  a.heads = 4;
  a.softcap = 0.7;
  a.scale = 0.3;
  a.bias = [](auto, auto, auto row, auto key) { return key > row ? -INFINITY : 0; };
  const Numbers q = some(24), k = some(16, 2), v = some(24, 3);
  a.compute(q, k, v);
  Case c(23);
  c.in("q", {1, 4, 3, 2}, q).in("k", {1, 2, 4, 2}, k).in("v", {1, 2, 4, 3}, v);
  auto& node = c.op("Attention", {"q", "k", "v"});
  ModelFile::set_int(node, "is_causal", 1);
  ModelFile::set_float(node, "scale", 0.3F);
  ModelFile::set_float(node, "softcap", 0.7F);
  c.gives({1, 4, 3, 3}, a.y).check();
}

// Heads behind one another in 3 dims, a past, a mask of booleans that hides the whole of one row, and all outputs.
TEST(NewestOpsets, Attention24WithPastAndMask) {
  const Numbers q = some(6), k = some(4, 2), past_k = some(4, 5), v = some(4, 3), past_v = some(4, 7);
  const Numbers mask{1, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1};
  Attended a;
  a.heads = a.kv_heads = 1;
  a.v_size = 2;
  a.probabilities = true;
  a.bias = [&](auto, auto, auto row, auto key) {
    return mask[static_cast<std::size_t>(row * 4 + key)] ? 0 : -INFINITY;
  };
  const auto joined = [](Numbers past, const Numbers& now) {
    past.insert(past.end(), now.begin(), now.end());
    return past;
  };
  a.compute(q, joined(past_k, k), joined(past_v, v));
  Case c(24);
  c.in("q", {1, 3, 2}, q).in("k", {1, 2, 2}, k).in("v", {1, 2, 2}, v).in("mask", {3, 4}, mask, TensorProto::BOOL);
  c.in("pk", {1, 1, 2, 2}, past_k).in("pv", {1, 1, 2, 2}, past_v);
  auto& node = c.op("Attention", {"q", "k", "v", "mask", "pk", "pv"}, 4);
  for (const char* heads : {"q_num_heads", "kv_num_heads"}) ModelFile::set_int(node, heads, 1);
  ModelFile::set_int(node, "qk_matmul_output_mode", 3);
  c.gives({1, 3, 2}, a.y).gives({1, 1, 4, 2}, joined(past_k, k)).gives({1, 1, 4, 2}, joined(past_v, v));
  c.gives({1, 1, 3, 4}, a.scores).check();
}

TEST(NewestOpsets, Attention24OfSoManyKeys) {
  const Numbers q = some(12), k = some(16, 2), v = some(24, 3), bias = some(18, 4);
  const std::int64_t valid[] = {3, 4};
  Attended a;
  a.batch = 2;
  a.heads = a.kv_heads = 1;
  // A mask of three keys says nothing of the fourth, which is left out.
  a.bias = [&](auto b, auto, auto row, auto key) {
    if (key >= 3 || key >= valid[b] || key > row + valid[b] - 3) return -INFINITY;
    return static_cast<float>(bias[static_cast<std::size_t>((b * 3 + row) * 3 + key)]);
  };
  a.compute(q, k, v);
  Case c(24);
  c.in("q", {2, 1, 3, 2}, q).in("k", {2, 1, 4, 2}, k).in("v", {2, 1, 4, 3}, v).in("mask", {2, 1, 3, 3}, bias);
  c.in("valid", {2}, {3, 4}, TensorProto::INT64);
  ModelFile::set_int(c.op("Attention", {"q", "k", "v", "mask", "", "", "valid"}, 1), "is_causal", 1);
  c.gives({2, 1, 3, 3}, a.y).check();
}

TEST(NewestOpsets, FlexAttentionChangesScoresAndProbabilities) {
  const Numbers q = some(12), k = some(16, 2), v = some(24, 3);
  Attended a;
  a.bias = [](auto, auto, auto, auto) { return 0; };
  Numbers half = k;
  for (double& n : half) n *= 0.5;  // as if score_mod halved the products
  a.compute(q, half, v);
  for (double& n : a.y) n *= 3;
  Case c(26);
  c.import_opset("ai.onnx.preview", 1);
  c.in("q", {1, 2, 3, 2}, q).in("k", {1, 2, 4, 2}, k).in("v", {1, 2, 4, 3}, v).constant("three", {}, {3});
  auto& node = c.op("FlexAttention", {"q", "k", "v"});
  node.set_domain("ai.onnx.preview");
  const auto add = [&](const char* name, const char* factor) -> ::onnx::GraphProto& {
    auto& graph = *ModelFile::attribute(node, name, ::onnx::AttributeProto::GRAPH).mutable_g();
    graph.set_name(name);
    ModelFile::describe(*graph.add_input(), std::string(name) + "_in", {1, 2, 3, 4});
    graph.add_output()->set_name(std::string(name) + "_out");
    auto& mul = *graph.add_node();
    mul.set_op_type("Mul");
    mul.add_input(std::string(name) + "_in");
    mul.add_input(factor);
    mul.add_output(std::string(name) + "_out");
    return graph;
  };
  auto& own = *add("score_mod", "half").add_initializer();
  own.set_name("half");
  own.set_data_type(TensorProto::FLOAT);
  own.add_float_data(0.5F);
  add("prob_mod", "three");  // captured
  c.gives({1, 2, 3, 3}, a.y).check();
}

TEST(NewestOpsets, RotaryEmbedding23) {
  const Numbers x{1, 2, 3, 4, 5, 6, 7, 8}, cos{0.5, 0.25, 1, 0}, sin{0.1, 0.2, 0, 1};
  Case halves(23);  // [batch, heads, length, size]
  halves.in("x", {1, 1, 2, 4}, x)
      .in("c", {2, 2}, cos)
      .in("s", {2, 2}, sin)
      .in("at", {1, 2}, {1, 0}, TensorProto::INT64);
  halves.op("RotaryEmbedding", {"x", "c", "s", "at"});
  halves.gives({1, 1, 2, 4}, {1, -4, 3, 2, 5 * .5 - 7 * .1, 6 * .25 - 8 * .2, 5 * .1 + 7 * .5, 6 * .2 + 8 * .25})
      .check();
  Case pairs(23);  // of the first two of each head's three elements
  pairs.in("x", {1, 1, 6}, {1, 2, 9, 3, 4, 8}).in("c", {1, 1, 1}, {0.5}).in("s", {1, 1, 1}, {0.1});
  auto& node = pairs.op("RotaryEmbedding", {"x", "c", "s"});
  ModelFile::set_int(node, "interleaved", 1);
  ModelFile::set_int(node, "num_heads", 2);
  ModelFile::set_int(node, "rotary_embedding_dim", 2);
  pairs.gives({1, 1, 6}, {.5 - .2, .1 + 1, 9, 1.5 - .4, .3 + 2, 8}).check();
}

TEST(NewestOpsets, RMSNormalization23) {
  Case c(23);
  c.in("x", {2, 2}, {3, 4, 0, 1}).in("w", {2}, {2, 10});
  ModelFile::set_float(c.op("RMSNormalization", {"x", "w"}), "epsilon", 0.5F);
  const double first = std::sqrt(13);
  c.gives({2, 2}, {6 / first, 40 / first, 0, 10}).check();
  Case all(23);
  all.in("x", {2, 2}, {3, 4, 0, 5}, TensorProto::DOUBLE).in("w", {2, 2}, {1, 2, 3, 4}, TensorProto::DOUBLE);
  ModelFile::set_int(all.op("RMSNormalization", {"x", "w"}), "axis", 0);
  const double root = std::sqrt(12.5 + double{1e-5F});
  all.gives({2, 2}, {3 / root, 8 / root, 0, 20 / root}, TensorProto::DOUBLE).check();
}

TEST(NewestOpsets, Swish24AndSwiGLU28) {
  const auto swish = [](double x, double alpha) { return x / (1 + std::exp(-alpha * x)); };
  Case c(24);
  c.in("x", {3}, {-2, 0, 3});
  ModelFile::set_float(c.op("Swish", {"x"}), "alpha", 1.5F);
  c.gives({3}, {swish(-2, 1.5), 0, swish(3, 1.5)}).check();
  Case gated(28);
  gated.in("a", {3}, {-2, 0, 3}).in("b", {3}, {1, 5, -2});
  gated.op("SwiGLU", {"a", "b"});
  gated.gives({3}, {swish(-2, 1), 0, -2 * swish(3, 1)}).check();
}

TEST(NewestOpsets, TensorScatter24) {
  Case linear(24);
  linear.in("cache", {2, 3, 1}, {1, 2, 3, 4, 5, 6}).in("u", {2, 2, 1}, {7, 8, 9, 10});
  linear.in("at", {2}, {1, 0}, TensorProto::INT64);
  linear.op("TensorScatter", {"cache", "u", "at"});
  linear.gives({2, 3, 1}, {1, 7, 8, 9, 10, 6}).check();
  Case circular(24);
  circular.in("cache", {1, 1, 3}, {1, 2, 3}).in("u", {1, 1, 2}, {7, 8}).in("at", {1}, {2}, TensorProto::INT64);
  auto& node = circular.op("TensorScatter", {"cache", "u", "at"});
  set_text(node, "mode", "circular");
  ModelFile::set_int(node, "axis", -1);
  circular.gives({1, 1, 3}, {8, 2, 7}).check();
  Case first(24);  // from the first place on
  first.in("cache", {1, 3, 1, 1}, {1, 2, 3}).in("u", {1, 2, 1, 1}, {7, 8});
  ModelFile::set_int(first.op("TensorScatter", {"cache", "u"}), "axis", 1);
  first.gives({1, 3, 1, 1}, {7, 8, 3}).check();
}

TEST(NewestOpsets, BitCast26) {
  Case c(26);
  c.in("x", {3}, {1, -2, 0});
  ModelFile::set_int(c.op("BitCast", {"x"}), "to", TensorProto::INT32);
  c.gives({3}, {0x3f800000, -0x40000000, 0}, TensorProto::INT32).check();
  Case narrow(26);
  narrow.in("x", {2}, {-1, 5}, TensorProto::INT8);
  ModelFile::set_int(narrow.op("BitCast", {"x"}), "to", TensorProto::UINT8);
  narrow.gives({2}, {255, 5}, TensorProto::UINT8).check();
}

TEST(NewestOpsets, CumProd26) {
  Case c(26);
  c.in("x", {2, 3}, {1, 2, 3, 4, 5, 6}).axes("axis", {1});
  c.op("CumProd", {"x", "axis"});
  c.gives({2, 3}, {1, 2, 6, 4, 20, 120}).check();
  Case back(26);
  back.in("x", {3}, {2, 3, 4}, TensorProto::INT32).axes("axis", {-1});
  auto& node = back.op("CumProd", {"x", "axis"});
  ModelFile::set_int(node, "exclusive", 1);
  ModelFile::set_int(node, "reverse", 1);
  back.gives({3}, {12, 4, 1}, TensorProto::INT32).check();
}

TEST(NewestOpsets, CausalConvWithState27) {
  Case c(27);
  c.in("x", {1, 2, 3}, {1, 2, 3, 4, 5, 6}).in("w", {2, 1, 2}, {10, 1, 100, -1}).in("b", {2}, {0.5, 0});
  c.in("past", {1, 2, 1}, {7, 8});
  c.op("CausalConvWithState", {"x", "w", "b", "past"}, 2);
  c.gives({1, 2, 3}, {71.5, 12.5, 23.5, 796, 395, 494}).gives({1, 2, 1}, {3, 6}).check();
  Case short_input(27);
  short_input.in("x", {1, 1, 1}, {2}).in("w", {1, 1, 3}, {5, 7, 0.25});
  set_text(short_input.op("CausalConvWithState", {"x", "w"}, 2), "activation", "silu");
  short_input.gives({1, 1, 1}, {0.5 / (1 + std::exp(-0.5))}).gives({1, 1, 2}, {0, 2}).check();
}

// Two steps of one batch: two queries share a state of keys and values of 2.
TEST(NewestOpsets, LinearAttention27) {
  const Numbers q = some(8), k = some(4, 2), v = some(4, 3), past = some(4, 5), decay{-0.5, 0.25}, beta{0.75, 0.5};
  Numbers state = past, y;
  for (std::size_t t = 0; t < 2; ++t) {
    Numbers known(2);
    for (std::size_t i = 0; i < 4; ++i) state[i] *= std::exp(decay[t]);
    for (std::size_t i = 0; i < 4; ++i) known[i % 2] += k[t * 2 + i / 2] * state[i];
    for (std::size_t i = 0; i < 4; ++i) state[i] += k[t * 2 + i / 2] * beta[t] * (v[t * 2 + i % 2] - known[i % 2]);
    for (std::size_t h = 0; h < 2; ++h)
      for (std::size_t d = 0; d < 2; ++d)
        y.push_back((q[t * 4 + h * 2] * state[d] + q[t * 4 + h * 2 + 1] * state[2 + d]) / std::sqrt(2));
  }
  Case c(27);
  c.in("q", {1, 2, 4}, q).in("k", {1, 2, 2}, k).in("v", {1, 2, 2}, v).in("past", {1, 1, 2, 2}, past);
  c.in("decay", {1, 2, 1}, decay).in("beta", {1, 2, 1}, beta);
  auto& node = c.op("LinearAttention", {"q", "k", "v", "past", "decay", "beta"}, 2);
  ModelFile::set_int(node, "q_num_heads", 2);
  ModelFile::set_int(node, "kv_num_heads", 1);
  c.gives({1, 2, 4}, y).gives({1, 1, 2, 2}, state).check();
}

TEST(NewestOpsets, DFT20BackToRealNumbers) {
  const Numbers x{1, -2, 0.5, 3, 4, -1};
  for (const std::size_t n : {5, 6}) {
    Numbers half;  // the first half of the transform
    for (std::size_t k = 0; k <= n / 2; ++k)
      for (const double phase : {0.0, M_PI / 2}) {
        double sum = 0;
        for (std::size_t t = 0; t < n; ++t)
          sum += x[t] * std::cos(2 * M_PI * static_cast<double>(k * t) / static_cast<double>(n) + phase);
        half.push_back(sum);
      }
    Case c(20);
    c.in("x", {1, static_cast<std::int64_t>(n / 2 + 1), 2}, half);
    c.constant("n", {}, {static_cast<double>(n)}, TensorProto::INT64);
    auto& node = c.op("DFT", {"x", "n"});
    ModelFile::set_int(node, "inverse", 1);
    ModelFile::set_int(node, "onesided", 1);
    c.gives({1, static_cast<std::int64_t>(n), 1}, {x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n)}).check();
  }
}

TEST(NewestOpsets, Range27OfFloat16) {
  Case c(27);
  for (const auto& [name, value] : std::map<std::string, double>{{"a", 1}, {"b", 2.5}, {"d", 0.5}})
    c.constant(name, {}, {value}, TensorProto::FLOAT16);
  c.op("Range", {"a", "b", "d"});
  c.gives({3}, {1, 1.5, 2}, TensorProto::FLOAT16).check();
}

// What is not chosen need not make sense: a Split into four of five elements.
TEST(NewestOpsets, IfOfAShapeIsChosenBeforeItsBranchesAreLookedAt) {
  Case c(22);
  c.in("x", {5}, {1, 2, 3, 4, 5}).constant("four", {}, {4}, TensorProto::INT64);
  c.node("Size", {"x"}, {"size"});
  c.node("Equal", {"size", "four"}, {"is_four"});
  auto& node = c.op("If", {"is_four"});
  const auto branch = [&](const char* name, const char* op,
                          const std::vector<std::string>& outputs) -> ::onnx::NodeProto& {
    auto& graph = *ModelFile::attribute(node, name, ::onnx::AttributeProto::GRAPH).mutable_g();
    auto& inner = *graph.add_node();
    inner.set_op_type(op);
    inner.add_input("x");
    for (const auto& o : outputs) inner.add_output(o);
    graph.add_output()->set_name(outputs[0]);
    return inner;
  };
  ModelFile::set_int(branch("then_branch", "Split", {"p", "q", "r", "s"}), "num_outputs", 4);
  branch("else_branch", "Neg", {"n"});
  c.gives({5}, {-1, -2, -3, -4, -5}).check();
}

TEST(NewestOpsets, QLinearMatMul21WithScalesOf16Bits) {
  Case c(21);
  c.in("a", {1, 2}, {3, 5}, TensorProto::INT8).in("b", {2, 1}, {2, -1}, TensorProto::INT8);
  for (const char* scale : {"as", "bs", "ys"}) c.constant(scale, {1}, {0.5}, TensorProto::FLOAT16);
  for (const char* zero : {"az", "bz", "yz"}) c.constant(zero, {1}, {1}, TensorProto::INT8);
  c.op("QLinearMatMul", {"a", "as", "az", "b", "bs", "bz", "ys", "yz"});
  c.gives({1, 1}, {-2}, TensorProto::INT8).check();  // (2 * 1 - 4 * 2) * 0.5 + 1
}

TEST(NewestOpsets, DequantizeLinear23GivesTheTypeThatItSays) {
  Case c(23);
  c.in("x", {2}, {3, 5}, TensorProto::UINT8).constant("scale", {}, {0.5});
  ModelFile::set_int(c.op("DequantizeLinear", {"x", "scale"}), "output_dtype", TensorProto::FLOAT16);
  c.gives({2}, {1.5, 2.5}, TensorProto::FLOAT16).check();
}

}  // namespace
}  // namespace byoc::test
