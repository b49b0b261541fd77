// Col2Im: columns of blocks added up into the image that they were taken from.
#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/numbers.hpp"
#include "sdk/model/evaluate/window.hpp"

namespace byoc::evaluate {
namespace {

struct Blocks {
  Dims image, block, dilations, strides, pads, steps;  // steps: positions of the block along each dim
  std::int64_t batch = 0, channels = 0, size = 1, count = 1;
};

Result<Blocks> read_col2im(const Call& call) {
  const Dims& x = *call.in(0).type.dims;
  const auto image = call.integers(1), block = call.integers(2);
  if (!image || !block) return failure;
  const std::size_t rank = image->size();
  Blocks b{*image,
           *block,
           call.node.integers("dilations", Dims(rank, 1)),
           call.node.integers("strides", Dims(rank, 1)),
           call.node.integers("pads", Dims(2 * rank, 0)),
           {}};
  const auto small = [](const Dims& list, std::int64_t least) {
    for (const std::int64_t v : list)
      if (v < least || v > (std::int64_t{1} << 31)) return false;
    return true;
  };
  if (rank == 0 || block->size() != rank || b.dilations.size() != rank || b.strides.size() != rank ||
      b.pads.size() != 2 * rank || !small(b.image, 1) || !small(b.block, 1) || !small(b.dilations, 1) ||
      !small(b.strides, 1) || !small(b.pads, 0))
    return call.error("image_shape, block_shape and the attributes do not fit each other", describe(*image),
                      describe(*block));
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t room = b.image[d] + b.pads[d] + b.pads[d + rank] - (b.dilations[d] * (b.block[d] - 1) + 1);
    b.steps.push_back(room < 0 ? 0 : room / b.strides[d] + 1);
  }
  const std::optional<std::int64_t> size = product(b.block), count = product(b.steps);
  if (!size || !count || x.size() != 3 || x[1] % *size != 0 || x[2] != *count)
    return call.error("the columns do not fit the blocks", describe(call.in(0)),
                      size && count
                          ? "a multiple of " + std::to_string(*size) + " rows, " + std::to_string(*count) + " columns"
                          : "less");
  b.batch = x[0];
  b.size = *size;
  b.channels = x[1] / *size;
  b.count = *count;
  return b;
}

}  // namespace

Outcome col2im(const Call& call) {
  const DType dtype = call.in(0).type.dtype;
  if (!is_float(dtype) && !is_integer(dtype)) return call.unsupported_dtype(0, "a number");
  const Result<Blocks> read_blocks = read_col2im(call);
  if (!read_blocks) return failure;
  const Blocks& b = *read_blocks;
  Dims dims = {b.batch, b.channels};
  dims.insert(dims.end(), b.image.begin(), b.image.end());
  Result<Buffer> checked = call.allocate(dtype, dims);
  if (!checked) return failure;
  const Dims inside = row_major_strides(b.block), step = row_major_strides(b.steps), to = row_major_strides(b.image);
  const std::int64_t area = *product(b.image);
  return with_number_type(dtype, [&]<class R>() -> Outcome {
    const std::vector<R> x = numbers<R>(call.in(0));
    std::vector<R> y(static_cast<std::size_t>(checked->type.elements()), R{0});
    std::size_t next = 0;
    for (std::int64_t plane = 0; plane < b.batch * b.channels; ++plane)
      for (std::int64_t k = 0; k < b.size; ++k)
        for (std::int64_t n = 0; n < b.count; ++n, ++next) {
          std::int64_t at = plane * area;
          bool in_image = true;
          for (std::size_t d = 0; d < b.image.size(); ++d) {
            const std::int64_t i =
                n / step[d] % b.steps[d] * b.strides[d] - b.pads[d] + k / inside[d] % b.block[d] * b.dilations[d];
            in_image = in_image && i >= 0 && i < b.image[d];
            at += i * to[d];
          }
          if (in_image) y[static_cast<std::size_t>(at)] += x[next];
        }
    return from_numbers(call, dtype, dims, y);
  });
}

}  // namespace byoc::evaluate
