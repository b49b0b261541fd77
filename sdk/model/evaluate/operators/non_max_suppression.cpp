// NonMaxSuppression: per batch and class, boxes by falling score, without those that overlap a chosen one too much.
#include <algorithm>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/boxes.hpp"

namespace byoc::evaluate {
namespace {

Box read_box(std::span<const float> b, bool centre) {
  if (centre) return {b[1] - b[3] / 2, b[0] - b[2] / 2, b[1] + b[3] / 2, b[0] + b[2] / 2};
  return {std::min(b[0], b[2]), std::min(b[1], b[3]), std::max(b[0], b[2]), std::max(b[1], b[3])};
}

Result<double> optional_scalar(const Call& call, std::size_t input, double otherwise) {
  return call.find(input) == nullptr ? Result<double>(otherwise) : call.scalar(input);
}

}  // namespace

Outcome non_max_suppression(const Call& call) {
  const Tensor& boxes = call.in(0);
  const Tensor& scores = call.in(1);
  const Dims& b = *boxes.type.dims;
  const Dims& s = *scores.type.dims;
  if (boxes.type.dtype != DType::f32) return call.unsupported_dtype(0, "f32");
  if (scores.type.dtype != DType::f32) return call.unsupported_dtype(1, "f32");
  if (b.size() != 3 || s.size() != 3 || b[0] != s[0] || b[1] != s[2] || b[2] != 4)
    return call.error("boxes and scores do not fit", describe(boxes) + " and " + describe(scores),
                      "[batch,boxes,4] and [batch,classes,boxes]");
  const Result<double> most = optional_scalar(call, 2, 0);
  const Result<double> overlap = optional_scalar(call, 3, 0);
  const Result<double> least = optional_scalar(call, 4, 0);
  if (!most || !overlap || !least) return failure;
  const bool centre = call.node.integer("center_point_box", 0) != 0;
  const std::span<const float> corner = elements<float>(boxes), score = elements<float>(scores);
  const auto count = static_cast<std::size_t>(b[1]);
  std::vector<std::int64_t> chosen;
  for (std::int64_t n = 0; n < s[0]; ++n)
    for (std::int64_t c = 0; c < s[1]; ++c) {
      const auto of = score.subspan(static_cast<std::size_t>(n * s[1] + c) * count, count);
      const auto box = [&](std::size_t i) {
        return read_box(corner.subspan((static_cast<std::size_t>(n) * count + i) * 4, 4), centre);
      };
      std::vector<std::size_t> kept;
      for (const std::size_t i : by_falling_score(of)) {
        if (static_cast<double>(kept.size()) >= *most) break;
        if (call.find(4) != nullptr && !(of[i] > static_cast<float>(*least))) continue;
        if (std::any_of(kept.begin(), kept.end(), [&](std::size_t k) {
              return intersection_over_union(box(i), box(k)) > static_cast<float>(*overlap);
            }))
          continue;
        kept.push_back(i);
        chosen.insert(chosen.end(), {n, c, static_cast<std::int64_t>(i)});
      }
    }
  Result<Buffer> y = call.allocate(DType::i64, {std::ssize(chosen) / 3, 3});
  if (!y) return failure;
  std::copy(chosen.begin(), chosen.end(), y->as<std::int64_t>().begin());
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
