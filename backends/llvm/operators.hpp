// The operators that the LLVM backend compiles: a table of lowerings (operators.inc), a file a family in lower/.
#pragma once

#include <cstdint>
#include <string_view>

#include "backends/layers/operator_traits.hpp"
#include "backends/llvm/emitter.hpp"
#include "byoc/codegen.hpp"

namespace byoc::bitcode {

enum Trait : std::uint8_t {
  kPlain = 0,
  // Floats are the evaluator's, bit for bit: it moves elements, chooses among them, or does one operation of IEEE 754.
  kExactFloats = 1 << 0,
  kElementwise = 1 << 1,     // of the elements at the same place alone, after broadcasting
  kPool = 1 << 2,            // of those in a window that slides over the image, each channel by itself
  kIntegers = 1 << 3,        // takes quantised values as well, and refuses those that it does not by itself
  kSeveralResults = 1 << 4,  // some of which may be absent
  kTypes = 1 << 5,           // values of several types, which it looks at by itself
  kDoubles = 1 << 6,         // computes in doubles, and is for machines with an operating system alone
  kMoves = kExactFloats | kIntegers,
};

struct Lowering {
  std::string_view domain;
  std::string_view op;
  // Can this node be compiled, and if not, why. All its values are floats, none of them empty, but for kIntegers.
  codegen::Verdict (*accepts)(const codegen::Region&, const codegen::Node&);
  // Emits it. False after Emitter::error.
  bool (*lower)(Emitter&, const codegen::Node&);
  std::uint8_t traits = kPlain;
};

// Null for an operator that the backend does not have.
[[nodiscard]] const Lowering* find_lowering(std::string_view domain, std::string_view op);
[[nodiscard]] layers::OperatorTraits operator_traits();

}  // namespace byoc::bitcode
