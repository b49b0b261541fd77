// Write a codegen in C++: derive from byoc::PluginCodegen and say BYOC_PLUGIN. Header only; a plug-in links nothing of
// byoc's. Everything here is compiled into the plug-in, and only the C ABI of byoc/abi crosses the border.
//
//   class Acme final : public byoc::PluginCodegen {
//    public:
//     using PluginCodegen::PluginCodegen;
//     Verdict verdict(const Region& model, const Node& node) const override { ... }
//     bool compile(const Request& request, Host& host) override { ... }
//   };
//   BYOC_PLUGIN(Acme, {.id = "com.acme.npu", .name = "Acme NPU", .vendor = "Acme", .version = "1.0",
//                      .license = "Apache-2.0"})
//
// docs/writing-a-codegen.md walks through a complete one.
#pragma once

#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "byoc/abi/abi.h"
#include "byoc/abi/ext/moving_constants.h"
#include "byoc/c_text.hpp"
#include "byoc/codegen.hpp"
#include "byoc/plugin/description.hpp"
#include "byoc/plugin/host.hpp"
#include "byoc/plugin/views.hpp"

namespace byoc {

// The arguments for the creation of a codegen. Lives as long as the codegen.
struct PluginContext {
  TargetSpec target;
  PluginOptions options;
};

// Base of a plug-in's codegen, one object for one export. Exceptions may leave its functions: they become errors that
// name the plug-in.
class PluginCodegen : public codegen::Codegen {
 public:
  using Group = codegen::Group;
  using Host = codegen::Host;
  using Match = codegen::Match;
  using Node = codegen::Node;
  using Reason = codegen::Reason;
  using Region = codegen::Region;
  using Request = codegen::Request;
  using Step = codegen::Step;
  using Value = codegen::Value;
  using Verdict = codegen::Verdict;

  explicit PluginCodegen(const PluginContext& context) : target(context.target), options(context.options) {}

  const TargetSpec& target;
  const PluginOptions& options;

  // Can it compile this node, and if not, why. Pure.
  [[nodiscard]] virtual Verdict verdict(const Region& model, const Node& node) const = 0;
  // compile() is Codegen's: true, or false after an error through Host::diag. So is update_constants(), for those who
  // put other constants into their regions.

  [[nodiscard]] static Verdict claim() { return {true, Reason::none, {}}; }
  [[nodiscard]] static Verdict refuse(Reason reason, std::string why) { return {false, reason, std::move(why)}; }

  [[nodiscard]] std::vector<Verdict> verdicts(const Region& model, const TargetSpec&) override {
    std::vector<Verdict> out;
    for (const Node& node : model.nodes) out.push_back(verdict(model, node));
    return out;
  }
  // The table of the plug-in says these.
  [[nodiscard]] std::string_view id() const final { return {}; }
  [[nodiscard]] std::string_view version() const final { return {}; }
  [[nodiscard]] codegen::Role role() const final { return {}; }
  [[nodiscard]] bool built_in() const final { return false; }
};

// "int32_t acme_conv(const float *in0, float *out0, void *ws0)": the function that a step calls, with the names in<i>,
// out<i>, ws<i>, and `instance` if it uses one. Throws std::out_of_range for an operand that is no value of the region.
[[nodiscard]] inline std::string c_prototype(const codegen::Region& region, const codegen::Step& step) {
  std::string parameters = step.uses_instance ? "void *instance" : "";
  const auto add = [&](std::string_view type, const char* name, std::size_t index) {
    parameters += (parameters.empty() ? "" : ", ") + std::string(type) + " *" + name + std::to_string(index);
  };
  const auto type_of = [&](const codegen::Operand& o) {
    return o.value == codegen::kNoValue ? std::string_view("void") : c_type(codegen::value_of(region, o.value).dtype);
  };
  for (std::size_t i = 0; i < step.inputs.size(); ++i) add("const " + std::string(type_of(step.inputs[i])), "in", i);
  for (std::size_t i = 0; i < step.outputs.size(); ++i) add(type_of(step.outputs[i]), "out", i);
  for (std::size_t i = 0; i < step.workspaces.size(); ++i) add("void", "ws", i);
  return "int32_t " + step.symbol + "(" + (parameters.empty() ? "void" : parameters) + ")";
}

// A constant of the region as a const global, by reference; returns its symbol, declared in the internal header as
// `extern const T symbol[n]`.
[[nodiscard]] inline std::string constant_symbol(codegen::Host& host, const codegen::Region& region,
                                                 codegen::ValueId value, std::string_view stem,
                                                 std::uint32_t align = 4) {
  const codegen::Value& v = codegen::value_of(region, value);
  codegen::ConstantDecl decl;
  decl.symbol = host.claim(stem);
  decl.element = v.dtype;
  decl.align = align;
  host.constant_from_value(decl, region, value, 0, v.data.size());
  return decl.symbol;
}

// One C file of functions for steps.
class CFile {
 public:
  CFile(const codegen::Request& request, codegen::Host& host, std::string_view stem)
      : host_(host), text_("#include <stdint.h>\n#include \"" + std::string(request.internal_header) + "\"\n") {
    decl_.name = host.claim(stem);
  }
  // "NAME" or "NAME=VALUE", before everything else.
  void define(std::string_view definition) { decl_.defines.emplace_back(definition); }
  // Adds a folder of your headers on this machine: an absolute path.
  void include_folder(std::string_view folder) { decl_.include_directories.emplace_back(folder); }
  // "gnu11"; c99 otherwise.
  void standard(std::string_view name) { decl_.standard = name; }
  // "<math.h>", "\"acme.h\""; before the first function.
  void include(std::string_view header) { text_ += "#include " + std::string(header) + "\n"; }
  // Writes the step's function around `body`, which falls through to `return 0;`, and hands the step over. A symbol is
  // claimed if it has none.
  void add(const codegen::Region& region, codegen::Step step, std::string_view body) {
    if (step.symbol.empty()) step.symbol = host_.claim("step");
    text_ += "\n" + c_prototype(region, step) + " {\n" + std::string(body) + "  return 0;\n}\n";
    host_.step(region, step);
  }
  // Anything else: static functions, tables.
  void append(std::string_view text) { text_ += text; }
  // Hands the file over. Nothing is added after it.
  void finish() { host_.source(decl_, text_); }

 private:
  codegen::Host& host_;
  codegen::SourceDecl decl_;
  std::string text_;
};

namespace abi {

// The border: nothing that is thrown inside gets out.
template <class F>
byoc_status_t guard(const byoc_host_t* host, const F& function) noexcept {
  try {
    return function();
  } catch (const std::bad_alloc&) {
    tell(host, BYOC_ERROR, "out of memory");
    return BYOC_OUT_OF_MEMORY;
  } catch (const std::exception& e) {
    tell(host, BYOC_ERROR, e.what());
  } catch (...) {
    tell(host, BYOC_ERROR, "an exception of an unknown type");
  }
  return BYOC_INTERNAL;
}

// The object behind a byoc_codegen_t*.
struct Instance {
  const byoc_host_t* host = nullptr;
  PluginContext context;
  std::unique_ptr<codegen::Codegen> codegen;
  bool constants_move = false;  // as byoc_moving_constants_t said last

  static byoc_codegen_t* hide(Instance* i) { return reinterpret_cast<byoc_codegen_t*>(i); }
  static Instance& of(byoc_codegen_t* c) { return *reinterpret_cast<Instance*>(c); }
};

[[nodiscard]] inline byoc_verdict_t to_verdict(const codegen::Verdict& v, std::uint32_t node) {
  auto out = make<byoc_verdict_t>();
  out.node = node;
  out.claimed = v.claimed ? 1 : 0;
  out.reason = static_cast<std::uint32_t>(v.reason);
  out.text = string(v.text);
  out.exactness = static_cast<std::uint32_t>(v.exactness);
  out.priority = v.priority;
  out.tolerance = v.tolerance;
  out.cost = v.cost;
  return out;
}

inline byoc_status_t tell_verdicts(Instance& self, const byoc_verdict_request_t& request) {
  const codegen::Region model = to_region(*request.model);
  const std::vector<codegen::Verdict> verdicts = self.codegen->verdicts(model, self.context.target);
  for (std::uint32_t n = 0; n < verdicts.size(); ++n) {
    const byoc_verdict_t v = to_verdict(verdicts[n], n);
    if (const byoc_status_t s = request.claims->node(request.claims, &v); s != BYOC_OK) return s;
  }
  std::vector<codegen::Match> matches;
  for (std::uint32_t i = 0; i < request.match_count; ++i) {
    const byoc_match_t& m = *request.matches[i];
    matches.push_back({m.pattern, std::vector<codegen::NodeId>(m.nodes, m.nodes + m.node_count)});
  }
  for (const codegen::Group& g : self.codegen->groups(model, self.context.target, matches)) {
    const byoc_verdict_t v = to_verdict(g.verdict, BYOC_NONE);
    if (const byoc_status_t s = request.claims->group(request.claims, g.nodes.data(), count(g.nodes), g.pattern, &v);
        s != BYOC_OK)
      return s;
  }
  return BYOC_OK;
}

inline byoc_status_t update_constants(Instance& self, const byoc_update_request_t& request) {
  const std::vector<codegen::Region> regions = to_regions(request.regions, request.region_count);
  UpdatesBridge updates(self.host, request, regions);
  const bool ok = self.codegen->update_constants(regions, updates);
  if (updates.status() != BYOC_OK) return updates.status();
  return ok ? BYOC_OK : BYOC_FAILED;
}

inline byoc_status_t compile(Instance& self, const byoc_compile_request_t& request) {
  const std::vector<codegen::Region> regions = to_regions(request.regions, request.region_count);
  const codegen::Request cpp{self.context.target,
                             static_cast<Objective>(request.objective),
                             view(request.internal_header),
                             regions,
                             view(request.prefix),
                             request.memory_budget,
                             request.attempt,
                             self.constants_move};
  HostBridge host(self.host, request, regions);
  const bool ok = self.codegen->compile(cpp, host);
  if (host.status() != BYOC_OK) return host.status();
  return ok ? BYOC_OK : BYOC_FAILED;
}

// Fills in the functions of a table. `Make` is a function object: (const PluginContext&) -> unique_ptr<Codegen>.
template <class Make>
struct Thunks {
  static byoc_status_t create(const byoc_create_info_t* info, byoc_codegen_t** out) noexcept {
    *out = nullptr;
    return guard(info->host, [&] {
      auto self = std::make_unique<Instance>();
      self->host = info->host;
      self->context = {to_target(*info->target), PluginOptions(*info)};
      self->codegen = Make()(self->context);
      *out = Instance::hide(self.release());
      return BYOC_OK;
    });
  }
  static void destroy(byoc_codegen_t* codegen) noexcept { delete &Instance::of(codegen); }
  static byoc_status_t verdicts(byoc_codegen_t* codegen, const byoc_verdict_request_t* request) noexcept {
    Instance& self = Instance::of(codegen);
    return guard(self.host, [&] { return tell_verdicts(self, *request); });
  }
  static byoc_status_t compile(byoc_codegen_t* codegen, const byoc_compile_request_t* request) noexcept {
    Instance& self = Instance::of(codegen);
    return guard(self.host, [&] { return abi::compile(self, *request); });
  }
  static byoc_status_t update_constants(byoc_codegen_t* codegen, const byoc_update_request_t* request) noexcept {
    Instance& self = Instance::of(codegen);
    return guard(self.host, [&] { return abi::update_constants(self, *request); });
  }
  static byoc_status_t move_constants(byoc_codegen_t* codegen, std::uint32_t moves) noexcept {
    Instance::of(codegen).constants_move = moves != 0;
    return BYOC_OK;
  }
  static const void* extension(const byoc_string_t* id) noexcept {
    static const byoc_moving_constants_t moving = [] {
      auto out = make<byoc_moving_constants_t>();
      out.move = move_constants;
      return out;
    }();
    return view(*id) == BYOC_MOVING_CONSTANTS ? &moving : nullptr;
  }
  static void fill(byoc_plugin_t& table, bool moves_constants) {
    table.create = create;
    table.destroy = destroy;
    table.verdicts = verdicts;
    table.compile = compile;
    table.update_constants = update_constants;
    if (moves_constants) table.extension = extension;
  }
};

template <class T>
struct MakeOf {
  std::unique_ptr<codegen::Codegen> operator()(const PluginContext& context) const {
    return std::make_unique<T>(context);
  }
};

// The body of a query function: the table, made at the first call. `describe` returns the description.
template <class Make, class Describe>
const byoc_plugin_t* serve(const byoc_query_t* query, const Describe& describe) noexcept {
  if (query == nullptr || query->abi_major != BYOC_ABI_MAJOR) return nullptr;
  try {
    static const struct Served {
      PluginTable plugin;
      explicit Served(const PluginDescription& d) : plugin(d) { Thunks<Make>::fill(plugin.table, d.moves_constants); }
    } served(describe());
    return &served.plugin.table;
  } catch (...) {
    return nullptr;
  }
}

}  // namespace abi
}  // namespace byoc

// The entry of a plug-in: BYOC_PLUGIN(Class, {.id = ..., ...}) once, outside of any namespace. Class derives from
// byoc::PluginCodegen.
#define BYOC_PLUGIN(Class, ...)                                                                                   \
  extern "C" BYOC_PLUGIN_EXPORT const byoc_plugin_t* byoc_plugin_query_v1(const byoc_query_t* query) {            \
    return byoc::abi::serve<byoc::abi::MakeOf<Class>>(query, [] { return byoc::PluginDescription __VA_ARGS__; }); \
  }                                                                                                               \
  static_assert(true, "")
