// DFT and STFT: a fast transform where the length is a power of two, the sums themselves elsewhere.
#include <cmath>
#include <numbers>
#include <span>

#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/normalise/normalise.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "byoc/nodes/operand.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

struct Transform {
  std::int64_t outer = 1, inner = 1, length = 1, given = 1, bins = 1;
  std::int64_t x_outer = 0, x_inner = 0, x_next = 0, y_outer = 0, y_inner = 0, y_next = 0;
  bool is_complex = false, inverse = false, is_half = false;
};

std::optional<std::int64_t> whole_constant(const Region& region, const Node& node, std::size_t i) {
  const Value* v = given_input(region, node, i);
  if (!v || !v->is_constant || v->elements() != 1) return std::nullopt;
  if (v->dtype == DType::i64) return constant_elements<std::int64_t>(*v)[0];
  if (v->dtype == DType::i32) return constant_elements<std::int32_t>(*v)[0];
  return std::nullopt;
}

std::optional<Transform> read_dft(const Region& region, const Node& node, std::string& why) {
  const Value& x = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  std::int64_t axis = -2;
  if (given_input(region, node, 2)) {
    const auto constant = whole_constant(region, node, 2);
    if (!constant) {
      why = "found a computed axis, expected a constant";
      return std::nullopt;
    }
    axis = *constant;
  }
  if (axis < 0) axis += static_cast<std::int64_t>(x.dims.size());
  const auto at = static_cast<std::size_t>(axis);
  Transform t;
  t.inverse = node.integer("inverse", 0) != 0;
  t.is_half = t.inverse && node.integer("onesided", 0) != 0;
  t.given = x.dims[at];
  t.length = t.is_half ? 2 * (t.given - 1) : t.given;
  if (given_input(region, node, 1)) {
    const auto length = whole_constant(region, node, 1);
    if (!length) {
      why = "found a computed dft_length, expected a constant";
      return std::nullopt;
    }
    t.length = *length;
  }
  for (std::size_t d = 0; d + 1 < x.dims.size(); ++d)
    if (d != at) (d < at ? t.outer : t.inner) *= x.dims[d];
  const std::int64_t parts = x.dims.back(), y_parts = y.dims.back();
  t.bins = y.dims[at];
  t.x_outer = t.given * t.inner * parts;
  t.x_inner = parts;
  t.x_next = t.inner * parts;
  t.y_outer = t.bins * t.inner * y_parts;
  t.y_inner = y_parts;
  t.y_next = t.inner * y_parts;
  t.given = std::min(t.given, t.length);
  t.is_complex = parts == 2;
  return t;
}

// Frames are the inner rows.
std::optional<Transform> read_stft(const Region& region, const Node& node, std::string& why) {
  const Value& x = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  const auto step = whole_constant(region, node, 1);
  const Value* window = given_input(region, node, 2);
  const auto length = window ? std::optional(window->elements()) : whole_constant(region, node, 3);
  if (!step || !length) {
    why = "found a computed frame_step or frame_length, expected constants";
    return std::nullopt;
  }
  const std::int64_t parts = x.dims.size() == 3 ? x.dims[2] : 1;
  Transform t;
  t.outer = y.dims[0];
  t.inner = y.dims[1];
  t.bins = y.dims[2];
  t.length = t.given = *length;
  t.x_outer = x.dims[1] * parts;
  t.x_inner = *step * parts;
  t.x_next = parts;
  t.y_outer = t.inner * t.bins * 2;
  t.y_inner = t.bins * 2;
  t.y_next = 2;
  t.is_complex = parts == 2;
  return t;
}

std::optional<Transform> read_transform(const Region& region, const Node& node, std::string& why) {
  return node.op == "DFT" ? read_dft(region, node, why) : read_stft(region, node, why);
}

// Cosine and sine of 2 pi k / length. k is brought into the first eighth of the circle, where both are most exact.
template <class T>
std::vector<T> turns(std::int64_t length) {
  std::vector<T> out;
  for (std::int64_t k = 0; k < length; ++k) {
    const std::int64_t quarter = 4 * k / length, rest = 4 * k - quarter * length;
    const double angle = std::numbers::pi / 2 * static_cast<double>(rest) / static_cast<double>(length);
    const double c = std::cos(angle), s = std::sin(angle);
    const double turned[4][2] = {{c, s}, {-s, c}, {-c, -s}, {s, -c}};
    out.push_back(static_cast<T>(turned[quarter][0]));
    out.push_back(static_cast<T>(turned[quarter][1]));
  }
  return out;
}

}  // namespace

codegen::Verdict accepts_dft(const Region& region, const Node& node, const TargetSpec&) {
  if (auto no = refuse_unless_real(region, node)) return *no;
  std::string why;
  const auto t = read_transform(region, node, why);
  if (!t) return refuse(Reason::not_constant, why);
  if (t->length > (std::int64_t{1} << 26))
    return refuse(Reason::unsupported_shape,
                  "found a length of " + std::to_string(t->length) + ", expected at most 2^26");
  return claim();
}

bool lower_dft(Emitter& emitter, const Node& node) {
  std::string why;
  const auto t = read_transform(emitter.region, node, why);
  if (!t) return emitter.error(node, why);
  const DType dtype = emitter.input(node, 0)->dtype;
  const bool fast = (t->length & (t->length - 1)) == 0;
  Kernel kernel{"dft.c", typed_symbol(fast ? "fft" : "dft", {dtype}), {}};
  define_element(kernel, "BYOC_X", dtype);
  define_arithmetic(kernel, dtype);
  if (fast) kernel.defines["BYOC_POWER_OF_TWO"] = "1";
  ParameterText p;
  p.add("outer", t->outer).add("inner", t->inner).add("length", t->length).add("given", t->given).add("bins", t->bins);
  p.add("x_outer", t->x_outer).add("x_inner", t->x_inner).add("x_next", t->x_next);
  p.add("y_outer", t->y_outer).add("y_inner", t->y_inner).add("y_next", t->y_next);
  p.add("is_complex", t->is_complex ? 1 : 0).add("inverse", t->inverse ? 1 : 0).add("is_half", t->is_half ? 1 : 0);
  TypedStep s(emitter, node);
  const bool wide = dtype == DType::f64;
  const std::vector<double> exact = turns<double>(wide ? t->length : 0);
  const std::vector<float> rounded = turns<float>(wide ? 0 : t->length);
  const auto bytes = wide ? std::as_bytes(std::span(exact)) : std::as_bytes(std::span(rounded));
  const std::string table = emitter.constant_bytes(s.name + "_turns", wide ? DType::f64 : DType::f32, bytes, false, 8);
  const std::string parameters = s.parameters(p, "byoc_dft_t");
  const std::string work(element_type(dtype)->work);
  const std::string window = node.op == "STFT" ? s.in(2) : "NULL";
  s.call(kernel, "byoc_dft.h", "BYOC_DFT", {std::string(c_type(dtype)), work},
         {parameters, table, s.in(0), window, s.out(0),
          "(" + work + " *)" + s.workspace(static_cast<std::uint64_t>(2 * t->length) * (wide ? 8 : 4))});
  return s.emit();
}

}  // namespace byoc::c
