// byoc.TreeEnsemble: tables that stay in flash and one loop over them, or code, whichever is smaller.
#include <limits>
#include <span>

#include "backends/c/lower/kernel_options.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/typed_step.hpp"
#include "backends/c/lower/transform/tree_tables.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

constexpr std::uint64_t kLoopBytes = 800;  // of Thumb-2, as compilers unroll it

// A table of `T`, or "NULL".
template <class T>
std::string table(Emitter& emitter, const std::string& stem, std::span<const std::int32_t> elements) {
  std::vector<T> narrow;
  for (const std::int32_t v : elements) narrow.push_back(static_cast<T>(v));
  return emitter.constant<T>(stem, narrow, false);
}

std::string indices(Emitter& emitter, const Trees& t, const std::string& stem, std::span<const std::int32_t> list) {
  return t.small_indices() ? table<std::int16_t>(emitter, stem, list) : table<std::int32_t>(emitter, stem, list);
}

// Features or targets.
std::string places(Emitter& emitter, const Trees& t, const std::string& stem, std::span<const std::int32_t> list) {
  return t.bytes() ? table<std::uint8_t>(emitter, stem, list) : indices(emitter, t, stem, list);
}

bool lower_tables(Emitter& emitter, const Node& node, const Trees& t) {
  TypedStep s(emitter, node);
  const std::string type(c_type(t.dtype)), index = t.small_indices() ? "int16_t" : "int32_t";
  const std::string place = t.bytes() ? "uint8_t" : index;
  const std::int32_t mode = t.mode();
  Kernel kernel{"tree_ensemble.c", typed_symbol("tree_ensemble_" + t.aggregate, {t.dtype}), {}};
  kernel.symbol += (t.small_indices() ? "" : "_wide") + std::string(t.bytes() ? "" : "_far");
  if (mode >= 0) {
    kernel.symbol += "_" + std::to_string(mode);
    kernel.defines["BYOC_MODE"] = std::to_string(mode);
  }
  if (t.one_weight_each()) {
    kernel.symbol += "_each";
    kernel.defines["BYOC_ONE_EACH"] = "1";
  }
  if (t.width == 1) {
    kernel.symbol += "_one";
    kernel.defines["BYOC_ONE_TARGET"] = "1";
  }
  kernel.defines["BYOC_X"] = type;
  kernel.defines["BYOC_INDEX"] = index;
  kernel.defines["BYOC_PLACE"] = place;
  kernel.defines["BYOC_LARGEST_X"] = t.dtype == DType::f32 ? "FLT_MAX" : "DBL_MAX";
  if (t.aggregate == "min") kernel.defines["BYOC_MIN"] = "1";
  if (t.aggregate == "max") kernel.defines["BYOC_MAX"] = "1";
  if (t.aggregate == "average") kernel.defines["BYOC_AVERAGE"] = "1";
  std::vector<std::int32_t> features, modes, children;
  for (std::size_t n = 0; n < t.splits.size(); ++n) {
    features.push_back(t.nodes[4 * n]);
    modes.push_back(t.nodes[4 * n + 1]);
    children.insert(children.end(), {t.nodes[4 * n + 2], t.nodes[4 * n + 3]});
  }
  ParameterText p;
  p.add("rows", t.rows).add("features", t.features).add("targets", t.width).add("roots", std::ssize(t.roots));
  const std::string parameters = s.parameters(p, "byoc_tree_ensemble_t");
  const std::string& n = s.name;
  s.call(kernel, "byoc_tree_ensemble.h", "BYOC_TREE_ENSEMBLE", {type, index, place},
         {parameters, s.in(0), s.in(1), places(emitter, t, n + "_feature", features),
          mode < 0 ? table<std::uint8_t>(emitter, n + "_mode", modes) : "NULL",
          indices(emitter, t, n + "_child", children), indices(emitter, t, n + "_root", t.roots),
          t.one_weight_each() ? "NULL" : indices(emitter, t, n + "_first", t.first),
          t.width == 1 ? "NULL" : places(emitter, t, n + "_target", t.targets), s.in(6), s.out(0)});
  return s.emit();
}

bool lower_code(Emitter& emitter, const Node& node, const Trees& t) {
  TypedStep s(emitter, node);
  const std::string name = s.step.symbol + "_row", rows = std::to_string(t.rows);
  s.step.kernel = kTreeCode;
  s.text.includes = {"<float.h>", "<math.h>"};
  s.text.functions = tree_code(t, name);
  const std::string x = s.in(0), y = s.out(0);
  s.text.body = t.rows == 1
                    ? "  " + name + "(" + x + ", " + y + ");\n"
                    : "  int32_t row;\n  for (row = 0; row < " + rows + "; ++row) " + name + "(" + x + " + row * " +
                          std::to_string(t.features) + ", " + y + " + row * " + std::to_string(t.width) + ");\n";
  return s.emit();
}

}  // namespace

codegen::Verdict accepts_tree_ensemble(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  if (x.dtype != DType::f32 && x.dtype != DType::f64) return refuse_dtype(x.dtype, "f32 or f64");
  for (std::size_t i = 1; i < node.inputs.size(); ++i)
    if (!region.values[node.inputs[i]].is_constant)
      return refuse(Reason::not_constant, "found computed trees, expected constants");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  if (!trees_of(region, node))
    return refuse(Reason::unsupported_attribute, "found tables of trees that do not fit each other");
  return claim();
}

std::vector<KernelOption> tree_ensemble_options(const LayerQuestion& q, const Node& node) {
  const auto trees = trees_of(q.region, node);
  if (!trees) return {};
  KernelOption tables, code;
  tables.kernel = kTreeTables;
  tables.constants = trees->table_bytes() + kLoopBytes;
  code.kernel = kTreeCode;
  code.constants = trees->code_bytes();
  if (code.constants == 0) return {tables};
  if (code.constants < tables.constants) return {code, tables};
  return {tables, code};
}

bool lower_tree_ensemble(Emitter& emitter, const Node& node) {
  const auto trees = trees_of(emitter.region, node);
  if (!trees) return emitter.error(node, "the tables of its trees do not fit each other");
  return emitter.chosen(node) == kTreeCode ? lower_code(emitter, node, *trees) : lower_tables(emitter, node, *trees);
}

}  // namespace byoc::c
