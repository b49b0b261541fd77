// ConcatFromSequence and SplitToSequence: Concat and Split, with a sequence on the one side.
#include <cstring>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/sequence.hpp"
#include "sdk/model/evaluate/value.hpp"

namespace byoc::evaluate {
namespace {

// The operator of that name on these operands, in the place of the call's node, which errors name.
Outcome instead(const Call& call, const char* op, std::int64_t axis, std::span<const Tensor* const> operands,
                std::size_t outputs) {
  ir::Node node;
  node.op = op;
  node.version = 13;
  node.stand_for(call.node);
  node.inputs.assign(operands.size(), ir::kNoValue);
  node.outputs.assign(outputs, ir::kNoValue);
  node.attributes["axis"] = axis;
  Diagnostics diags;
  Outcome out = evaluate_node(call.graph, node, operands, diags, call.largest_result);
  for (const Diagnostic& d : diags.all()) (void)call.error(d.message, d.found, d.expected);
  return out;
}

Tensor vector_of(const Dims& numbers) {
  Tensor out;
  out.type.dtype = DType::i64;
  out.type.dims = Dims{std::ssize(numbers)};
  std::vector<std::byte> bytes(numbers.size() * sizeof(std::int64_t));
  if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  out.bytes = Blob::own(std::move(bytes));
  return out;
}

Result<void> want_tensor(const Call& call, std::size_t input) {
  const Tensor& t = call.in(input);
  if (t.type.is_tensor()) return {};
  return call.error("input " + std::to_string(input) + " is not a tensor", describe(t), "a tensor");
}

// The lengths of the pieces: as given, of a given length each but for the last, or 1.
Result<Dims> piece_lengths(const Call& call, std::int64_t total) {
  constexpr std::int64_t kMostPieces = 1 << 24;
  std::int64_t each = 1;
  if (call.find(1) != nullptr) {
    if (!want_tensor(call, 1)) return failure;
    auto given = call.integers(1);
    if (!given) return failure;
    if (call.in(1).type.dims->size() == 1) return given;
    if (given->size() != 1 || (*given)[0] < 1)
      return call.error("the length of the pieces is not one positive number", describe(*given));
    each = (*given)[0];
  }
  if (total / each > kMostPieces)
    return call.error("the axis splits into too many pieces", std::to_string(total / each),
                      "at most " + std::to_string(kMostPieces));
  Dims out(static_cast<std::size_t>(total / each), each);
  if (total % each != 0) out.push_back(total % each);
  return out;
}

}  // namespace

Outcome concat_from_sequence(const Call& call) {
  if (!want_sequence(call)) return failure;
  std::vector<Tensor> items = *call.in(0).items;
  if (items.empty()) return call.error("the sequence has no element to join", describe(call.in(0)));
  std::int64_t axis = call.node.integer("axis", 0);
  if (call.node.integer("new_axis", 0) != 0) {
    const Result<std::size_t> at = call.axis(axis, items[0].type.dims->size() + 1);
    if (!at) return failure;
    axis = static_cast<std::int64_t>(*at);
    for (Tensor& t : items) {
      if (t.type.dims->size() < *at)
        return call.error("the elements have different ranks", describe(t), describe((*call.in(0).items)[0]));
      t.type.dims->insert(t.type.dims->begin() + axis, 1);
    }
  }
  std::vector<const Tensor*> operands;
  for (const Tensor& t : items) operands.push_back(&t);
  return instead(call, "Concat", axis, operands, 1);
}

Outcome split_to_sequence(const Call& call) {
  const Tensor& x = call.in(0);
  if (!want_tensor(call, 0)) return failure;
  const std::int64_t axis = call.node.integer("axis", 0);
  const Result<std::size_t> at = call.axis(axis, x.type.dims->size());
  if (!at) return failure;
  const auto lengths = piece_lengths(call, (*x.type.dims)[*at]);
  if (!lengths) return failure;
  if (lengths->empty()) return single(sequence_of(x.type.dtype, {}));
  const Tensor pieces = vector_of(*lengths);
  const Tensor* operands[] = {&x, &pieces};
  Outcome out = instead(call, "Split", axis, operands, lengths->size());
  if (!out) return failure;
  if (call.find(1) == nullptr && call.node.integer("keepdims", 1) == 0)
    for (Tensor& t : *out) t.type.dims->erase(t.type.dims->begin() + static_cast<std::ptrdiff_t>(*at));
  return single(sequence_of(x.type.dtype, std::move(*out)));
}

}  // namespace byoc::evaluate
