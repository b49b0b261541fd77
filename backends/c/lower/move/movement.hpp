// The family of operators that are nothing but copies through strides. Each says which; this makes the step, or an
// alias where a copy would move nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/c/lower/move/copy.hpp"

namespace byoc::c {

struct Piece {
  std::optional<std::size_t> input;  // nothing: out of the result itself, where an earlier piece wrote it
  std::size_t output = 0;
  Copy copy;
};

struct Movement {
  struct Fill {
    std::uint64_t bits = 0;            // of an element
    std::optional<std::size_t> input;  // or the operand that holds it
  };
  std::optional<Fill> fill;  // what result 0 holds before the pieces
  std::vector<Piece> pieces;
};

// Nullopt, with the reason, if the node cannot be read.
using ReadMovement = std::optional<Movement> (*)(const codegen::Region&, const codegen::Node&, std::string& why);

[[nodiscard]] codegen::Verdict accepts_movement(const codegen::Region&, const codegen::Node&, ReadMovement);
bool lower_movement(Emitter&, const codegen::Node&, ReadMovement);

// Elements of an input of i64 or i32 constants; nothing where it is anything else.
[[nodiscard]] std::optional<Dims> constant_integers(const codegen::Region&, const codegen::Node&, std::size_t input);
// The axis counted from the start, or nothing with the reason.
[[nodiscard]] std::optional<std::size_t> read_axis(std::int64_t axis, std::size_t rank, std::string& why);
// The bits that zero has in a value: its zero point where it is quantised.
[[nodiscard]] std::uint64_t zero_bits(const codegen::Value&);
// True if elements may move unchanged from one value to the other: they have one quantisation, or TFLite's rule applies
// that integers move whatever the tensors' quantisation is.
[[nodiscard]] bool same_quantisation(const codegen::Region&, const codegen::Value& from, const codegen::Value& to);
[[nodiscard]] codegen::Verdict refuse_quantisation();

}  // namespace byoc::c
