// com.microsoft's MaxpoolWithMask: along the last dim a window ends before its first masked element, in each of its
// rows.
#include <algorithm>
#include <limits>

#include "sdk/model/import/onnx/composition.hpp"

namespace byoc::onnx_import {
namespace {

class MaxPoolWithMask {
  using Value = Composition::Value;
  using Integers = std::vector<std::int64_t>;
  static constexpr std::int64_t kLongest = 1024;  // window along the last dim, each element of which is some nodes

 public:
  MaxPoolWithMask(Normaliser& e, const ir::Node& node) : c_(e, node), node_(node) {}

  Result<void> expand() {
    if (!check()) return failure;
    const std::size_t last = kernel_.size() - 1;
    const Value rows = best_of_rows(padded(c_.in(0), lowest()), padded(whole_mask(), c_.boolean(true)));
    if (last == 0) {
      c_.give(0, rows);
      return {};
    }
    // The windows' rows have become single elements.
    Integers kernel = kernel_, strides = strides_, pads = pads_;
    kernel[last] = strides[last] = 1;
    pads[last] = pads[last + kernel_.size()] = 0;
    c_.give(0, "MaxPool", {rows}, {{"kernel_shape", kernel}, {"strides", strides}, {"pads", pads}});
    return {};
  }

 private:
  Result<void> check() {
    kernel_ = node_.integers("kernel_shape", {});
    strides_ = node_.integers("strides", Integers(kernel_.size(), 1));
    pads_ = node_.integers("pads", Integers(2 * kernel_.size(), 0));
    const std::string pad = node_.text("auto_pad", "NOTSET");
    if (!pad.empty() && pad != "NOTSET") return c_.refuse("auto_pad is not supported", pad, "NOTSET");
    if (node_.integer("storage_order", 0) != 0) return c_.refuse("storage_order is not supported", "1", "0");
    const auto rank = c_.rank_of_input(0), mask_rank = c_.rank_of_input(1);
    if (!rank || !mask_rank) return failure;
    const std::size_t n = kernel_.size();
    const bool one_size = strides_.size() == n && pads_.size() == 2 * n;
    if (n < 1 || n > 3 || *rank != n + 2 || *mask_rank != *rank || !one_size)
      return c_.refuse("kernel_shape, strides, pads, input and mask do not fit each other",
                       std::to_string(n) + " dims of the kernel, " + std::to_string(*rank) + " of the input, " +
                           std::to_string(*mask_rank) + " of the mask",
                       "1 to 3 dims, and 2 more of input and mask");
    const auto at_least = [](const Integers& all, std::int64_t least) {
      return std::all_of(all.begin(), all.end(), [least](std::int64_t v) { return v >= least; });
    };
    if (!at_least(kernel_, 1) || kernel_.back() > kLongest || !at_least(strides_, 1) || !at_least(pads_, 0))
      return c_.refuse("kernel_shape, strides or pads are out of range",
                       "a kernel of " + std::to_string(kernel_.back()) + " along the last dim",
                       "kernels and strides from 1, kernels up to " + std::to_string(kLongest) + ", pads from 0");
    return check_mask();
  }

  // A mask is one for all images, or one for each; of all channels, or of each.
  Result<void> check_mask() {
    for (std::size_t d = 0; d < kernel_.size() + 2; ++d) {
      const auto has = c_.known_dim(c_.in(1), d), wants = c_.known_dim(c_.in(0), d);
      if (!has || !wants || *has == *wants || (d < 2 && *has == 1)) continue;
      return c_.refuse("the mask does not fit the input in dim " + std::to_string(d), std::to_string(*has),
                       d < 2 ? "1 or " + std::to_string(*wants) : std::to_string(*wants));
    }
    return {};
  }

  Value lowest() { return c_.real_like(std::numeric_limits<float>::lowest(), c_.in(0)); }

  // True where an element counts. Windows of several dims count an image's first element whatever its mask says.
  Value whole_mask() {
    const Value mask = c_.cast(c_.in(1), DType::boolean);
    if (kernel_.size() == 1) return mask;
    const Value flat = c_.op("Reshape", {mask, c_.integers({0, 0, -1})});
    const Value others = c_.op("Slice", {flat, c_.integers({1}), c_.integers({INT64_MAX}), c_.integers({2})});
    const Value first = c_.op("Expand", {c_.boolean(true), c_.join({c_.dims(mask, 0, 2), c_.integers({1})})});
    const Value all = c_.op("Concat", {first, others}, {{"axis", std::int64_t{2}}});
    return c_.op("Reshape", {all, c_.op("Shape", {mask})});
  }

  // Padding along the last dim is passed over.
  Value padded(Value x, Value with) {
    const Integers pads{pads_[kernel_.size() - 1], pads_[2 * kernel_.size() - 1]};
    if (pads == Integers{0, 0}) return x;
    return c_.op("Pad", {x, c_.integers(pads), with, c_.integers({-1})});
  }

  // Element `offset` of every window along the last dim.
  Value taken(Value x, std::int64_t offset) {
    const std::int64_t behind = kernel_.back() - 1 - offset;
    return c_.op("Slice", {x, c_.integers({offset}), c_.integers({behind == 0 ? INT64_MAX : -behind}),
                           c_.integers({-1}), c_.integers({strides_.back()})});
  }

  Value best_of_rows(Value x, Value mask) {
    Value best = ir::kNoValue, counts = ir::kNoValue;
    for (std::int64_t i = 0; i < kernel_.back(); ++i) {
      const Value here = taken(mask, i);
      counts = i == 0 ? here : c_.op("And", {counts, here});
      const Value element = c_.op("Where", {counts, taken(x, i), lowest()});
      best = i == 0 ? element : c_.op("Max", {best, element});
    }
    return best;
  }

  Composition c_;
  const ir::Node& node_;
  Integers kernel_, strides_, pads_;
};

}  // namespace

// x [N, C, D1 ...], mask i32 of the same dims, where N and C may be 1.
Result<void> normalise_max_pool_with_mask(Normaliser& e, ir::Node node) { return MaxPoolWithMask(e, node).expand(); }

}  // namespace byoc::onnx_import
