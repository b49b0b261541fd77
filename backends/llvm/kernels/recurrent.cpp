#include "backends/llvm/kernels/recurrent.hpp"

#include <algorithm>
#include <sstream>

#include "backends/llvm/kernels/pixels.hpp"

namespace byoc::bitcode {
namespace {

using Cell = Recurrent::Cell;

std::int64_t lanes_of_layer(const Machine& machine, const Recurrent& r) {
  std::int64_t lanes = machine.lanes;
  while (lanes > 1 && lanes / 2 >= r.hidden) lanes /= 2;
  return lanes;
}

// A kernel under construction.
class RecurrentWriter {
 public:
  RecurrentWriter(Code& code, const Recurrent& r)
      : code_(code),
        r_(r),
        lanes_(lanes_of_layer(code.machine(), r)),
        block_(block_of(code.machine(), r)),
        padded_(blocks_of(r.hidden, block_) * block_),
        gates_(r.gate_count()) {
    std::size_t next = 0;
    const auto take = [&](bool there) { return there ? code.argument(next++) : nullptr; };
    x_ = take(true);
    weights_ = take(true);
    inner_bias_ = take(r.has_inner_bias());
    peepholes_ = take(r.peepholes);
    initial_h_ = take(r.initial_h);
    initial_c_ = take(r.initial_c);
    y_ = take(r.y);
    y_h_ = take(r.y_h);
    y_c_ = take(r.y_c);
    const Value workspace = take(true);
    first_h_ = workspace;
    second_h_ = code.at(workspace, padded_);
    third_ = code.at(workspace, 2 * padded_);  // c of an LSTM, r * h of a GRU
    z_ = code.at(workspace, 3 * padded_);
  }

  void run() {
    for (direction_ = 0; direction_ < r_.directions; ++direction_)
      code_.loop(r_.batch, [&](Value sequence) { one_sequence(sequence); });
  }

 private:
  [[nodiscard]] bool is_reverse() const { return r_.first_is_reverse || direction_ == 1; }

  // Where a direction's state of a sequence is: [direction][batch][unit], or [batch][direction][unit].
  Value state_at(Value base, Value sequence) {
    const std::int64_t by_direction = r_.batch_first ? r_.hidden : r_.batch * r_.hidden;
    const std::int64_t by_sequence = r_.batch_first ? r_.directions * r_.hidden : r_.hidden;
    return code_.at(base, code_.plus(code_.times(sequence, by_sequence), direction_ * by_direction));
  }

  void copy_units(Value to, Value from) {
    for_pieces(code_, r_.hidden, lanes_, [&](Value i, std::int64_t valid) {
      const Value v = from == nullptr ? code_.real(0, lanes_) : code_.load(code_.at(from, i), lanes_, valid);
      code_.store(v, code_.at(to, i), lanes_);
    });
  }
  void copy_state(Value to, Value from) {
    for_pieces(code_, r_.hidden, lanes_, [&](Value i, std::int64_t valid) {
      code_.store(code_.load(code_.at(from, i), lanes_, valid), code_.at(to, i), valid);
    });
  }

  void one_sequence(Value sequence) {
    copy_units(first_h_, r_.initial_h ? state_at(initial_h_, sequence) : nullptr);
    if (r_.cell == Cell::lstm) copy_units(third_, r_.initial_c ? state_at(initial_c_, sequence) : nullptr);
    const std::int64_t row = r_.directions * gates_ * r_.hidden, x_time = r_.batch_first ? row : r_.batch * row,
                       x_batch = r_.batch_first ? r_.steps * row : row;
    const std::int64_t y_time = r_.directions * r_.hidden * (r_.batch_first ? 1 : r_.batch);
    const std::int64_t y_direction = r_.batch_first ? r_.hidden : r_.batch * r_.hidden;
    const std::int64_t y_batch = r_.batch_first ? r_.steps * r_.directions * r_.hidden : r_.hidden;
    const Value x = code_.at(x_, code_.plus(code_.times(sequence, x_batch), direction_ * gates_ * r_.hidden));
    const Value y = r_.y ? code_.at(y_, code_.plus(code_.times(sequence, y_batch), direction_ * y_direction)) : nullptr;
    const Values states = code_.loop(code_.integer(0), code_.integer(r_.steps), 1, {first_h_, second_h_},
                                     [&](Value s, const Values& before) {
                                       const Value t = is_reverse() ? code_.minus(code_.integer(r_.steps - 1), s) : s;
                                       one_step(code_.at(x, code_.times(t, x_time)), before[0], before[1],
                                                r_.y ? code_.at(y, code_.times(t, y_time)) : nullptr);
                                       return Values{before[1], before[0]};
                                     });
    if (r_.y_h) copy_state(state_at(y_h_, sequence), states[0]);
    if (r_.y_c) copy_state(state_at(y_c_, sequence), third_);
  }

  // From the state `h` to `next`.
  void one_step(Value x, Value h, Value next, Value y) {
    if (r_.cell == Cell::gru && !r_.reset_after) {
      for_pieces(code_, r_.hidden, block_, [&](Value unit, std::int64_t units) {
        const Values sums = products(h, unit, {0, 1}, units);
        each_vector(units, [&](std::int64_t v, std::int64_t valid) {
          const Value at = code_.plus(unit, v * lanes_);
          const Value z = apply(0, code_.add(input(x, 0, at, valid), sums[index(0, v, units)]));
          const Value reset = apply(0, code_.add(input(x, 1, at, valid), sums[index(1, v, units)]));
          code_.store(z, code_.at(z_, at), lanes_);
          code_.store(code_.multiply(reset, code_.load(code_.at(h, at), lanes_)), code_.at(third_, at), lanes_);
        });
      });
    }
    for_pieces(code_, r_.hidden, block_, [&](Value unit, std::int64_t units) {
      const bool reset = r_.cell == Cell::gru && !r_.reset_after;
      std::vector<std::int64_t> gates(static_cast<std::size_t>(gates_));
      for (std::int64_t g = 0; g < gates_; ++g) gates[static_cast<std::size_t>(g)] = g;
      if (reset) gates = {2};
      const Values sums = products(reset ? third_ : h, unit, gates, units);
      each_vector(units, [&](std::int64_t v, std::int64_t valid) {
        const Value at = code_.plus(unit, v * lanes_);
        Values of_gate;
        for (std::size_t g = 0; g < gates.size(); ++g)
          of_gate.push_back(sums[index(static_cast<std::int64_t>(g), v, units)]);
        const Value out = cell(x, h, at, valid, of_gate);
        code_.store(out, code_.at(next, at), lanes_);
        if (y != nullptr) code_.store(out, code_.at(y, at), valid);
      });
    });
  }

  void each_vector(std::int64_t units, const std::function<void(std::int64_t v, std::int64_t valid)>& body) {
    for (std::int64_t v = 0; v < blocks_of(units, lanes_); ++v) body(v, std::min(lanes_, units - v * lanes_));
  }
  [[nodiscard]] std::size_t index(std::int64_t gate, std::int64_t v, std::int64_t units) const {
    return static_cast<std::size_t>(gate * blocks_of(units, lanes_) + v);
  }

  // Sums of weights * h of the gates, [gate][vector], of `units` from `unit` on, where a block begins.
  Values products(Value h, Value unit, const std::vector<std::int64_t>& gates, std::int64_t units) {
    const std::int64_t vectors = blocks_of(units, lanes_), panel = padded_ * r_.hidden;
    const Value w = code_.at(code_.at(weights_, direction_ * gates_ * panel), code_.times(unit, r_.hidden));
    const Values none(gates.size() * static_cast<std::size_t>(vectors), code_.real(0, lanes_));
    constexpr std::int64_t kFloat = sizeof(float);
    return sum_over(code_, r_.hidden, h, w, kFloat, block_ * kFloat, none,
                    [&](Value state, Value weights, const Values& before) {
                      const Value one = code_.spread(code_.load(state, 1), lanes_);
                      Values after;
                      for (std::size_t g = 0; g < gates.size(); ++g)
                        for (std::int64_t v = 0; v < vectors; ++v) {
                          const Value own = code_.load(code_.at(weights, gates[g] * panel + v * lanes_), lanes_);
                          after.push_back(code_.multiply_add(one, own, before[after.size()]));
                        }
                      return after;
                    });
  }

  Value input(Value x, std::int64_t gate, Value at, std::int64_t valid) {
    return code_.load(code_.at(x, code_.plus(at, gate * r_.hidden)), lanes_, valid);
  }

  // The direction's function number `f` of what is clipped before.
  Value apply(std::size_t f, Value v) {
    if (r_.clip > 0) v = code_.at_most(code_.at_least(v, code_.real(-r_.clip, lanes_)), code_.real(r_.clip, lanes_));
    const std::size_t each = r_.gates.size() / static_cast<std::size_t>(r_.directions);
    const Gate& gate = r_.gates[static_cast<std::size_t>(direction_) * each + f];
    const Value zero = code_.real(0, lanes_), one = code_.real(1, lanes_);
    switch (gate.function) {
      case GateFunction::relu: return code_.at_least(v, zero);
      case GateFunction::sigmoid: return code_.divide(one, code_.add(one, code_.exponential(code_.negate(v))));
      case GateFunction::hard_sigmoid: {
        const Value line = code_.add(code_.multiply(code_.real(gate.alpha, lanes_), v), code_.real(gate.beta, lanes_));
        return code_.at_most(code_.at_least(line, zero), one);
      }
      case GateFunction::tanh: break;
    }
    return code_.hyperbolic_tangent(v);
  }

  // The new state of the units at `at`.
  Value cell(Value x, Value h, Value at, std::int64_t valid, const Values& sums) {
    switch (r_.cell) {
      case Cell::lstm: return lstm(x, at, valid, sums);
      case Cell::gru: return gru(x, h, at, valid, sums);
      case Cell::rnn: break;
    }
    return apply(0, code_.add(input(x, 0, at, valid), sums[0]));
  }

  Value lstm(Value x, Value at, std::int64_t valid, const Values& sums) {
    const Value c = code_.load(code_.at(third_, at), lanes_);
    const auto gate = [&](std::int64_t g, Value seen) {
      const Value v = code_.add(input(x, g, at, valid), sums[static_cast<std::size_t>(g)]);
      if (!r_.peepholes || g == 3) return v;
      const Value weights = code_.at(peepholes_, (direction_ * 3 + g) * padded_);
      return code_.multiply_add(code_.load(code_.at(weights, at), lanes_), seen, v);
    };
    const Value i = apply(0, gate(0, c));
    const Value f = r_.coupled ? code_.subtract(code_.real(1, lanes_), i) : apply(0, gate(2, c));
    const Value next = code_.multiply_add(f, c, code_.multiply(i, apply(1, gate(3, c))));
    const Value o = apply(0, gate(1, next));
    code_.store(next, code_.at(third_, at), lanes_);
    return code_.multiply(o, apply(2, next));
  }

  Value gru(Value x, Value h, Value at, std::int64_t valid, const Values& sums) {
    const auto gate = [&](std::int64_t g) {
      return apply(0, code_.add(input(x, g, at, valid), sums[static_cast<std::size_t>(g)]));
    };
    Value z = nullptr, of_state = sums.back();
    if (r_.reset_after) {
      z = gate(0);
      const Value bias = code_.load(code_.at(code_.at(inner_bias_, direction_ * padded_), at), lanes_);
      of_state = code_.multiply(gate(1), code_.add(of_state, bias));
    } else {
      z = code_.load(code_.at(z_, at), lanes_);
    }
    const Value candidate = apply(1, code_.add(input(x, 2, at, valid), of_state));
    // (1 - z) candidate + z h
    return code_.multiply_add(z, code_.subtract(code_.load(code_.at(h, at), lanes_), candidate), candidate);
  }

  Code& code_;
  const Recurrent& r_;
  const std::int64_t lanes_, block_, padded_, gates_;
  std::int64_t direction_ = 0;
  Value x_ = nullptr, weights_ = nullptr, inner_bias_ = nullptr, peepholes_ = nullptr, initial_h_ = nullptr,
        initial_c_ = nullptr, y_ = nullptr, y_h_ = nullptr, y_c_ = nullptr;
  Value first_h_ = nullptr, second_h_ = nullptr, third_ = nullptr, z_ = nullptr;
};

}  // namespace

std::int64_t block_of(const Machine& machine, const Recurrent& r) {
  // As many sums as hide the latency of each, and as stay in registers; of those the number that fills up least.
  constexpr std::int64_t kLatency = 8, kOthers = 4;
  const std::int64_t lanes = lanes_of_layer(machine, r), vectors = blocks_of(r.hidden, lanes);
  const std::int64_t most = std::max<std::int64_t>(
      1, std::min(blocks_of(kLatency, r.gate_count()), (machine.registers - kOthers) / r.gate_count()));
  std::int64_t best = 1;
  for (std::int64_t v = 2; v <= std::min(most, vectors); ++v)
    if (blocks_of(vectors, v) * v <= blocks_of(vectors, best) * best) best = v;
  return best * lanes;
}

std::int64_t workspace_of(const Machine& machine, const Recurrent& r) {
  const std::int64_t block = block_of(machine, r);
  return 4 * blocks_of(r.hidden, block) * block;
}

void write_recurrent(Code& code, const std::string& symbol, const Recurrent& r) {
  std::size_t pointers = 3;
  for (const bool there : {r.has_inner_bias(), r.peepholes, r.initial_h, r.initial_c, r.y, r.y_h, r.y_c})
    pointers += there ? 1 : 0;
  code.begin_function(symbol, pointers, false, true);
  RecurrentWriter(code, r).run();
  code.end_function();
}

std::string key_of(const Recurrent& r) {
  std::ostringstream out;
  out << static_cast<int>(r.cell) << ' ' << r.directions << ' ' << r.steps << ' ' << r.batch << ' ' << r.hidden << ' ';
  for (const bool flag : {r.first_is_reverse, r.coupled, r.reset_after, r.batch_first, r.peepholes, r.initial_h,
                          r.initial_c, r.y, r.y_h, r.y_c})
    out << flag;
  out << std::hexfloat << ' ' << r.clip;
  for (const Gate& g : r.gates) out << ' ' << static_cast<int>(g.function) << ' ' << g.alpha << ' ' << g.beta;
  return out.str();
}

}  // namespace byoc::bitcode
