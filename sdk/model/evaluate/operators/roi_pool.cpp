// RoiAlign and MaxRoiPool: boxes of an image, pooled to one size.
#include <algorithm>
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"

namespace byoc::evaluate {
namespace {

// One sample between four elements. ONNX Runtime's rule: a position more than one element outside the image gives 0, a
// nearer one gives the edge.
template <class R>
struct Corner {
  bool inside = false;
  std::int64_t at[4] = {0, 0, 0, 0};
  R weight[4] = {0, 0, 0, 0};

  Corner(R y, R x, std::int64_t height, std::int64_t width) {
    inside = y >= R{-1} && y <= static_cast<R>(height) && x >= R{-1} && x <= static_cast<R>(width);
    if (!inside) return;
    const auto line = [](R p, std::int64_t n, std::int64_t& low, std::int64_t& high) {
      p = p < R{0} ? R{0} : p;
      low = static_cast<std::int64_t>(p);
      high = low + 1;
      if (low < n - 1) return p - static_cast<R>(low);
      low = high = n - 1;
      return R{0};
    };
    std::int64_t top = 0, bottom = 0, left = 0, right = 0;
    const R ly = line(y, height, top, bottom), lx = line(x, width, left, right);
    const R hy = R{1} - ly, hx = R{1} - lx;
    at[0] = top * width + left, at[1] = top * width + right;
    at[2] = bottom * width + left, at[3] = bottom * width + right;
    weight[0] = hy * hx, weight[1] = hy * lx, weight[2] = ly * hx, weight[3] = ly * lx;
  }
};

struct RoiSettings {
  bool average = true, half_pixel = true;
  std::int64_t height = 1, width = 1, ratio = 0;
  float scale = 1;
};

Result<RoiSettings> read_roi_settings(const Call& call) {
  const std::string mode = call.node.text("mode", "avg");
  const std::string transform = call.node.text("coordinate_transformation_mode", "half_pixel");
  if (mode != "avg" && mode != "max") return call.error("unknown mode", mode, "avg or max");
  if (transform != "half_pixel" && transform != "output_half_pixel")
    return call.error("unknown coordinate_transformation_mode", transform, "half_pixel or output_half_pixel");
  RoiSettings s{mode == "avg",
                transform == "half_pixel",
                call.node.integer("output_height", 1),
                call.node.integer("output_width", 1),
                call.node.integer("sampling_ratio", 0),
                call.node.real("spatial_scale", 1)};
  if (s.height < 1 || s.width < 1 || s.ratio < 0 || s.height > 65536 || s.width > 65536 || s.ratio > 1024)
    return call.error("output_height, output_width or sampling_ratio out of range",
                      std::to_string(s.height) + ", " + std::to_string(s.width) + ", " + std::to_string(s.ratio));
  return s;
}

// The box of one roi and its bins.
template <class R>
struct Bins {
  R y, x, height, width;       // start, and size of one bin
  std::int64_t rows, columns;  // samples in a bin

  Bins(const R* roi, const RoiSettings& s) {
    const R offset = s.half_pixel ? R{0.5} : R{0}, scale = static_cast<R>(s.scale);
    x = roi[0] * scale - offset;
    y = roi[1] * scale - offset;
    R w = roi[2] * scale - offset - x, h = roi[3] * scale - offset - y;
    if (!s.half_pixel) {
      w = w < R{1} ? R{1} : w;
      h = h < R{1} ? R{1} : h;
    }
    height = h / static_cast<R>(s.height);
    width = w / static_cast<R>(s.width);
    rows = samples(height, s.ratio);
    columns = samples(width, s.ratio);
  }
  static std::int64_t samples(R size, std::int64_t ratio) {
    if (ratio > 0) return ratio;
    return size > R{0} && size < R{1e4} ? static_cast<std::int64_t>(std::ceil(size)) : 0;
  }
};

template <class R>
R pool_bin(std::span<const R> plane, const Bins<R>& bins, const RoiSettings& s, std::int64_t ph, std::int64_t pw,
           std::int64_t height, std::int64_t width) {
  R sum{0};
  bool first = true;
  for (std::int64_t iy = 0; iy < bins.rows; ++iy)
    for (std::int64_t ix = 0; ix < bins.columns; ++ix) {
      const R y = bins.y + static_cast<R>(ph) * bins.height +
                  (static_cast<R>(iy) + R{0.5}) * bins.height / static_cast<R>(bins.rows);
      const R x = bins.x + static_cast<R>(pw) * bins.width +
                  (static_cast<R>(ix) + R{0.5}) * bins.width / static_cast<R>(bins.columns);
      const Corner<R> c(y, x, height, width);
      for (int k = 0; k < 4; ++k) {
        const R term = c.inside ? c.weight[k] * plane[static_cast<std::size_t>(c.at[k])] : R{0};
        // The largest weighted element, not the largest sample: that is what ONNX's reference does.
        if (s.average)
          sum += term;
        else
          sum = first || term > sum ? term : sum;
        first = false;
      }
    }
  const std::int64_t count = bins.rows * bins.columns;
  return s.average && count > 0 ? sum / static_cast<R>(count) : sum;
}

template <class R>
Outcome align(const Call& call, const RoiSettings& s, const std::vector<std::int64_t>& batches) {
  const Dims& from = *call.in(0).type.dims;
  const std::vector<R> x = reals<R>(call.in(0)), rois = reals<R>(call.in(1));
  const auto area = static_cast<std::size_t>(from[2] * from[3]);
  std::vector<R> y;
  for (std::size_t r = 0; r < batches.size(); ++r) {
    if (batches[r] < 0 || batches[r] >= from[0])
      return call.error("batch index out of range", std::to_string(batches[r]), "less than " + std::to_string(from[0]));
    const Bins<R> bins(&rois[r * 4], s);
    for (std::int64_t c = 0; c < from[1]; ++c) {
      const std::span<const R> plane =
          std::span(x).subspan(static_cast<std::size_t>(batches[r] * from[1] + c) * area, area);
      for (std::int64_t ph = 0; ph < s.height; ++ph)
        for (std::int64_t pw = 0; pw < s.width; ++pw) y.push_back(pool_bin(plane, bins, s, ph, pw, from[2], from[3]));
    }
  }
  const Dims dims = {static_cast<std::int64_t>(batches.size()), from[1], s.height, s.width};
  return single(call.from_reals(call.in(0).type.dtype, dims, std::span<const R>(y)));
}

bool is_image(const Dims& d) { return d.size() == 4 && d[2] > 0 && d[3] > 0; }

// Caffe's rule: coordinates are rounded, and a bin covers every element that it touches.
template <class R>
Outcome max_pool_rois(const Call& call, const Dims& pooled, float scale) {
  const Dims& from = *call.in(0).type.dims;
  const std::vector<R> x = reals<R>(call.in(0)), rois = reals<R>(call.in(1));
  const std::int64_t count = (*call.in(1).type.dims)[0];
  std::vector<R> y;
  const auto edge = [&](R v) {
    const R at = std::round(v * static_cast<R>(scale));
    return static_cast<std::int64_t>(at > R{-1e9} && at < R{1e9} ? at : R{0});
  };
  for (std::int64_t r = 0; r < count; ++r) {
    const R* roi = &rois[static_cast<std::size_t>(r) * 5];
    const auto batch = narrow<std::int64_t>(static_cast<double>(roi[0]));
    if (batch < 0 || batch >= from[0])
      return call.error("batch index out of range", std::to_string(batch), "less than " + std::to_string(from[0]));
    const std::int64_t left = edge(roi[1]), top = edge(roi[2]);
    const std::int64_t width = std::max<std::int64_t>(edge(roi[3]) - left + 1, 1);
    const std::int64_t height = std::max<std::int64_t>(edge(roi[4]) - top + 1, 1);
    const auto bin = [](std::int64_t p, std::int64_t size, std::int64_t bins, std::int64_t start, std::int64_t limit) {
      const R step = static_cast<R>(size) / static_cast<R>(bins);
      const auto a = static_cast<std::int64_t>(std::floor(static_cast<R>(p) * step)) + start;
      const auto b = static_cast<std::int64_t>(std::ceil(static_cast<R>(p + 1) * step)) + start;
      return std::pair{std::clamp<std::int64_t>(a, 0, limit), std::clamp<std::int64_t>(b, 0, limit)};
    };
    for (std::int64_t c = 0; c < from[1]; ++c)
      for (std::int64_t ph = 0; ph < pooled[0]; ++ph)
        for (std::int64_t pw = 0; pw < pooled[1]; ++pw) {
          const auto [y0, y1] = bin(ph, height, pooled[0], top, from[2]);
          const auto [x0, x1] = bin(pw, width, pooled[1], left, from[3]);
          bool first = true;
          R most{0};
          for (std::int64_t i = y0; i < y1; ++i)
            for (std::int64_t j = x0; j < x1; ++j) {
              const R v = x[static_cast<std::size_t>(((batch * from[1] + c) * from[2] + i) * from[3] + j)];
              most = first || v > most ? v : most;
              first = false;
            }
          y.push_back(most);
        }
  }
  return single(call.from_reals(call.in(0).type.dtype, {count, from[1], pooled[0], pooled[1]}, std::span<const R>(y)));
}

}  // namespace

Outcome roi_align(const Call& call) {
  const Result<RoiSettings> settings = read_roi_settings(call);
  const auto batches = call.integers(2);
  if (!settings || !batches || !call.same_dtype(0, 1)) return failure;
  const DType dtype = call.in(0).type.dtype;
  const Dims& from = *call.in(0).type.dims;
  const Dims& rois = *call.in(1).type.dims;
  if (!is_float(dtype)) return call.unsupported_dtype(0, "a float");
  if (!is_image(from) || rois.size() != 2 || rois[1] != 4 || rois[0] != std::ssize(*batches))
    return call.error("rois and batch indices do not fit the input", describe(call.in(1)), describe(call.in(0)));
  if (!call.allocate(dtype, {rois[0], from[1], settings->height, settings->width})) return failure;
  return dtype == DType::f64 ? align<double>(call, *settings, *batches) : align<float>(call, *settings, *batches);
}

Outcome max_roi_pool(const Call& call) {
  if (!call.same_dtype(0, 1)) return failure;
  const DType dtype = call.in(0).type.dtype;
  const Dims& from = *call.in(0).type.dims;
  const Dims& rois = *call.in(1).type.dims;
  const Dims pooled = call.node.integers("pooled_shape", {});
  if (!is_float(dtype)) return call.unsupported_dtype(0, "a float");
  if (!is_image(from) || rois.size() != 2 || rois[1] != 5 || pooled.size() != 2 || pooled[0] < 1 || pooled[1] < 1)
    return call.error("rois or pooled_shape do not fit the input", describe(call.in(1)), describe(call.in(0)));
  if (!call.allocate(dtype, {rois[0], from[1], pooled[0], pooled[1]})) return failure;
  const float scale = call.node.real("spatial_scale", 1);
  return dtype == DType::f64 ? max_pool_rois<double>(call, pooled, scale) : max_pool_rois<float>(call, pooled, scale);
}

}  // namespace byoc::evaluate
