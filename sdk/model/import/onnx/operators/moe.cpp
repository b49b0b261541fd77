// com.microsoft's MoE and QMoE: each row goes to the k experts that a router chooses, small networks of two or three
// layers. https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
//
// Every expert computes every row here, and what the router did not choose counts 0 times.
#include <limits>

#include "sdk/model/import/onnx/operators/packed_codes.hpp"
#include "sdk/model/ir/onnx_types.hpp"

namespace byoc::onnx_import {
namespace {

using Value = Composition::Value;

// The inputs of one layer of all experts.
struct ExpertLayer {
  std::size_t weights, bias;
  std::size_t scales = 0, zeros = 0;  // of QMoE
};

class Experts {
  enum Input : std::size_t { kRows, kRouter };
  using Integers = std::vector<std::int64_t>;

 public:
  Experts(Normaliser& e, const ir::Node& node) : c_(e, node), node_(node), quantised_(node.op == "QMoE") {
    if (quantised_) {
      first_ = {2, 4, 3, 11}, second_ = {5, 7, 6, 12}, third_ = {8, 10, 9, 13};
    } else {
      first_ = {2, 3}, second_ = {4, 5}, third_ = {6, 7};
    }
  }

  Result<void> expand() {
    if (!check()) return failure;
    const Value rows = c_.op("Reshape", {c_.in(kRows), c_.join({c_.integers({-1}), c_.dim(c_.in(kRows), -1)})});
    const Value chosen = routing();
    const Value x = c_.op("Unsqueeze", {rows, c_.integers({0})});
    Value hidden = layer(x, first_);
    if (c_.has(third_.weights))
      hidden = c_.op("Mul", {activated(hidden), layer(x, third_)});
    else
      hidden = activation_ == "swiglu" ? swiglu(hidden) : activated(hidden);
    const Value y = layer(hidden, second_);  // [experts, rows, size]
    const Value weights =
        c_.op("Transpose", {c_.op("Unsqueeze", {chosen, c_.integers({2})})}, {{"perm", Integers{1, 0, 2}}});
    const Value sum =
        c_.op("ReduceSum", {c_.op("Mul", {y, weights}), c_.integers({0})}, {{"keepdims", std::int64_t{0}}});
    c_.give(0, "Reshape", {sum, c_.op("Shape", {c_.in(kRows)})});
    return {};
  }

 private:
  Result<void> check() {
    activation_ = node_.text("activation_type", "relu");
    fusion_ = node_.integer("swiglu_fusion", 0);
    k_ = node_.integer("k", 1);
    const auto experts = c_.known_dim(c_.in(kRouter), 1);
    if (k_ < 1 || (experts && k_ > *experts))
      return c_.refuse("k is out of range", std::to_string(k_), "1 to the number of experts");
    if (node_.integer("use_sparse_mixer", 0) != 0) return c_.refuse("use_sparse_mixer is not supported", "1", "0");
    const bool known = activation_ == "relu" || activation_ == "gelu" || activation_ == "silu" ||
                       activation_ == "swiglu" || activation_ == "identity";
    if (!known) return c_.refuse("activation_type is unknown", activation_, "relu, gelu, silu, swiglu or identity");
    if (fusion_ < 0 || fusion_ > 2)
      return c_.refuse("swiglu_fusion is out of range", std::to_string(fusion_), "0 to 2");
    if (activation_ == "swiglu" && (fusion_ == 0) != c_.has(third_.weights))
      return c_.refuse("swiglu_fusion does not fit the third weights", std::to_string(fusion_),
                       c_.has(third_.weights) ? "0" : "1 or 2");
    if (!quantised_) return check_layout();
    const std::int64_t bits = node_.integer("expert_weight_bits", 4);
    if (bits != 4 && bits != 8 && bits != 2)
      return c_.refuse("expert_weight_bits are not supported", std::to_string(bits), "2, 4 or 8");
    bits_ = static_cast<unsigned>(bits);
    if (const std::string type = node_.text("quant_type", "int"); type != "int")
      return c_.refuse("quant_type is not supported", type, "int");
    return {};
  }

  // Weights are [experts, outputs, inputs]; older models have [experts, inputs, outputs].
  Result<void> check_layout() {
    const auto rank = c_.rank_of_input(kRows);
    if (!rank) return failure;
    if (*rank == 0) return c_.refuse("the input has the wrong rank", "0", "2 or 3");
    const auto size = c_.known_dim(c_.in(kRows), *rank - 1);
    const auto outputs = c_.known_dim(c_.in(second_.weights), 1);
    if (!size || !outputs)
      return c_.refuse("the shapes of the input and of the weights are not stated", {}, "a value_info for each");
    turned_ = *size == *outputs;
    return {};
  }

  // [rows, experts]: how much of each expert a row gets.
  Value routing() {
    const Value p = c_.op("Softmax", {c_.in(kRouter)}, {{"axis", std::int64_t{-1}}});
    const auto top = c_.op("TopK", {p, c_.integers({k_})}, {{"axis", std::int64_t{-1}}}, 2);
    Value most = top[0];
    if (node_.integer("normalize_routing_weights", 0) != 0)
      most = c_.op("Div", {most, c_.op("ReduceSum", {most, c_.integers({-1})}, {{"keepdims", std::int64_t{1}}})});
    const Value none = c_.op("Sub", {p, p});
    return c_.op("ScatterElements", {none, top[1], most}, {{"axis", std::int64_t{1}}});
  }

  // x [1 or experts, rows, inputs] times the weights of each expert.
  Value layer(Value x, const ExpertLayer& from) {
    Value w = quantised_ ? dequantised(from) : c_.in(from.weights);
    if (quantised_ || turned_) w = c_.op("Transpose", {w}, {{"perm", Integers{0, 2, 1}}});
    const Value y = c_.op("MatMul", {x, w});
    return c_.has(from.bias) ? c_.op("Add", {y, c_.op("Unsqueeze", {c_.in(from.bias), c_.integers({1})})}) : y;
  }

  // Weights [experts, outputs, inputs] from codes in bytes; scales are one for each output, or for each block of it.
  Value dequantised(const ExpertLayer& from) {
    const Value scales = c_.in(from.scales);
    const auto real = [&](Value codes) { return c_.op("CastLike", {codes, scales}); };
    const Value codes = real(unpacked_codes(c_, c_.in(from.weights), bits_));
    const std::int64_t block = node_.integer("block_size", 0);
    Value zeros = c_.real_like(static_cast<float>(1U << (bits_ - 1)), scales);
    if (block <= 0) {
      if (c_.has(from.zeros)) zeros = real(c_.op("Unsqueeze", {c_.in(from.zeros), c_.integers({2})}));
      return c_.op("Mul", {c_.op("Sub", {codes, zeros}), c_.op("Unsqueeze", {scales, c_.integers({2})})});
    }
    if (c_.has(from.zeros)) {
      const Value all = real(unpacked_codes(c_, c_.in(from.zeros), bits_));
      const Value own = c_.op("Slice", {all, c_.integers({0}), c_.dim(scales, -1), c_.integers({-1})});
      zeros = c_.op("Unsqueeze", {own, c_.integers({3})});
    }
    const Value apart = c_.op("Reshape", {codes, c_.integers({0, 0, -1, block})});
    const Value w = c_.op("Mul", {c_.op("Sub", {apart, zeros}), c_.op("Unsqueeze", {scales, c_.integers({3})})});
    return c_.op("Reshape", {w, c_.integers({0, 0, -1})});
  }

  Value activated(Value x) {
    if (activation_ == "identity") return x;
    if (activation_ == "relu") return c_.op("Relu", {x});
    if (activation_ == "gelu") return c_.op("Gelu", {x}, {{"approximate", std::string("tanh")}});
    return c_.op("Swish", {x});
  }

  // g * sigmoid(alpha * g) * (l + beta) of gates g and linear parts l: side by side, or one half behind the other.
  Value swiglu(Value x) {
    const auto part = [&](std::int64_t first) {
      constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
      if (fusion_ == 2) return c_.op("Split", {x}, {{"axis", std::int64_t{-1}}}, 2)[static_cast<std::size_t>(first)];
      return c_.op("Slice", {x, c_.integers({first}), c_.integers({kEnd}), c_.integers({-1}), c_.integers({2})});
    };
    Value gate = part(0), linear = part(1);
    if (const auto* limit = node_.find<float>("swiglu_limit")) {
      gate = c_.op("Min", {gate, c_.real_like(*limit, x)});
      linear = c_.op("Clip", {linear, c_.real_like(-*limit, x), c_.real_like(*limit, x)});
    }
    const Value open = c_.op("Swish", {gate}, {{"alpha", node_.real("activation_alpha", 1)}});
    return c_.op("Mul", {open, c_.op("Add", {linear, c_.real_like(node_.real("activation_beta", 0), x)})});
  }

  Composition c_;
  const ir::Node& node_;
  const bool quantised_;
  ExpertLayer first_{}, second_{}, third_{};
  std::string activation_;
  std::int64_t k_ = 1, fusion_ = 0;
  unsigned bits_ = 8;
  bool turned_ = true;  // the outputs of weights come before their inputs
};

}  // namespace

Result<void> normalise_moe(Normaliser& e, ir::Node node) { return Experts(e, node).expand(); }

}  // namespace byoc::onnx_import
