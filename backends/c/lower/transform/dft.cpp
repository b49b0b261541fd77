// DFT and STFT: a fast transform where the length is a power of two, the sums themselves elsewhere.
#include <cmath>
#include <map>
#include <numbers>
#include <set>
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

// A transform, and what a run has to find for it: axis and dft_length where they are computed.
struct Choice {
  Transform transform;
  std::optional<std::int64_t> axis, length;
};

// Along dim `at`, with `length` or as many elements as there are.
Transform along(const Node& node, const Value& x, const Value& y, std::size_t at, std::optional<std::int64_t> length) {
  Transform t;
  t.inverse = node.integer("inverse", 0) != 0;
  t.is_half = t.inverse && node.integer("onesided", 0) != 0;
  t.given = x.dims[at];
  t.length = length ? *length : t.is_half ? 2 * (t.given - 1) : t.given;
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

// True if this transform has the stated result.
bool gives(const Transform& t, const Node& node, const Value& x, const Value& y, std::size_t at) {
  const bool halves = !t.inverse && node.integer("onesided", 0) != 0;
  for (std::size_t d = 0; d + 1 < x.dims.size(); ++d)
    if (d != at && x.dims[d] != y.dims[d]) return false;
  return t.length >= 1 && t.bins == (halves ? t.length / 2 + 1 : t.length);
}

// The transforms that the stated shapes allow, if axis or length are computed.
std::vector<Choice> read_dft(const Region& region, const Node& node, std::string& why) {
  const Value &x = region.values[node.inputs[0]], &y = region.values[node.outputs[0]];
  const auto rank = static_cast<std::int64_t>(x.dims.size());
  const bool any_length = given_input(region, node, 1) && !whole_constant(region, node, 1),
             any_axis = given_input(region, node, 2) && !whole_constant(region, node, 2);
  std::vector<Choice> out;
  const std::int64_t stated = whole_constant(region, node, 2).value_or(-2), axis = stated < 0 ? stated + rank : stated;
  if (!any_length && !any_axis)
    return {{along(node, x, y, static_cast<std::size_t>(axis), whole_constant(region, node, 1)), {}, {}}};
  for (std::int64_t d = 0; d + 1 < rank; ++d) {
    if (!any_axis && d != axis) continue;
    const auto at = static_cast<std::size_t>(d);
    const std::int64_t bins = y.dims[at];
    // Half of the bins are those of an even or an odd length.
    std::vector<std::optional<std::int64_t>> lengths = {whole_constant(region, node, 1)};
    if (any_length) lengths = {bins, 2 * bins - 2, 2 * bins - 1};
    std::set<std::int64_t> tried;
    for (const auto& length : lengths) {
      const Transform t = along(node, x, y, at, length);
      if (!tried.insert(t.length).second || !gives(t, node, x, y, at)) continue;
      out.push_back(
          {t, any_axis ? std::optional(d) : std::nullopt, any_length ? std::optional(t.length) : std::nullopt});
    }
  }
  if (out.empty()) why = "found " + shape_text(y) + ", expected the shape of a transform of " + shape_text(x);
  return out;
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

// Empty, with the reason, if it cannot be compiled.
std::vector<Choice> read_transforms(const Region& region, const Node& node, std::string& why) {
  if (node.op == "DFT") return read_dft(region, node, why);
  const auto t = read_stft(region, node, why);
  return t ? std::vector<Choice>{{*t, {}, {}}} : std::vector<Choice>{};
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
  const std::vector<Choice> choices = read_transforms(region, node, why);
  if (choices.empty()) return refuse(Reason::not_constant, why);
  for (std::size_t i : {std::size_t{1}, std::size_t{2}})
    if (const Value* v = given_input(region, node, i);
        v && !v->is_constant && ((v->dtype != DType::i64 && v->dtype != DType::i32) || v->elements() != 1))
      return refuse(Reason::unsupported_shape, "found " + std::string(to_string(v->dtype)) + shape_text(*v) +
                                                   " as operand " + std::to_string(i) + ", expected one i32 or i64");
  for (const Choice& c : choices)
    if (c.transform.length > (std::int64_t{1} << 26))
      return refuse(Reason::unsupported_shape,
                    "found a length of " + std::to_string(c.transform.length) + ", expected at most 2^26");
  return claim();
}

namespace {

ParameterText parameters_of(const Transform& t) {
  ParameterText p;
  p.add("outer", t.outer).add("inner", t.inner).add("length", t.length).add("given", t.given).add("bins", t.bins);
  p.add("x_outer", t.x_outer).add("x_inner", t.x_inner).add("x_next", t.x_next);
  p.add("y_outer", t.y_outer).add("y_inner", t.y_inner).add("y_next", t.y_next);
  p.add("is_complex", t.is_complex ? 1 : 0).add("inverse", t.inverse ? 1 : 0).add("is_half", t.is_half ? 1 : 0);
  return p;
}

std::string dft_turns(Emitter& emitter, const std::string& name, std::int64_t length, bool wide) {
  const std::vector<double> exact = turns<double>(wide ? length : 0);
  const std::vector<float> rounded = turns<float>(wide ? 0 : length);
  const auto bytes = wide ? std::as_bytes(std::span(exact)) : std::as_bytes(std::span(rounded));
  return emitter.constant_bytes(name, wide ? DType::f64 : DType::f32, bytes, false, 8);
}

// The condition on a run for this choice.
std::string condition(TypedStep& s, const Choice& c, std::size_t rank) {
  std::string out;
  if (c.axis) {
    const std::string axis = "*" + s.in(2);
    const std::int64_t from_end = *c.axis - static_cast<std::int64_t>(rank);
    out = "(" + axis + " == " + std::to_string(*c.axis) + " || " + axis + " == " + std::to_string(from_end) + ")";
  }
  if (c.length) out += (out.empty() ? "*" : " && *") + s.in(1) + " == " + std::to_string(*c.length);
  return out;
}

}  // namespace

bool lower_dft(Emitter& emitter, const Node& node) {
  std::string why;
  const std::vector<Choice> choices = read_transforms(emitter.region, node, why);
  if (choices.empty()) return emitter.error(node, why);
  const Value& x = *emitter.input(node, 0);
  const bool wide = x.dtype == DType::f64;
  const std::string work(element_type(x.dtype)->work);
  TypedStep s(emitter, node);
  const std::string window = node.op == "STFT" ? s.in(2) : "NULL";
  std::int64_t longest = 1;
  for (const Choice& c : choices) longest = std::max(longest, c.transform.length);
  const std::string workspace =
      "(" + work + " *)" + s.workspace(static_cast<std::uint64_t>(2 * longest) * (wide ? 8 : 4));
  std::map<std::int64_t, std::string> tables;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const Transform& t = choices[i].transform;
    const std::string number = i == 0 ? "" : std::to_string(i);
    const bool fast = (t.length & (t.length - 1)) == 0;
    Kernel kernel{"dft.c", typed_symbol(fast ? "fft" : "dft", {x.dtype}), {}};
    define_element(kernel, "BYOC_X", x.dtype);
    define_arithmetic(kernel, x.dtype);
    if (fast) kernel.defines["BYOC_POWER_OF_TWO"] = "1";
    std::string& table = tables[t.length];
    if (table.empty()) table = dft_turns(emitter, s.name + "_turns" + number, t.length, wide);
    const std::string only = condition(s, choices[i], x.dims.size());
    if (!only.empty()) s.text.body += "  if (" + only + ") {\n";
    s.call(
        kernel, "byoc_dft.h", "BYOC_DFT", {std::string(c_type(x.dtype)), work},
        {s.parameters(parameters_of(t), "byoc_dft_t", "params" + number), table, s.in(0), window, s.out(0), workspace});
    if (!only.empty()) s.text.body += "    return 0;\n  }\n";
  }
  if (choices[0].axis || choices[0].length) {
    s.text.body += "  return 1;\n";
    s.step.failure = reason::kNumbers;
  }
  return s.emit();
}

}  // namespace byoc::c
