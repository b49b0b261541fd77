#include <algorithm>
#include <span>
#include <sstream>

#include "byoc/c_text.hpp"
#include "sdk/base/support/name_table.hpp"
#include "sdk/library/object/math_functions.hpp"
#include "sdk/library/pack/folder_files.hpp"
#include "sdk/library/pack/forms/form_parts.hpp"
#include "sdk/library/pack/forms/target_facts.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/target/target/source_target.hpp"

namespace byoc::forms {
namespace {

// An element of a buffer in the languages that packages have bindings for.
struct ElementNames {
  std::string_view c, rust, python, node, array;
};
constexpr ElementNames kElements[] = {
    {"int8_t", "i8", "c_int8", "int8_t", "Int8Array"},
    {"uint8_t", "u8", "c_uint8", "uint8_t", "Uint8Array"},
    {"int16_t", "i16", "c_int16", "int16_t", "Int16Array"},
    {"uint16_t", "u16", "c_uint16", "uint16_t", "Uint16Array"},
    {"int32_t", "i32", "c_int32", "int32_t", "Int32Array"},
    {"uint32_t", "u32", "c_uint32", "uint32_t", "Uint32Array"},
    {"int64_t", "i64", "c_int64", "int64_t", "BigInt64Array"},
    {"uint64_t", "u64", "c_uint64", "uint64_t", "BigUint64Array"},
    {"float", "f32", "c_float", "float", "Float32Array"},
    {"double", "f64", "c_double", "double", "Float64Array"},
};

std::string number(std::uint64_t n) { return std::to_string(n); }

// Words of Rust (The Rust Reference, "Keywords") and of Python (The Python Language Reference, 2.3.1) that are none of
// C: a name of theirs gets an underscore more.
constexpr std::string_view kRustWords[] = {
    "Self",  "abstract", "as",       "async",   "await", "become", "box",  "crate", "dyn",   "false",
    "final", "fn",       "gen",      "impl",    "in",    "let",    "loop", "macro", "match", "mod",
    "move",  "mut",      "override", "priv",    "pub",   "ref",    "self", "super", "trait", "true",
    "try",   "type",     "unsafe",   "unsized", "use",   "where",  "yield"};
constexpr std::string_view kPythonWords[] = {"False",  "None",     "True",    "as",    "async",  "await",  "def", "del",
                                             "elif",   "except",   "finally", "from",  "global", "import", "in",  "is",
                                             "lambda", "nonlocal", "pass",    "raise", "with",   "yield"};

std::string name_beside(std::span<const std::string_view> words, const std::string& name) {
  return std::find(words.begin(), words.end(), name) == words.end() ? name : name + "_";
}

Scope scope_of(const IoTensor& t) {
  const std::string type(c_type(t.dtype));
  const auto* names =
      std::find_if(std::begin(kElements), std::end(kElements), [&](const ElementNames& e) { return e.c == type; });
  std::uint64_t elements = 1;
  std::string dims;
  for (const std::int64_t d : t.dims) {
    elements *= static_cast<std::uint64_t>(d);
    dims += (dims.empty() ? "" : ", ") + std::to_string(d);
  }
  if (bit_width(t.dtype) < 8) elements = t.bytes;
  return {{{"field", t.field},
           {"FIELD", upper_case(t.field)},
           {"rust_field", name_beside(kRustWords, t.field)},
           {"python_field", name_beside(kPythonWords, t.field)},
           {"ctype", type},
           {"rust_type", std::string(names->rust)},
           {"python_type", std::string(names->python)},
           {"node_type", std::string(names->node)},
           {"array", std::string(names->array)},
           {"elements", number(elements)},
           {"count", bit_width(t.dtype) < 8 ? "SIZE" : "ELEMENTS"},  // macro of the header with that number
           {"bytes", number(t.bytes)},
           {"dtype", std::string(to_string(t.dtype))},
           {"dims", dims}},
          {}};
}

Scope scope_of(const Package& p) {
  Scope out{{{"model", p.prefix}, {"MODEL", upper_case(p.prefix)}, {"header", p.header_name}},
            {{"inputs", {}}, {"outputs", {}}, {"further", {}}}};
  const ModelInterface& m = p.description->interface;
  out.fields["workspace_bytes"] = number(m.workspace_bytes);
  out.fields["workspace_align"] = number(m.workspace_align);
  out.fields["instance_bytes"] = m.instance_bytes == 0 ? "" : number((m.instance_bytes + 7) / 8 * 8);
  out.fields["instance_align"] = number(m.instance_align);
  for (const IoTensor& t : m.inputs) out.lists["inputs"].push_back(scope_of(t));
  for (const IoTensor& t : m.outputs) out.lists["outputs"].push_back(scope_of(t));
  for (const PoolWorkspace& w : m.further_workspaces)
    out.lists["further"].push_back({{{"pool_field", w.field},
                                     {"POOL", upper_case(w.field)},
                                     {"bytes", number(w.bytes)},
                                     {"align", number(w.align)}},
                                    {}});
  return out;
}

// True if any compiler for a machine of 32 bits or more may compile its sources.
bool is_plain(const Variant& v) { return !v.target().has("dsp") && !v.target().has("mve"); }

// The part that no other compiler can compile: "llvm of codegen 'llvm'"; "" if there is none.
std::string part_without_source(const Variant& v) {
  for (const Package& p : v.models)
    for (const LibraryMember& m : p.members) {
      const Module& module = p.tree.modules[m.module];
      if (module.for_loaders || !m.constants.empty() || compiled_from_one_source(m, module)) continue;
      return std::string(to_string(module.kind())) +
             (module.codegen.empty() ? " '" + module.name + "'" : " of codegen '" + module.codegen + "'");
    }
  return {};
}

// True if it is to be linked with -lm. Nobody has looked at what sources call.
bool wants_math(const Variant& v) {
  return makes_sources(v.target()) ||
         std::ranges::any_of(v.models, [](const Package& p) { return want_math_library(p.description->undefined); });
}

Scope scope_of(const Variant& v) {
  Scope out{facts_of(v.target()), {{"models", {}}, {"link_libraries", {}}, {"chips", {}}}};
  out.fields["link_flags"];
  out.fields["math"] = wants_math(v) ? "1" : "";
  for (const Package& p : v.models) {
    out.lists["models"].push_back(scope_of(p));
    for (const std::string& l : p.link_libraries) out.lists["link_libraries"].push_back({{{"library", l}}, {}});
  }
  for (const Scope& l : out.lists["link_libraries"]) out.fields["link_flags"] += " -l" + l.fields.at("library");
  if (wants_math(v)) out.fields["link_flags"] += " -lm";
  std::istringstream chips(out.fields["idf"]);
  for (std::string chip; std::getline(chips, chip, '|');) out.lists["chips"].push_back({{{"chip", chip}}, {}});
  return out;
}

}  // namespace

std::string why_no_fallback(std::span<const Variant> variants) {
  for (const Variant& v : variants)
    if (is_plain(v)) return part_without_source(v);
  return {};
}

Scope scope_of(const FormRequest& request, std::span<const Variant> variants) {
  Scope out{complete(request.about, variants), {}};
  out.fields["AT"] = "@";
  out.fields["byoc"] = BYOC_VERSION;
  out.fields["install"] = how_to_install(request.form, out.fields["name"]);
  out.fields["several"] = variants.size() > 1 ? "1" : "";
  std::vector<Scope>&targets = out.lists["targets"], &fallback = out.lists["fallback"];
  for (const Variant& v : variants) {
    if (makes_sources(v.target()))
      fallback = {scope_of(v)};  // before those of a machine
    else
      targets.push_back(scope_of(v));
    if (fallback.empty() && is_plain(v) && part_without_source(v).empty()) fallback.push_back(targets.back());
  }
  out.lists["models"] = targets.front().lists["models"];
  out.fields["link_flags"] = targets.front().fields["link_flags"];
  out.fields["math"] = targets.front().fields["math"];
  out.fields["first_target"] = variants.front().target().name;
  return out;
}

}  // namespace byoc::forms
