// LinearAttention (27): a state that every step of the sequence changes and is read by, computed in float32.
#include "sdk/model/import/onnx/composition.hpp"

namespace byoc::onnx_import {
namespace {

class LinearAttention {
  using Value = Composition::Value;
  using Values = Composition::Values;
  using Integers = std::vector<std::int64_t>;
  enum Input : std::size_t { kQuery, kKey, kValue, kPast, kDecay, kBeta };

 public:
  LinearAttention(Normaliser& e, const ir::Node& node) : e_(e), c_(e, node), node_(node) {}

  Result<void> expand() {
    if (!check()) return failure;
    const std::int64_t key_heads = key_heads_of();
    const std::int64_t heads = std::max(q_heads_, kv_heads_);
    Values scanned{shared(steps(kQuery, q_heads_), q_heads_, heads),
                   shared(steps(kKey, key_heads), key_heads, kv_heads_), steps(kValue, kv_heads_)};
    q_heads_ = heads;
    if (gated_) scanned.push_back(steps(kDecay, kv_heads_));
    if (delta_) scanned.push_back(steps(kBeta, -1));
    Values inputs{initial(scanned[0], scanned[2])};
    inputs.insert(inputs.end(), scanned.begin(), scanned.end());
    const Composition::Attributes attributes{{"body", body()},
                                             {"captures", std::int64_t{0}},
                                             {"num_scan_inputs", static_cast<std::int64_t>(scanned.size())}};
    const Values out = c_.op("Scan", inputs, attributes, 2);
    give_output(scanned[0], out[1]);
    c_.give(1, "CastLike", {out[0], c_.in(kQuery)});
    return {};
  }

 private:
  Result<void> check() {
    q_heads_ = node_.integer("q_num_heads", 0);
    kv_heads_ = node_.integer("kv_num_heads", 0);
    // com.microsoft's has states that share a query, too.
    const bool fits = q_heads_ >= 1 && kv_heads_ >= 1 &&
                      (q_heads_ % kv_heads_ == 0 || (!node_.domain.empty() && kv_heads_ % q_heads_ == 0));
    if (!fits)
      return c_.refuse("the numbers of heads do not fit",
                       std::to_string(q_heads_) + " and " + std::to_string(kv_heads_),
                       "q_num_heads a multiple of kv_num_heads");
    const std::string rule = node_.text("update_rule", "gated_delta");
    gated_ = rule == "gated" || rule == "gated_delta";
    delta_ = rule == "delta" || rule == "gated_delta";
    if (!gated_ && !delta_ && rule != "linear")
      return c_.refuse("update_rule is unknown", rule, "linear, gated, delta or gated_delta");
    if (gated_ != c_.has(kDecay))
      return c_.refuse("decay does not fit the update_rule", c_.has(kDecay) ? "given" : "not given", rule);
    if (delta_ != c_.has(kBeta))
      return c_.refuse("beta does not fit the update_rule", c_.has(kBeta) ? "given" : "not given", rule);
    return {};
  }

  // Keys have as many elements a head as queries: fewer of them than kv_num_heads are shared by states. Heads whose
  // number is not known are one for each state.
  std::int64_t key_heads_of() {
    const auto queries = c_.known_dim(c_.in(kQuery), 2), keys = c_.known_dim(c_.in(kKey), 2);
    if (!queries || !keys || *queries % q_heads_ != 0) return kv_heads_;
    const std::int64_t size = *queries / q_heads_, heads = size == 0 ? 0 : *keys / size;
    return heads >= 1 && kv_heads_ % heads == 0 && heads * size == *keys ? heads : kv_heads_;
  }

  // [length, batch, heads, size] with each head as often as `wanted` ones need it.
  Value shared(Value x, std::int64_t heads, std::int64_t wanted) {
    if (heads == wanted) return x;
    const Value wide =
        c_.op("Expand", {c_.op("Unsqueeze", {x, c_.integers({3})}), c_.integers({1, 1, 1, wanted / heads, 1})});
    return c_.op("Reshape", {wide, c_.integers({0, 0, wanted, -1})});
  }

  Value real(Value x) { return c_.cast(x, DType::f32); }

  // [batch, length, heads * size] becomes [length, batch, heads, size]; of beta, each head has one.
  Value steps(Input which, std::int64_t heads) {
    const Value split = c_.op("Reshape", {real(c_.in(which)), c_.integers({0, 0, heads, heads < 0 ? 1 : -1})});
    return c_.op("Transpose", {split}, {{"perm", Integers{1, 0, 2, 3}}});
  }

  // The state [batch, heads, size of keys, size of values].
  Value initial(Value q, Value v) {
    if (c_.has(kPast)) return real(c_.in(kPast));
    return c_.op("ConstantOfShape",
                 {c_.join({c_.dims(v, 1, 3), c_.dims(q, 3, 4), c_.op("Shape", {v}, {{"start", std::int64_t{3}}})})});
  }

  // (state, query, key, value, decay?, beta?) -> (state, what the query reads)
  std::shared_ptr<ir::Graph> body() {
    auto graph = e_.body("step");
    Normaliser inside(*graph, e_.diags);
    Composition c(inside, node_);
    const auto operand = [&] { return graph->inputs.emplace_back(inside.temporary()); };
    const auto widen = [&](Value x, std::int64_t axis) { return c.op("Unsqueeze", {x, c.integers({axis})}); };
    Value state = operand();
    const Value q = operand(), k = operand(), v = operand();
    if (gated_) state = c.op("Mul", {state, widen(c.op("Exp", {operand()}), -1)});
    Value change = widen(v, -2);
    if (delta_) {
      const Value known = c.op("MatMul", {widen(k, -2), state});
      change = c.op("Mul", {widen(operand(), -1), c.op("Sub", {change, known})});
    }
    state = c.op("Add", {state, c.op("Mul", {widen(k, -1), change})});
    // Queries that share a head of the state are rows of one matrix.
    const Value rows = c.op("Reshape", {q, c.integers({0, kv_heads_, q_heads_ / kv_heads_, -1})});
    const Value read = c.op("Reshape", {c.op("MatMul", {rows, state}), c.integers({0, q_heads_, -1})});
    graph->outputs = {state, read};
    return graph;
  }

  // [length, batch, heads, size] becomes [batch, length, heads * size].
  void give_output(Value q, Value read) {
    const auto* scale = node_.find<float>("scale");
    const Value size = real(c_.op("Shape", {q}, {{"start", std::int64_t{3}}}));
    const Value factor = scale != nullptr ? c_.real(*scale) : c_.op("Reciprocal", {c_.op("Sqrt", {size})});
    const Value turned = c_.op("Transpose", {c_.op("Mul", {read, factor})}, {{"perm", Integers{1, 0, 2, 3}}});
    const Value y = c_.op("Reshape", {turned, c_.integers({0, 0, -1})});
    c_.give(0, "CastLike", {y, c_.in(kQuery)});
  }

  Normaliser& e_;
  Composition c_;
  const ir::Node& node_;
  std::int64_t q_heads_ = 0, kv_heads_ = 0;
  bool gated_ = false, delta_ = false;
};

}  // namespace

Result<void> normalise_linear_attention(Normaliser& e, ir::Node node) { return LinearAttention(e, node).expand(); }

}  // namespace byoc::onnx_import
