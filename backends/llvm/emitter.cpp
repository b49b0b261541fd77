#include "backends/llvm/emitter.hpp"

#include <algorithm>

#include "backends/llvm/lower/channel_factors.hpp"
#include "backends/llvm/lower/reals.hpp"

namespace byoc::bitcode {

using codegen::kNoValue;
using codegen::Node;
using codegen::NodeId;
using codegen::ValueId;

namespace {

constexpr std::uint32_t kAlign = 64;  // bytes: a line of the cache, and the widest vector

// 64-bit FNV-1a: what a kernel computes is in its symbol, so that the same kernel of two models is the same module.
std::string digest(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[hash >> shift & 15];
  return out;
}

}  // namespace

Modules::Modules(const Machine& machine, codegen::Host& host)
    : machine_(machine), host_(host), steps_(machine, "steps") {}

std::string Modules::kernel(std::string_view family, const std::string& key,
                            const std::function<void(Code&, const std::string&)>& write) {
  const std::string whole = std::string(family) + " " + key;
  if (const auto known = kernels_.find(whole); known != kernels_.end()) return known->second;
  codegen::ArtifactDecl decl;
  decl.kind = codegen::ArtifactKind::llvm_bitcode;
  decl.symbol = "byoc_llvm_" + std::string(family) + "_" + digest(whole);
  decl.name = decl.symbol;
  decl.shared = true;
  decl.effort = codegen::Effort::hot;
  Code code(machine_, decl.symbol);
  write(code, decl.symbol);
  host_.artifact(decl, code.bitcode());
  return kernels_[whole] = decl.symbol;
}

void Modules::take_threads() {
  if (takes_threads_) return;
  takes_threads_ = true;
  const std::uint32_t pointer = machine_.pointer_width / 8;
  host_.instance({.bytes = pointer, .align = pointer, .device = "threads"});
}

void Modules::finish() {
  if (defined_.empty()) return;
  codegen::ArtifactDecl decl;
  decl.kind = codegen::ArtifactKind::llvm_bitcode;
  decl.name = host_.claim("llvm_steps");
  decl.defines = defined_;
  decl.effort = codegen::Effort::glue;
  host_.artifact(decl, steps_.bitcode());
}

Emitter::Emitter(const codegen::Request& of, const Machine& on, const codegen::Region& in, codegen::Host& host,
                 Modules& modules, const BackendOptions& chosen)
    : request(of),
      machine(on),
      region(in),
      options(chosen),
      host_(host),
      modules_(modules),
      readers_(in.values.size()),
      leaves_(in.values.size(), false),
      made_(in.values.size(), false),
      done_(in.nodes.size(), false) {
  for (NodeId n = 0; n < region.nodes.size(); ++n)
    for (const ValueId v : region.nodes[n].inputs)
      if (v != kNoValue) readers_[v].push_back(n);
  for (const ValueId v : region.outputs) leaves_[v] = true;
  for (const ValueId v : region.inputs) made_[v] = true;
}

const codegen::Value* Emitter::given(const Node& node, std::size_t index) const {
  if (index >= node.inputs.size() || node.inputs[index] == kNoValue) return nullptr;
  return &region.values[node.inputs[index]];
}

std::optional<NodeId> Emitter::only_reader(ValueId value) const {
  if (leaves_[value] || readers_[value].size() != 1) return std::nullopt;
  return readers_[value].front();
}

const Node* Emitter::only_follower(ValueId value) const {
  const auto next = only_reader(value);
  return next && !done_[*next] ? &region.nodes[*next] : nullptr;
}

Fused Emitter::fuse(std::span<const Node* const> before, const Node& last) {
  Fused out = fuse(last, {});
  std::vector<NodeId> nodes;
  for (const Node* node : before) {
    nodes.push_back(id_of(*node));
    done_[nodes.back()] = true;
    host_.fused(region, node->outputs[0], out.output);
  }
  out.nodes.insert(out.nodes.begin(), nodes.begin(), nodes.end());
  done_[id_of(last)] = true;
  return out;
}

Fused Emitter::fuse(const Node& node, Follower may) {
  Fused out{node.outputs[0], {id_of(node)}, nodes::activation_bounds(node).value_or(nodes::Bounds{}), kNoValue, {}, {}};
  const auto take = [&](NodeId n) {
    out.nodes.push_back(n);
    done_[n] = true;
    out.output = region.nodes[n].outputs[0];
  };
  if (const auto next = only_reader(out.output); next && may.may_scale && out.bounds == nodes::Bounds{}) {
    if (auto factors = channel_factors(region, region.nodes[*next])) {
      out.scale = std::move(factors->scale);
      out.shift = std::move(factors->shift);
      out.bounds = *nodes::activation_bounds(region.nodes[*next]);
      take(*next);
    }
  }
  if (const auto next = only_reader(out.output); next && may.may_shift && out.bounds == nodes::Bounds{}) {
    if (auto shift = channel_shift(region, region.nodes[*next], out.output); shift && out.scale.empty()) {
      out.shift = std::move(*shift);
      out.bounds = *nodes::activation_bounds(region.nodes[*next]);
      take(*next);
    }
  }
  if (const auto next = only_reader(out.output); next && may.may_add && out.bounds == nodes::Bounds{}) {
    const Node& add = region.nodes[*next];
    if (add.domain.empty() && add.op == "Add" && nodes::activation_bounds(add)) {
      const ValueId other = add.inputs[add.inputs[0] == out.output ? 1 : 0];
      const codegen::Value &y = value(add.outputs[0]), &o = value(other);
      if (!done_[*next] && made_[other] && o.dtype == y.dtype && o.dims == y.dims && value(out.output).dims == y.dims) {
        out.added = other;
        out.bounds = *nodes::activation_bounds(add);
        take(*next);
      }
    }
  }
  if (const auto next = only_reader(out.output); next && region.nodes[*next].inputs[0] == out.output) {
    if (const auto bounds = clamp_bounds(region, region.nodes[*next])) {
      const auto clamp = [&](float v) { return std::min(std::max(v, bounds->lo), bounds->hi); };
      out.bounds = {clamp(out.bounds.lo), clamp(out.bounds.hi)};
      take(*next);
    }
  }
  for (std::size_t i = 0; i + 1 < out.nodes.size(); ++i)
    host_.fused(region, region.nodes[out.nodes[i]].outputs[0], out.output);
  return out;
}

std::string Emitter::arranged(std::string_view stem, ValueId id, const codegen::Arrangement& how) {
  codegen::ConstantDecl decl;
  decl.symbol = host_.claim(stem);
  decl.element = value(id).dtype;
  decl.align = kAlign;
  host_.constant_arranged(decl, region, id, how);
  return decl.symbol;
}

std::string Emitter::floats(std::string_view stem, std::span<const float> elements_of) {
  return elements(stem, DType::f32, std::as_bytes(elements_of));
}

std::string Emitter::elements(std::string_view stem, DType type, std::span<const std::byte> bytes) {
  codegen::ConstantDecl decl;
  decl.symbol = host_.claim(stem);
  decl.element = type;
  decl.align = kAlign;
  host_.constant(decl, bytes);
  return decl.symbol;
}

std::string Emitter::elements_owned(std::string_view stem, DType type, std::vector<std::byte> bytes) {
  codegen::ConstantDecl decl;
  decl.symbol = host_.claim(stem);
  decl.element = type;
  decl.align = kAlign;
  host_.constant_owned(decl, std::move(bytes));
  return decl.symbol;
}

std::string Emitter::as_it_is(std::string_view stem, ValueId id) {
  codegen::ConstantDecl decl;
  decl.symbol = host_.claim(stem);
  decl.element = value(id).dtype;
  decl.align = kAlign;
  host_.constant_from_value(decl, region, id, 0, value(id).data.size());
  return decl.symbol;
}

std::string Emitter::stem(const Node& node) const { return node.op + "_" + std::to_string(id_of(node)); }

Argument Emitter::operand(const Node& node, std::size_t index, codegen::Step& step) {
  const ValueId id = node.inputs[index];
  if (value(id).is_constant) return bitcode::constant(as_it_is(stem(node) + "_" + std::to_string(index), id));
  step.inputs.push_back({id});
  return input(step.inputs.size() - 1);
}

bool Emitter::is_shared(Work what, std::int64_t work, std::int64_t pieces) const {
  // The work of a thread in about the time in which others notice that there is work.
  constexpr std::int64_t kProducts = 1 << 18, kElements = 1 << 15;
  return options.threads && pieces > 1 && work >= (what == Work::products ? kProducts : kElements);
}

void Emitter::alias(ValueId value, ValueId of) {
  made_[value] = true;
  host_.alias(region, value, of);
}

void Emitter::step(const Node& node, codegen::Step step, const std::vector<Call>& calls) {
  if (step.symbol.empty()) step.symbol = host_.claim(stem(node));
  if (step.nodes.empty()) step.nodes = {id_of(node)};
  if (step.kernel.empty() && !calls.empty()) step.kernel = calls.back().kernel;
  Code& code = modules_.steps();
  step.uses_instance = std::any_of(calls.begin(), calls.end(), [](const Call& c) { return c.pieces != 0; });
  if (step.uses_instance) modules_.take_threads();
  const std::size_t first = step.uses_instance ? 1 : 0;
  const std::size_t inputs = first + step.inputs.size(), outputs = step.outputs.size();
  code.begin_function(step.symbol, inputs + outputs + step.workspaces.size(), true, false);
  const Value threads = step.uses_instance ? code.load_pointer(code.argument(0)) : nullptr;
  for (const Call& call : calls) {
    Values arguments;
    for (const Argument& a : call.arguments) {
      Value pointer = nullptr;
      switch (a.kind) {
        case Argument::Kind::input: pointer = code.argument(first + a.index); break;
        case Argument::Kind::output: pointer = code.argument(inputs + a.index); break;
        case Argument::Kind::workspace: pointer = code.argument(inputs + outputs + a.index); break;
        case Argument::Kind::constant: pointer = code.external_constant(a.symbol); break;
      }
      arguments.push_back(a.bytes == 0 ? pointer : code.at_byte(pointer, a.bytes));
    }
    if (call.pieces == 0)
      code.call(call.kernel, arguments);
    else
      code.call_by_parts(call.kernel, arguments, call.pieces, threads);
  }
  code.end_function();
  modules_.define(step.symbol);
  for (const codegen::Operand& o : step.outputs) made_[o.value] = true;
  host_.step(region, step);
}

bool Emitter::error(const Node& node, std::string_view text) {
  host_.diag(codegen::Severity::error, region, id_of(node), text);
  return false;
}

}  // namespace byoc::bitcode
