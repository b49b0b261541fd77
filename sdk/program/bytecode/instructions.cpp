#include "sdk/program/bytecode/instructions.hpp"

namespace byoc::bytecode {

std::span<const Row> rows() {
  using enum Field;
  static const std::vector<Row> table{
      {Op::constant, "constant", {to, Field::constant}},
      {Op::move, "move", {to, from}},
      {Op::kill, "kill", {ends}},
      {Op::evaluate, "evaluate", {node}, Tail::results_and_operands},
      {Op::allocate, "allocate", {to, type}},
      {Op::step, "step", {primitive}, Tail::places},
      {Op::copy, "copy", {buffer, wide, bytes, wide, wide}},
      {Op::copy_constant, "copy_constant", {buffer, wide, number, wide}},
      {Op::jump, "jump", {target}},
      {Op::branch, "branch", {from, target}},
      {Op::call, "call", {function}, Tail::results_and_operands},
      {Op::give, "give", {}, Tail::operands},
      {Op::load_state, "load_state", {to, state}},
      {Op::store_state, "store_state", {state, from}},
      {Op::increment, "increment", {to, from}},
      {Op::less, "less", {to, from, from}},
      {Op::length, "length", {to, from, number}},
      {Op::same, "same", {from, from}},
      {Op::slice, "slice", {to, from, number, from, flag}},
      {Op::list, "list", {new_list}},
      {Op::append, "append", {Field::list, from}},
      {Op::stack, "stack", {to, Field::list, number, flag, type_or_none}},
      {Op::open_step, "open_step", {node, primitive}, Tail::results_and_operands},
  };
  return table;
}

}  // namespace byoc::bytecode
