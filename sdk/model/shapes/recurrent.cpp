// RNN, GRU and LSTM.
#include <algorithm>

#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {
namespace {

struct Expected {
  std::size_t input;
  Dims dims;
};

Result<void> recurrent(const Inference& call, std::int64_t gates, bool has_cell) {
  if (!call.one_of(0, {DType::f32, DType::f64, DType::f16, DType::bf16}) || !call.want_rank(0, 3, 3) ||
      !call.want_rank(1, 3, 3) || !call.want_rank(2, 3, 3))
    return failure;
  const std::string direction = call.node.text("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    return call.error("unknown direction", direction, "forward, reverse or bidirectional");
  const std::int64_t layout = call.node.integer("layout", 0);
  if (layout != 0 && layout != 1)
    return call.error("attribute layout is out of range", std::to_string(layout), "0 or 1");
  const std::int64_t directions = direction == "bidirectional" ? 2 : 1;
  const ir::Dim hidden = call.dims(2)[2];
  if (!is_known(hidden)) return call.error("the size of the hidden state is open", call.text(2));
  if (const std::int64_t stated = call.node.integer("hidden_size", hidden); stated != hidden)
    return call.error("hidden_size is not that of input 2", std::to_string(stated), std::to_string(hidden));
  std::int64_t rows = 0;
  if (hidden < 1 || __builtin_mul_overflow(hidden, 2 * gates, &rows))
    return call.error("the size of the hidden state is out of range", std::to_string(hidden), "at least 1");
  rows = gates * hidden;
  const ir::Dim steps = call.dims(0)[layout == 0 ? 0 : 1];
  const ir::Dim batch = call.dims(0)[layout == 0 ? 1 : 0];
  const Dims state = layout == 0 ? Dims{directions, batch, hidden} : Dims{batch, directions, hidden};
  std::vector<Expected> operands = {{1, {directions, rows, call.dims(0)[2]}},
                                    {2, {directions, rows, hidden}},
                                    {3, {directions, 2 * rows}},
                                    {4, {batch}},
                                    {5, state}};
  if (has_cell) {
    operands.push_back({6, state});
    operands.push_back({7, {directions, 3 * hidden}});
  }
  for (const Expected& e : operands) {
    if (call.find(e.input) == nullptr) continue;
    if (e.input == 4 ? !call.one_of(4, {DType::i32}) : !call.same_dtype(0, e.input)) return failure;
    bool fits = call.rank(e.input) == e.dims.size();
    for (std::size_t d = 0; fits && d < e.dims.size(); ++d)
      fits = !is_known(e.dims[d]) || !is_known(call.dims(e.input)[d]) || e.dims[d] == call.dims(e.input)[d];
    if (!fits)
      return call.error("input " + std::to_string(e.input) + " has the wrong shape", call.text(e.input),
                        call.text(e.dims));
  }
  const Dims all = layout == 0 ? Dims{steps, directions, batch, hidden} : Dims{batch, steps, directions, hidden};
  if (!call.set(0, call.in(0).dtype, all) || !call.set(1, call.in(0).dtype, state)) return failure;
  return call.set(2, call.in(0).dtype, state);
}

}  // namespace

Result<void> rnn(const Inference& call) { return recurrent(call, 1, false); }
Result<void> gru(const Inference& call) { return recurrent(call, 3, false); }
Result<void> lstm(const Inference& call) { return recurrent(call, 4, true); }

}  // namespace byoc::shapes
