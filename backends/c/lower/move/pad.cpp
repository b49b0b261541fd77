// Pad: the input is copied into the output. Around it stands a constant, which the output is filled with before, or
// what the mode repeats, which is copied from the output itself, the inner dims first. Negative pads cut first.
#include <algorithm>
#include <cstring>
#include <limits>

#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/move/by_parameters.hpp"
#include "backends/c/lower/move/movement.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

// One dim: `kept` elements from `cut` on go to `first` of the output's `size`.
struct Line {
  std::int64_t cut, kept, first, size;
};

std::optional<std::vector<Line>> read_padded_lines(const Region& region, const Node& node, std::string& why) {
  const Value& x = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  const auto pads = constant_integers(region, node, 1);
  auto axes = constant_integers(region, node, 3);
  if (!pads || (given_input(region, node, 3) && !axes)) {
    why = "found pads or axes that are neither i64 nor i32";
    return std::nullopt;
  }
  if (!axes) {
    axes.emplace();
    for (std::size_t i = 0; i < x.dims.size(); ++i) axes->push_back(static_cast<std::int64_t>(i));
  }
  if (pads->size() != 2 * axes->size()) {
    why = "found " + std::to_string(pads->size()) + " pads, expected " + std::to_string(2 * axes->size());
    return std::nullopt;
  }
  std::vector<Line> out;
  for (std::size_t d = 0; d < x.dims.size(); ++d) out.push_back({0, x.dims[d], 0, x.dims[d]});
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const auto d = read_axis((*axes)[i], x.dims.size(), why);
    if (!d) return std::nullopt;
    const std::int64_t before = (*pads)[i], after = (*pads)[i + axes->size()], n = x.dims[*d];
    const std::int64_t cut = std::min(n, std::max<std::int64_t>(-before, 0));
    out[*d] = {cut, std::max<std::int64_t>(0, n - cut + std::min<std::int64_t>(after, 0)),
               std::max<std::int64_t>(before, 0), n + before + after};
  }
  for (std::size_t d = 0; d < out.size(); ++d) {
    if (y.dims.size() == out.size() && out[d].size == y.dims[d]) continue;
    why = "found pads that do not lead from " + shape_text(x) + " to " + shape_text(y);
    return std::nullopt;
  }
  return out;
}

// The elements around the `size` elements of a line.
class Surroundings {
 public:
  Surroundings(const std::string& mode, std::int64_t size) : size_(size) {
    if (mode == "edge" || size == 1)
      kind_ = Kind::edge;
    else if (mode == "wrap")
      kind_ = Kind::wrap;
    else
      kind_ = mode == "symmetric" ? Kind::symmetric : Kind::reflect;  // TFLite's; ONNX does not repeat the edge
  }

  // The number of positions after which the elements repeat.
  [[nodiscard]] std::int64_t period() const {
    switch (kind_) {
      case Kind::edge: return 1;
      case Kind::wrap: return size_;
      case Kind::reflect: return 2 * (size_ - 1);
      case Kind::symmetric: return 2 * size_;
    }
    return 1;
  }
  // The element of [0, size) that stands for position `at` around them.
  [[nodiscard]] std::int64_t element(std::int64_t at) const {
    if (kind_ == Kind::edge) return at < 0 ? 0 : size_ - 1;
    const std::int64_t within = place(at);
    if (kind_ == Kind::wrap) return within;
    return std::min(within, period() - within - (kind_ == Kind::symmetric ? 1 : 0));
  }
  // The number of positions from `at` on that continue in the direction of the first two.
  [[nodiscard]] std::int64_t run(std::int64_t at) const {
    if (kind_ == Kind::edge) return std::numeric_limits<std::int64_t>::max();
    const std::int64_t within = place(at), last = size_ - 1;
    if (within < last) return last - within + 1;
    switch (kind_) {
      case Kind::wrap: return size_ == 2 ? 2 : 1;
      case Kind::reflect: return period() - within + 1;
      default: return within == last || within + 1 == period() ? 2 : period() - within;  // the edge comes twice
    }
  }

 private:
  enum class Kind { edge, wrap, reflect, symmetric };
  [[nodiscard]] std::int64_t place(std::int64_t at) const { return (at % period() + period()) % period(); }

  Kind kind_ = Kind::edge;
  std::int64_t size_;
};

// Fills positions [begin, end) of dim `d`. Dims before `d` hold their kept elements alone as yet, dims behind it are
// complete. One piece for each run whose sources follow each other; once all that repeats is there it is copied itself,
// ever more at a time.
void add_runs(std::vector<Piece>& pieces, const std::vector<Line>& lines, const Dims& strides, std::size_t d,
              const std::string& mode, std::int64_t begin, std::int64_t end) {
  const Line& line = lines[d];
  const Surroundings around(mode, line.kept);
  const auto from = [&](std::int64_t at) { return around.element(at - line.first); };
  const auto add = [&](std::int64_t source, std::int64_t step, std::int64_t count) {
    Copy copy;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      copy.dims.push_back(i < d ? lines[i].kept : i == d ? count : lines[i].size);
      copy.from_strides.push_back(i == d && count > 1 ? step * strides[i] : strides[i]);
      copy.to_strides.push_back(strides[i]);
      if (i < d) copy.from_offset += lines[i].first * strides[i];
    }
    copy.to_offset = copy.from_offset + begin * strides[d];
    copy.from_offset += source * strides[d];
    pieces.push_back({std::nullopt, 0, std::move(copy)});
    begin += count;
  };
  const std::int64_t start = begin;
  while (begin < end) {
    const std::int64_t done = begin - start;
    if (const std::int64_t whole = done / around.period() * around.period(); whole != 0 && line.kept > 1) {
      add(begin - whole, 1, std::min(whole, end - begin));
      continue;
    }
    const std::int64_t count = std::min(around.run(begin - line.first), end - begin);
    add(line.first + from(begin), count > 1 ? from(begin + 1) - from(begin) : 0, count);
  }
}

bool is_mode(const Node& node, std::string& why) {
  const std::string mode = node.text("mode", "constant");
  if (mode == "constant" || mode == "reflect" || mode == "edge" || mode == "wrap" || mode == "symmetric") return true;
  why = "found mode " + mode + ", expected constant, reflect, edge, wrap or symmetric";
  return false;
}

std::optional<Movement> read_pad(const Region& region, const Node& node, std::string& why) {
  const Value& x = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  const std::string mode = node.text("mode", "constant");
  if (!is_mode(node, why)) return std::nullopt;
  const auto lines = read_padded_lines(region, node, why);
  if (!lines) return std::nullopt;
  Movement out;
  Copy copy;
  copy.from_strides = dense_strides(x.dims);
  copy.to_strides = dense_strides(y.dims);
  bool grows = false;
  for (std::size_t i = 0; i < lines->size(); ++i) {
    const Line& line = (*lines)[i];
    copy.dims.push_back(line.kept);
    copy.from_offset += line.cut * copy.from_strides[i];
    copy.to_offset += line.first * copy.to_strides[i];
    grows = grows || line.kept < line.size;
    if (mode != "constant" && line.kept == 0 && line.size > 0) {
      why = "found no element of " + shape_text(x) + " to pad with";
      return std::nullopt;
    }
  }
  const Dims strides = dense_strides(y.dims);
  out.pieces.push_back({0, 0, std::move(copy)});
  if (mode != "constant") {
    for (std::size_t d = lines->size(); d-- > 0;) {
      const Line& line = (*lines)[d];
      add_runs(out.pieces, *lines, strides, d, mode, 0, line.first);
      add_runs(out.pieces, *lines, strides, d, mode, line.first + line.kept, line.size);
    }
    return out;
  }
  if (!grows) return out;
  out.fill = Movement::Fill{zero_bits(y), {}};
  if (const Value* fill = given_input(region, node, 2)) {
    if (fill->dtype != x.dtype || fill->elements() != 1) {
      why = "found " + std::string(to_string(fill->dtype)) + shape_text(*fill) +
            " to pad with, expected one element of the input's type";
      return std::nullopt;
    }
    if (fill->is_constant)
      std::memcpy(&out.fill->bits, fill->data.data(), fill->data.size());
    else
      out.fill->input = 2;
  }
  return out;
}

}  // namespace

codegen::Verdict accepts_pad(const Region& region, const Node& node, const TargetSpec&) {
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  if (!has_computed_parameters(region, node)) return accepts_movement(region, node, read_pad);
  std::string why;
  if (!is_mode(node, why)) return refuse(Reason::unsupported_attribute, why);
  return accepts_by_parameters(region, node);
}

bool lower_pad(Emitter& emitter, const Node& node) {
  if (has_computed_parameters(emitter.region, node)) return lower_pad_by_parameters(emitter, node);
  return lower_movement(emitter, node, read_pad);
}

}  // namespace byoc::c
