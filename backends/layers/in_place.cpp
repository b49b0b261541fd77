#include "backends/layers/in_place.hpp"

#include <algorithm>

namespace byoc::layers {
namespace {

// The alignment of graph values: both values have it if the lead is a multiple of it.
constexpr std::int64_t kAlign = 16;

// For each row or column of results, the first one of the input that is read for it; -1: none.
using Firsts = std::vector<std::int64_t>;

// Along an axis of `size` elements where a kernel of `taps` slides.
Firsts first_inside(std::int64_t results, std::int64_t stride, std::int64_t pad, std::int64_t taps,
                    std::int64_t dilation, std::int64_t size) {
  Firsts out;
  for (std::int64_t r = 0; r < results; ++r) {
    const std::int64_t start = r * stride - pad;
    const std::int64_t skipped = start < 0 ? (-start + dilation - 1) / dilation : 0;
    const std::int64_t at = start + skipped * dilation;
    out.push_back(skipped < taps && at < size ? at : -1);
  }
  return out;
}

// As above, if the `taps` of each element write to results that are `stride` apart from the next element's.
Firsts first_reaching(std::int64_t results, std::int64_t stride, std::int64_t pad, std::int64_t taps,
                      std::int64_t size) {
  Firsts out;
  for (std::int64_t r = 0; r < results; ++r) {
    const std::int64_t at = std::max<std::int64_t>(r + pad - taps + stride, 0) / stride;
    out.push_back(at < size ? at : -1);
  }
  return out;
}

struct Reached {
  Firsts rows, columns;
};

Reached reached(const Image& in, const Image& out, const Window& w) {
  return {first_inside(out.height, w.stride_h, w.pad_top, w.kernel_h, w.dilation_h, in.height),
          first_inside(out.width, w.stride_w, w.pad_left, w.kernel_w, w.dilation_w, in.width)};
}

bool dense_channels_last(const Image& m) {
  return m.chan == 1 && m.col == m.channels && m.row == m.width * m.col && m.batch_stride == m.height * m.row;
}

bool dense_channels_first(const Image& m) {
  return m.col == 1 && m.row == m.width && m.chan == m.height * m.width && m.batch_stride == m.channels * m.chan;
}

// Computes by definition, in elements: the distance written from the output's start, and its largest lead over the
// first element that is read then or later.
std::int64_t furthest_ahead(const Image& in, const Image& out, const Reached& first, Reads reads) {
  std::int64_t written = 0, lead = 0;
  for (std::int64_t b = 0; b < out.batch; ++b) {
    for (std::size_t oy = 0; oy < first.rows.size(); ++oy) {
      const std::int64_t y = first.rows[oy];
      const std::int64_t row = b * out.batch_stride + static_cast<std::int64_t>(oy) * out.row;
      for (std::size_t ox = 0; ox < first.columns.size(); ++ox) {
        const std::int64_t x = first.columns[ox];
        const std::int64_t to = row + static_cast<std::int64_t>(ox) * out.col + (out.channels - 1) * out.chan + 1;
        if (reads == Reads::while_writing) written = std::max(written, to);
        if (y >= 0 && x >= 0) lead = std::max(lead, written - (b * in.batch_stride + y * in.row + x * in.col));
        written = std::max(written, to);
      }
    }
  }
  return lead;
}

// A lead in steps of `step` bytes that keeps both values aligned; null where it saves nothing.
std::optional<std::uint64_t> useful(std::int64_t lead, std::int64_t step, std::int64_t out_bytes) {
  while (lead % kAlign != 0) lead += step;
  if (lead >= out_bytes) return std::nullopt;
  return static_cast<std::uint64_t>(lead);
}

std::optional<std::uint64_t> useful(std::int64_t lead, std::int64_t step, const Image& out,
                                    std::int64_t element_bytes) {
  return useful(lead, step, out.batch * out.height * out.width * out.channels * element_bytes);
}

// A channel of an image of channels last, in pixels.
Image pixels(Image m) {
  m.row /= m.channels;
  m.col /= m.channels;
  m.batch_stride /= m.channels;
  m.channels = 1;
  return m;
}

// An image of channels first as one of `count` channels after the other.
Image channel_blocks(Image m, std::int64_t count) {
  m.batch *= (m.channels + count - 1) / count;
  m.batch_stride = count * m.chan;
  m.channels = count;
  return m;
}

}  // namespace

std::optional<std::uint64_t> window_lead(const Image& in, const Image& out, const Window& w, Reads reads,
                                         std::int64_t element_bytes) {
  return useful(furthest_ahead(in, out, reached(in, out, w), reads) * element_bytes, element_bytes, out, element_bytes);
}

std::optional<std::uint64_t> channel_lead(const Image& in, const Image& out, const Window& w, std::int64_t at_once,
                                          std::int64_t element_bytes, Reads reads) {
  if (in.channels != out.channels) return std::nullopt;
  if (in.chan == 1 && out.chan == 1) {
    const std::int64_t pixel = out.channels * element_bytes;
    return useful(furthest_ahead(pixels(in), pixels(out), reached(in, out, w), reads) * pixel, pixel, out,
                  element_bytes);
  }
  if (!dense_channels_first(in) || !dense_channels_first(out)) return std::nullopt;
  if (in.batch != 1 && in.channels % at_once != 0) return std::nullopt;
  const Image from = channel_blocks(in, at_once), to = channel_blocks(out, at_once);
  return useful(furthest_ahead(from, to, reached(in, out, w), reads) * element_bytes, element_bytes, out,
                element_bytes);
}

std::optional<std::uint64_t> group_lead(const Image& in, const Image& out, const Window& w, std::int64_t groups,
                                        Reads reads, std::int64_t element_bytes) {
  return groups == 1 ? window_lead(in, out, w, reads, element_bytes)
                     : channel_lead(in, out, w, out.channels / groups, element_bytes, reads);
}

std::optional<std::uint64_t> transposed_lead(const Image& in, const Image& out, const Window& w, Reads reads,
                                             std::int64_t element_bytes) {
  const Reached first{first_reaching(out.height, w.stride_h, w.pad_top, w.kernel_h, in.height),
                      first_reaching(out.width, w.stride_w, w.pad_left, w.kernel_w, in.width)};
  return useful(furthest_ahead(in, out, first, reads) * element_bytes, element_bytes, out, element_bytes);
}

std::optional<std::uint64_t> copy_lead(const Runs& runs, std::int64_t results, std::int64_t element_bytes) {
  // The furthest that the end of a target is ahead of its source, and what the inner loops reach in the source.
  std::int64_t lead = runs.distance + runs.length, reach = runs.length;
  for (std::size_t d = runs.dims.size(); d-- > 0;) {
    if (runs.dims[d] == 1) continue;
    if (runs.from[d] < reach) return std::nullopt;
    reach += runs.from[d] * (runs.dims[d] - 1);
    lead += std::max<std::int64_t>(runs.to[d] - runs.from[d], 0) * (runs.dims[d] - 1);
  }
  return useful(std::max<std::int64_t>(lead, 0) * element_bytes, element_bytes, results * element_bytes);
}

bool channels_in_place(const Image& in, const Image& out) {
  const std::int64_t before = in.height * in.width, after = out.height * out.width;
  // Results of a channel go where only that channel was, or where an earlier image was.
  if (dense_channels_last(in) && dense_channels_last(out) && in.channels == out.channels)
    return in.batch == 1 || after <= before;
  return dense_channels_first(in) && dense_channels_first(out) && out.channels * after <= in.channels * before;
}

bool is_last_use(const codegen::Region& region, codegen::ValueId id) {
  std::ptrdiff_t uses = std::count(region.outputs.begin(), region.outputs.end(), id);
  for (const codegen::Node& n : region.nodes) uses += std::count(n.inputs.begin(), n.inputs.end(), id);
  return uses == 1 && std::find(region.inputs.begin(), region.inputs.end(), id) == region.inputs.end();
}

}  // namespace byoc::layers
