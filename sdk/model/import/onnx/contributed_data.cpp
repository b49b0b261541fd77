// ONNX Runtime's own operators that gather, move and resize data, in the table of operators.
#include "sdk/model/import/onnx/operators.hpp"

namespace byoc::onnx_import {
namespace {

using Kind = AttributeKind;

constexpr std::string_view kContributed = "com.microsoft";
constexpr std::int64_t kEveryVersion = std::numeric_limits<std::int64_t>::max();

}  // namespace

void add_contributed_data(std::vector<OperatorRule>& rules) {
  rules.push_back({kContributed,
                   "GatherBlockQuantized",
                   1,
                   kEveryVersion,
                   3,
                   4,
                   1,
                   {{"bits", Kind::integer},
                    {"block_size", Kind::integer},
                    {"gather_axis", Kind::integer},
                    {"quantize_axis", Kind::integer}},
                   normalise_gather_block_quantized});
  rules.push_back({kContributed, "GatherND", 1, kEveryVersion, 2, 2, 1, {}, normalise_gather_nd});
  rules.push_back({kContributed, "Pad", 1, kEveryVersion, 2, 3, 1, {{"mode", Kind::text}}, normalise_contributed_pad});
  rules.push_back({kContributed,
                   "CausalConvWithState",
                   1,
                   kEveryVersion,
                   2,
                   4,
                   2,
                   {{"activation", Kind::text}, {"ndim", Kind::integer}},
                   normalise_contributed_causal_conv});
  rules.push_back({kContributed,
                   "LinearAttention",
                   1,
                   kEveryVersion,
                   3,
                   6,
                   2,
                   {{"chunk_size", Kind::integer},
                    {"kv_num_heads", Kind::integer, 1, kEveryVersion, true},
                    {"q_num_heads", Kind::integer, 1, kEveryVersion, true},
                    {"scale", Kind::real},
                    {"update_rule", Kind::text}},
                   normalise_linear_attention});
  rules.push_back({kContributed,
                   "UnfoldTensor",
                   1,
                   kEveryVersion,
                   1,
                   1,
                   1,
                   {{"dim", Kind::integer}, {"size", Kind::integer, 1, kEveryVersion, true}, {"step", Kind::integer}},
                   normalise_unfold_tensor});
}

}  // namespace byoc::onnx_import
