// Identity, and Dropout in inference, or with a ratio of 0: the input itself.
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"

namespace byoc::evaluate {

Outcome identity(const Call& call) {
  if (!call.in(0).type.is_static()) return single(call.in(0));
  return same_bytes(call, *call.in(0).type.dims);
}

// The second output is the mask: true where an element was kept, which is everywhere.
Outcome dropout(const Call& call) {
  if (call.find(2) != nullptr) {
    const Result<double> training = call.scalar(2);
    if (!training) return failure;
    const Result<double> ratio = call.find(1) != nullptr ? call.scalar(1) : Result<double>(0.5);
    if (!ratio) return failure;
    if (*training != 0 && *ratio != 0)
      return call.error("training is not supported: it drops elements at random", "training_mode true",
                        "false, or a ratio of 0");
  }
  Outcome out = identity(call);
  if (!out || call.node.outputs.size() < 2) return out;
  Result<Buffer> mask = call.allocate(DType::boolean, *call.in(0).type.dims, 1);
  if (!mask) return failure;
  std::fill(mask->bytes.begin(), mask->bytes.end(), std::byte{1});
  out->push_back(std::move(*mask).finish());
  return out;
}

}  // namespace byoc::evaluate
