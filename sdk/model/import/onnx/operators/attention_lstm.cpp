// com.microsoft's AttnLSTM: an LSTM that reads beside each step what its last result attends to in a memory, by
// Bahdanau's additive attention. A Scan over the steps has an LSTM of one step as its cell.
#include <limits>

#include "sdk/model/import/onnx/operators/attention_parts.hpp"
#include "sdk/model/import/onnx/operators/expectation.hpp"

namespace byoc::onnx_import {
namespace {

class AttentionLstm {
  using Value = Composition::Value;
  using Values = Composition::Values;
  using Attributes = Composition::Attributes;
  enum Input : std::size_t {
    kX,
    kWeights,
    kRecurrent,
    kBias,
    kLengths,
    kHidden,
    kCell,
    kPeepholes,
    kQueryWeights,
    kMemoryWeights,
    kScoreWeights,
    kMemory,
    kMemoryLengths,
    kLayerWeights,
    kKeys,   // made of the memory: f32[batch, steps, size of queries]
    kValid,  // bool[batch, steps]
    kSlots
  };
  // Operands that have a part for each direction.
  static constexpr Input kByDirection[] = {kWeights,   kRecurrent,    kBias,          kHidden,       kCell,
                                           kPeepholes, kQueryWeights, kMemoryWeights, kScoreWeights, kLayerWeights};

 public:
  AttentionLstm(Normaliser& e, const ir::Node& node) : e_(e), c_(e, node), node_(node) {}

  Result<void> expand() {
    const std::string direction = node_.text("direction", "forward");
    const bool both = direction == "bidirectional";
    if (!both && direction != "forward" && direction != "reverse")
      return c_.refuse("direction is unknown", direction, "forward, reverse or bidirectional");
    if (!check(both)) return failure;
    valid_ = valid_memory();
    std::vector<Values> results;
    for (std::size_t d = 0; d < (both ? 2 : 1); ++d) results.push_back(one_direction(d, both, direction == "reverse"));
    for (std::size_t output = 0; output < 3; ++output) {
      const std::int64_t axis = output == 0 ? 1 : 0;  // of the directions
      Values parts;
      for (const Values& r : results) parts.push_back(c_.op("Unsqueeze", {r[output], c_.integers({axis})}));
      c_.give(output, "Concat", parts, {{"axis", axis}});
    }
    return {};
  }

 private:
  Result<void> check(bool both) {
    if (node_.integer("hidden_size", 0) < 1)
      return c_.refuse("hidden_size is out of range", std::to_string(node_.integer("hidden_size", 0)), "at least 1");
    const auto* names = node_.find<std::vector<std::string>>("activations");
    const std::size_t functions = both ? 6 : 3;
    if (names != nullptr && names->size() != functions)
      return c_.refuse("activations has the wrong length", std::to_string(names->size()), std::to_string(functions));
    for (const char* key : {"activation_alpha", "activation_beta"})
      if (both && node_.attributes.contains(key))
        return c_.refuse(std::string(key) + " of two directions is not supported");
    return {};
  }

  // bool[batch, steps of the memory]: what may be attended to; no value where that is all.
  Value valid_memory() {
    if (!c_.has(kMemoryLengths)) return ir::kNoValue;
    const Value lengths = c_.cast(c_.in(kMemoryLengths), DType::i64), all = c_.dim(c_.in(kMemory), 1);
    const Value inside =
        c_.op("And", {c_.op("Greater", {lengths, c_.integer(0)}), c_.op("LessOrEqual", {lengths, all})});
    const Value checked = expected(e_, node_, lengths, inside, "memory_seq_lens is out of range");
    return c_.op("Less", {count_to(c_, all), c_.op("Unsqueeze", {checked, c_.integers({1})})});
  }

  // -> all results [steps, batch, hidden], the last result and the last cell
  Values one_direction(std::size_t which, bool both, bool reverse) {
    Values in(kSlots, ir::kNoValue);
    for (const Input i : kByDirection)
      if (c_.has(i)) in[i] = c_.op("Gather", {c_.in(i), c_.integer(static_cast<std::int64_t>(which))});
    const bool turned = both ? which == 1 : reverse;
    const Value batch = c_.dim(c_.in(kX), 1), hidden = c_.integers({node_.integer("hidden_size", 0)});
    const auto state = [&](Value given, Value width) {
      if (given != ir::kNoValue) return given;
      return c_.op("CastLike", {c_.op("ConstantOfShape", {c_.join({batch, width})}), c_.in(kX)});
    };
    const Value attended = in[kLayerWeights] == ir::kNoValue ? c_.dim(c_.in(kMemory), 2) : c_.dim(in[kLayerWeights], 1);
    const Value steps = count_to(c_, c_.dim(c_.in(kX), 0));
    Values inputs{state(in[kHidden], hidden), state(in[kCell], hidden), state(ir::kNoValue, attended), c_.in(kX),
                  steps};
    in[kMemory] = c_.in(kMemory);
    in[kLengths] = c_.has(kLengths) ? c_.cast(c_.in(kLengths), DType::i64) : ir::kNoValue;
    in[kKeys] = c_.op("MatMul", {c_.in(kMemory), in[kMemoryWeights]});
    in[kValid] = valid_;
    in[kHidden] = in[kCell] = in[kMemoryWeights] = ir::kNoValue;
    Attributes attributes{{"body", body(in, which, both)}, {"num_scan_inputs", std::int64_t{2}}};
    std::int64_t captures = 0;
    for (const Value v : in)
      if (v != ir::kNoValue) inputs.push_back(v), ++captures;
    attributes["captures"] = captures;
    if (turned) {
      attributes["scan_input_directions"] = std::vector<std::int64_t>{1, 1};
      attributes["scan_output_directions"] = std::vector<std::int64_t>{1};
    }
    const Values out = c_.op("Scan", inputs, attributes, 4);
    return {out[3], out[0], out[1]};
  }

  // (result, cell, what was attended to, x, step, captures...) -> (the new ones, the result). `captured` tells which
  // operands there are. A step beyond the end of a sequence changes nothing and gives zeros: in reverse such steps come
  // first.
  std::shared_ptr<ir::Graph> body(const Values& captured, std::size_t which, bool both) {
    auto graph = e_.body("step");
    Normaliser inside(*graph, e_.diags);
    Composition c(inside, node_);
    const auto operand = [&] { return graph->inputs.emplace_back(inside.temporary()); };
    const Value hidden = operand(), cell = operand(), attended = operand(), x = operand(), step = operand();
    Values in(kSlots, ir::kNoValue);
    for (std::size_t i = 0; i < in.size(); ++i)
      if (captured[i] != ir::kNoValue) in[i] = operand();
    const auto widen = [&](Value v) { return v == ir::kNoValue ? v : c.op("Unsqueeze", {v, c.integers({0})}); };
    const auto narrow = [&](Value v) { return c.op("Squeeze", {v, c.integers({0})}); };
    const Attributes behind{{"axis", std::int64_t{-1}}};
    const Value both_inputs = c.op("Concat", {x, attended}, behind);
    const Values cells = c.op("LSTM",
                              {widen(both_inputs), widen(in[kWeights]), widen(in[kRecurrent]), widen(in[kBias]),
                               ir::kNoValue, widen(hidden), widen(cell), widen(in[kPeepholes])},
                              cell_attributes(which, both), 3);
    const Value result = narrow(cells[1]);
    Value context = attention(c, in, result);
    if (in[kLayerWeights] != ir::kNoValue)
      context = c.op("MatMul", {c.op("Concat", {result, context}, behind), in[kLayerWeights]});
    Values changed{result, narrow(cells[2]), context, result};
    if (in[kLengths] != ir::kNoValue) {
      const Value counts = c.op("Unsqueeze", {c.op("Less", {step, in[kLengths]}), c.integers({1})});
      const Value before[] = {hidden, cell, attended, c.real_like(0, result)};
      for (std::size_t i = 0; i < 4; ++i) changed[i] = c.op("Where", {counts, changed[i], before[i]});
    } else {
      changed[3] = c.op("Identity", {result});
    }
    graph->outputs = changed;
    return graph;
  }

  Attributes cell_attributes(std::size_t which, bool both) {
    Attributes out{{"hidden_size", node_.integer("hidden_size", 0)}};
    for (const char* key : {"activation_alpha", "activation_beta", "clip", "input_forget"})
      if (const auto it = node_.attributes.find(key); it != node_.attributes.end()) out.insert(*it);
    if (const auto* names = node_.find<std::vector<std::string>>("activations")) {
      const auto first = names->begin() + static_cast<std::ptrdiff_t>(both ? 3 * which : 0);
      out["activations"] = std::vector<std::string>(first, first + 3);
    }
    return out;
  }

  // [batch, size of the memory]: the memory's steps, weighed by how well their keys go with a result.
  static Value attention(Composition& c, const Values& in, Value result) {
    const Value query = c.op("Unsqueeze", {c.op("MatMul", {result, in[kQueryWeights]}), c.integers({1})});
    const Value sums = c.op("Tanh", {c.op("Add", {in[kKeys], query})});
    Value scores =
        c.op("ReduceSum", {c.op("Mul", {sums, in[kScoreWeights]}), c.integers({-1})}, {{"keepdims", std::int64_t{0}}});
    if (in[kValid] != ir::kNoValue) {
      const Value none = c.real_like(-std::numeric_limits<float>::infinity(), scores);
      scores = c.op("Where", {in[kValid], scores, none});
    }
    const Value weights = c.op("Unsqueeze", {c.op("Softmax", {scores}, {{"axis", std::int64_t{-1}}}), c.integers({1})});
    return c.op("Squeeze", {c.op("MatMul", {weights, in[kMemory]}), c.integers({1})});
  }

  Normaliser& e_;
  Composition c_;
  const ir::Node& node_;
  Value valid_ = ir::kNoValue;
};

}  // namespace

// X, W, R, B, sequence_lens, initial_h, initial_c and P as LSTM has them; weights of queries, of the memory and of
// scores, the memory [batch, steps, size], its lengths, weights of a layer over result and context.
Result<void> normalise_attention_lstm(Normaliser& e, ir::Node node) { return AttentionLstm(e, node).expand(); }

}  // namespace byoc::onnx_import
