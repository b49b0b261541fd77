#include "backends/c/lower/normalise/normalise.hpp"

#include <array>

#include "backends/c/lower/reduce/many.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

constexpr std::size_t kNormaliseRank = 4;  // BYOC_NORMALISE_RANK

// Loops over one class of dims, innermost last.
struct NormaliseLoops {
  Extents dims, x, scale, bias;
};

struct Nests {
  NormaliseLoops kept, reduced;
};

// Joins neighbours of one class that all operands walk as one; drops dims of 1.
Nests nests(const Normalisation& n) {
  Nests out;
  Extent x_step = 1;
  const auto step = [](const Extents& steps, std::size_t d) { return steps.empty() ? Extent(0) : steps[d]; };
  for (std::size_t d = n.dims.size(); d-- > 0;) {
    NormaliseLoops& loops = n.reduced[d] ? out.reduced : out.kept;
    const Extent scale = step(n.scale, d), bias = step(n.bias, d);
    const auto joins = [&](const Extents& steps, const Extent& s) { return s == steps.front() * loops.dims.front(); };
    if (n.dims[d] != 1) {
      if (!loops.dims.empty() && joins(loops.x, x_step) && joins(loops.scale, scale) && joins(loops.bias, bias)) {
        loops.dims.front() *= n.dims[d];
      } else {
        loops.dims.insert(loops.dims.begin(), n.dims[d]);
        loops.x.insert(loops.x.begin(), x_step);
        loops.scale.insert(loops.scale.begin(), scale);
        loops.bias.insert(loops.bias.begin(), bias);
      }
    }
    x_step *= n.dims[d];
  }
  return out;
}

Extent elements_of_group(const Normalisation& n) {
  Extent out = 1;
  for (std::size_t d = 0; d < n.dims.size(); ++d)
    if (n.reduced[d]) out *= n.dims[d];
  return out;
}

Extents filled(Extents v, std::int64_t with) { return filled_in_front(std::move(v), kNormaliseRank, with); }

std::string normalise_parameters(TypedStep& s, const Normalisation& n) {
  const Nests all = nests(n);
  ParameterText p;
  p.add("kept", filled(all.kept.dims, 1)).add("reduced", filled(all.reduced.dims, 1));
  p.add("x_kept", filled(all.kept.x, 0)).add("x_reduced", filled(all.reduced.x, 0));
  p.add("scale_kept", filled(all.kept.scale, 0)).add("scale_reduced", filled(all.reduced.scale, 0));
  p.add("bias_kept", filled(all.kept.bias, 0)).add("bias_reduced", filled(all.reduced.bias, 0));
  return s.parameters(p, "byoc_normalise_t");
}

}  // namespace

std::optional<Verdict> refuse_unless_real(const Region& region, const Node& node) {
  const Value& x = region.values[node.inputs[0]];
  if (!is_float_type(x.dtype)) return refuse_dtype(x.dtype, "f16, bf16, f32 or f64");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return std::nullopt;
}

Verdict accepts_normalisation(const Region& region, const Node& node, const Normalisation& n) {
  if (auto no = refuse_unless_real(region, node)) return *no;
  const Nests all = nests(n);
  if (all.kept.dims.size() > kNormaliseRank || all.reduced.dims.size() > kNormaliseRank)
    return refuse(Reason::unsupported_shape,
                  "found an input " + shape_text(region.values[node.inputs[0]]) +
                      " whose normalised dims are scattered, expected at most 4 runs of them");
  return claim();
}

bool lower_normalisation(Emitter& emitter, const Node& node, const Normalisation& n) {
  const DType dtype = emitter.input(node, 0)->dtype;
  const ElementType type = *element_type(dtype);
  const char* name = n.about_zero ? "rms_normalise" : n.epsilon_outside ? "mean_variance_normalise" : "normalise";
  Kernel kernel{"normalise.c", typed_symbol(name, {dtype}), {}};
  define_element(kernel, "BYOC_X", dtype);
  define_element(kernel, "BYOC_S", dtype);
  define_arithmetic(kernel, dtype);
  if (n.epsilon_outside) kernel.defines["BYOC_EPSILON_OUTSIDE"] = "1";
  if (n.about_zero) kernel.defines["BYOC_ABOUT_ZERO"] = "1";
  sums_of(kernel, elements_of_group(n));
  TypedStep s(emitter, node);
  const std::string p = normalise_parameters(s, n);
  const std::string storage(type.storage);
  const bool has_scale = !n.scale.empty(), has_bias = !n.bias.empty();
  s.call(kernel, "byoc_normalise.h", "BYOC_NORMALISE", {storage, storage, std::string(type.work)},
         {p, c_literal(dtype, n.epsilon), s.in(0), has_scale ? s.in(1) : "NULL", has_bias ? s.in(2) : "NULL", s.out(0),
          s.out(1), s.out(2)});
  return s.emit();
}

bool lower_running_normalisation(Emitter& emitter, const Node& node, const Normalisation& n, double momentum) {
  const DType x = emitter.input(node, 0)->dtype, scale = emitter.input(node, 1)->dtype;
  const DType statistics = emitter.input(node, 3)->dtype;
  Kernel kernel{"normalise.c", typed_symbol("normalise_running", {x, scale, statistics}), {}};
  define_element(kernel, "BYOC_X", x);
  define_element(kernel, "BYOC_S", scale);
  define_element(kernel, "BYOC_R", statistics);
  define_arithmetic(kernel, x);
  kernel.defines["BYOC_RUNNING"] = "1";
  sums_of(kernel, elements_of_group(n));
  TypedStep s(emitter, node);
  const std::string p = normalise_parameters(s, n);
  s.call(kernel, "byoc_normalise.h", "BYOC_NORMALISE_RUNNING",
         {std::string(c_type(x)), std::string(c_type(scale)), std::string(c_type(statistics)),
          std::string(element_type(x)->work)},
         {p, c_literal(x, n.epsilon), c_literal(x, momentum), s.in(0), s.in(1), s.in(2), s.in(3), s.in(4), s.out(0),
          s.out(1), s.out(2)});
  return s.emit();
}

AroundAxis around(const Extents& dims, std::size_t axis) {
  AroundAxis a;
  for (std::size_t d = 0; d < dims.size(); ++d) (d < axis ? a.outer : d == axis ? a.axis : a.inner) *= dims[d];
  return a;
}

ParameterText channel_parameters(const AroundAxis& a) {
  return ParameterText().add("outer", a.outer).add("channels", a.axis).add("inner", a.inner);
}

}  // namespace byoc::c
