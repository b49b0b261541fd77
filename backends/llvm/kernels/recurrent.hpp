// Recurrent layers over all steps: RNN, GRU and LSTM, whose products with the input are computed before.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/llvm/ir/code.hpp"
#include "backends/llvm/machine.hpp"

namespace byoc::bitcode {

enum class GateFunction : std::uint8_t { hard_sigmoid, relu, sigmoid, tanh };
struct Gate {
  GateFunction function = GateFunction::tanh;
  float alpha = 0, beta = 0;  // of hard_sigmoid
};

// Lengths in floats. Gates are in ONNX's order: i, o, f, c of an LSTM, z, r, h of a GRU.
struct Recurrent {
  enum class Cell : std::uint8_t { rnn, gru, lstm };
  Cell cell = Cell::rnn;
  std::int64_t directions = 1, steps = 1, batch = 1, hidden = 1;
  bool first_is_reverse = false;
  std::vector<Gate> gates = {};  // the functions of each direction, as many for each
  float clip = 0;                // of what the functions take; 0: none
  bool coupled = false;          // an LSTM whose f is 1 - i
  bool reset_after = false;      // a GRU that applies r to the product with the state (linear_before_reset)
  bool batch_first = false;
  // Operands that there are.
  bool peepholes = false, initial_h = false, initial_c = false, y = false, y_h = false, y_c = false;

  [[nodiscard]] std::int64_t gate_count() const { return cell == Cell::lstm ? 4 : cell == Cell::gru ? 3 : 1; }
  // A GRU that resets after the product adds the bias of the state within the reset.
  [[nodiscard]] bool has_inner_bias() const { return cell == Cell::gru && reset_after; }
};

// Units of which all gates are computed at once.
[[nodiscard]] std::int64_t block_of(const Machine& machine, const Recurrent& r);
// The floats of its workspace.
[[nodiscard]] std::int64_t workspace_of(const Machine& machine, const Recurrent& r);

// void symbol(x, r, inner bias, peepholes, initial h, initial c, y, y_h, y_c, workspace), without those that there are
// not. x is the input's products with their biases, [step and batch as the model has them][direction][gate][unit]; r is
// [direction][gate][block][state][unit of the block], inner bias [direction][unit], peepholes [direction][i, o,
// f][unit], each filled up with zeros to whole blocks of units; the rest as ONNX has it.
void write_recurrent(Code& code, const std::string& symbol, const Recurrent& r);

// Text that two layers have in common if, and only if, their code is the same.
[[nodiscard]] std::string key_of(const Recurrent& r);

}  // namespace byoc::bitcode
