#include "tests/e2e/layers/onnx/window.hpp"

#include <string_view>

namespace byoc::test {
namespace {

using namespace std::string_view_literals;

template <class F>
Shape each(const std::vector<Window>& dims, F f) {
  Shape out;
  for (const Window& w : dims) out.push_back(f(w));
  return out;
}

void pad_automatically(Window& w, bool upper) {
  const std::int32_t out = (w.in + w.stride - 1) / w.stride;
  const std::int32_t total = std::max((out - 1) * w.stride + w.reach() - w.in, 0);
  w.begin = upper ? total / 2 : total - total / 2;
  w.end = total - w.begin;
}

Window random_window(Random& random, std::string_view auto_pad, std::int32_t largest_dilation, bool small) {
  Window w;
  w.kernel = random.size(1, small ? 2 : 4);
  w.stride = random.size(1, 3);
  w.dilation = random.chance(30) ? random.size(1, largest_dilation) : 1;
  if (auto_pad == "NOTSET" && random.chance(60)) {
    w.begin = random.size(0, w.kernel - 1);
    w.end = random.size(0, w.kernel - 1);
  }
  const std::int32_t least = auto_pad == "NOTSET" || auto_pad == "VALID" ? std::max(w.reach() - w.begin - w.end, 1) : 1;
  w.in = least + random.size(0, small ? 2 : 6);
  if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") pad_automatically(w, auto_pad == "SAME_UPPER");
  return w;
}

}  // namespace

Shape Windows::in() const {
  return each(dims, [](const Window& w) { return w.in; });
}
Shape Windows::out() const {
  return each(dims, [](const Window& w) { return w.out(); });
}
Shape Windows::kernel() const {
  return each(dims, [](const Window& w) { return w.kernel; });
}

std::string Windows::text() const {
  std::string out;
  for (const Window& w : dims)
    out += ", in " + std::to_string(w.in) + " kernel " + std::to_string(w.kernel) + " stride " +
           std::to_string(w.stride) + " dilation " + std::to_string(w.dilation) + " pads " + std::to_string(w.begin) +
           "," + std::to_string(w.end) + (w.ceil ? " ceil" : "");
  return out + " " + auto_pad;
}

void Windows::for_each_tap(const Index& out, const std::function<void(const Index&, const Index&)>& f) const {
  for_each_index(kernel(), [&](const Index& tap) {
    Index position(dims.size());
    for (std::size_t d = 0; d < dims.size(); ++d) position[d] = dims[d].at(out[d], tap[d]);
    f(position, tap);
  });
}

void Windows::set_attributes(onnx::NodeProto& node, Random& random, bool has_dilations) const {
  std::vector<std::int64_t> kernels, strides, dilations, pads;
  for (const Window& w : dims) {
    kernels.push_back(w.kernel);
    strides.push_back(w.stride);
    dilations.push_back(w.dilation);
    pads.push_back(w.begin);
  }
  for (const Window& w : dims) pads.push_back(w.end);
  const auto set_unless = [&](const char* name, const std::vector<std::int64_t>& values, std::int64_t usual) {
    if (std::ranges::all_of(values, [&](std::int64_t v) { return v == usual; }) && random.chance(50)) return;
    set(node, name, values);
  };
  set(node, "kernel_shape", kernels);
  set_unless("strides", strides, 1);
  if (has_dilations) set_unless("dilations", dilations, 1);
  if (auto_pad == "NOTSET"sv)
    set_unless("pads", pads, 0);
  else
    set(node, "auto_pad", auto_pad);
}

Windows random_windows(Random& random, std::int32_t largest_dilation, bool small) {
  Windows w;
  w.auto_pad = random.pick({"NOTSET", "NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"});
  const std::int32_t dims = random.chance(25) ? 1 : random.chance(5) ? 3 : 2;
  for (std::int32_t d = 0; d < dims; ++d)
    w.dims.push_back(random_window(random, w.auto_pad, largest_dilation, small || dims == 3));
  return w;
}

}  // namespace byoc::test
