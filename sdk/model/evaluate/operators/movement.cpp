#include "sdk/model/evaluate/operators/movement.hpp"

namespace byoc::evaluate {

Result<void> check_moved_quantisation(const Call& call, std::size_t input, std::size_t output) {
  const Quantisation* from = call.quantisation_of(input);
  const Quantisation* to = call.quantisation_of_output(output);
  if (call.tflite() || from == nullptr || to == nullptr || from->per_axis() || to->per_axis() || *from == *to)
    return {};
  return call.error("moves elements between different quantisations",
                    "scale " + std::to_string(from->scales[0]) + " in input " + std::to_string(input),
                    "scale " + std::to_string(to->scales[0]));
}

Result<Mover> Mover::make(const Call& call, std::size_t input) {
  const unsigned bits = bit_width(call.in(input).type.dtype);
  if (bits < 8) return call.unsupported_dtype(input, "a type of whole bytes");
  return Mover(bits / 8);
}

Outcome same_bytes(const Call& call, Dims dims) {
  if (!check_moved_quantisation(call, 0)) return failure;
  Tensor out = call.in(0);
  out.type.dims = std::move(dims);
  if (const Quantisation* q = call.quantisation_of_output())
    out.type.quantisation = *q;
  else
    out.type.quantisation.reset();
  return single(std::move(out));
}

}  // namespace byoc::evaluate
