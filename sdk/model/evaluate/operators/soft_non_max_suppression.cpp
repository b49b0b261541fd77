// byoc.SoftNonMaxSuppression: TFLite's NON_MAX_SUPPRESSION_V4 and V5, boxes of one class by falling score. Equal scores
// are taken in their order.
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/boxes.hpp"

namespace byoc::evaluate {
namespace {

struct Candidate {
  std::size_t index;
  float score;
  std::size_t compared = 0;  // with how many of the chosen ones
};

struct Chosen {
  std::size_t index;
  float score;
};

struct Limits {
  float overlap, least, sigma;
};

std::vector<Chosen> choose_softly(const std::vector<Box>& boxes, std::span<const float> scores, std::size_t most,
                                  const Limits& limits) {
  std::vector<Candidate> waiting;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (scores[i] > limits.least) waiting.push_back({i, scores[i]});
  most = std::min(most, waiting.size());
  std::vector<Chosen> out;
  while (out.size() < most && !waiting.empty()) {
    const auto best = std::max_element(waiting.begin(), waiting.end(), [](const Candidate& a, const Candidate& b) {
      return a.score < b.score || (a.score == b.score && a.index > b.index);
    });
    Candidate next = *best;
    waiting.erase(best);
    const float before = next.score;
    bool covered = false;
    for (std::size_t j = out.size(); j-- > next.compared && !covered;) {
      const float by = intersection_over_union(boxes[next.index], boxes[out[j].index]);
      covered = by >= limits.overlap;
      if (!covered && limits.sigma > 0) next.score *= std::exp(-0.5F / limits.sigma * by * by);
      if (!covered && next.score <= limits.least) break;
    }
    next.compared = out.size();
    if (covered) continue;
    if (next.score == before) out.push_back({next.index, before});
    // A box that was chosen waits as well: it covers itself, unless it has no area.
    if (next.score > limits.least) waiting.push_back(next);
  }
  return out;
}

}  // namespace

Outcome soft_non_max_suppression(const Call& call) {
  for (std::size_t i = 0; i < call.count(); ++i)
    if (call.find(i) != nullptr && call.in(i).type.dtype != DType::f32) return call.unsupported_dtype(i, "f32");
  const Dims &b = *call.in(0).type.dims, &s = *call.in(1).type.dims;
  if (b.size() != 2 || s.size() != 1 || b[0] != s[0] || b[1] != 4)
    return call.error("boxes and scores do not fit", describe(call.in(0)) + " and " + describe(call.in(1)),
                      "[boxes,4] and [boxes]");
  const auto number = [&](std::size_t i) { return call.find(i) == nullptr ? Result<double>(0.0) : call.scalar(i); };
  const auto overlap = number(2), least = number(3), sigma = number(4);
  if (!overlap || !least || !sigma) return failure;
  const std::int64_t most = call.node.integer("max_output_size", 0);
  if (most < 0) return call.error("max_output_size is negative", std::to_string(most), "0 or more");
  std::vector<Box> boxes;
  const std::span<const float> corners = elements<float>(call.in(0));
  for (std::size_t i = 0; i + 3 < corners.size(); i += 4)
    boxes.push_back({std::min(corners[i], corners[i + 2]), std::min(corners[i + 1], corners[i + 3]),
                     std::max(corners[i], corners[i + 2]), std::max(corners[i + 1], corners[i + 3])});
  const std::vector<Chosen> chosen =
      choose_softly(boxes, elements<float>(call.in(1)), static_cast<std::size_t>(most),
                    {static_cast<float>(*overlap), static_cast<float>(*least), static_cast<float>(*sigma)});
  Result<Buffer> indices = call.allocate(DType::i32, {most}), scores = call.allocate(DType::f32, {most}, 1),
                 count = call.allocate(DType::i32, {}, 2);
  if (!indices || !scores || !count) return failure;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    indices->as<std::int32_t>()[i] = static_cast<std::int32_t>(chosen[i].index);
    scores->as<float>()[i] = chosen[i].score;
  }
  count->as<std::int32_t>()[0] = static_cast<std::int32_t>(chosen.size());
  std::vector<Tensor> out;
  for (Buffer* one : {&*indices, &*scores, &*count}) out.push_back(std::move(*one).finish());
  return out;
}

}  // namespace byoc::evaluate
