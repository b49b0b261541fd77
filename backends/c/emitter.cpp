#include "backends/c/emitter.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "backends/c/costs/cost_table.hpp"
#include "backends/c/kernels.hpp"
#include "byoc/c_text.hpp"

namespace byoc::c {

namespace {

using codegen::Node;
using codegen::Region;
using codegen::Value;
using codegen::ValueId;

std::string type_text(const Region& region, const Value& v) {
  const auto dim = [&](std::int64_t d) {
    return d < 0 ? region.symbols[static_cast<std::size_t>(-1 - d)] : std::to_string(d);
  };
  std::string out(to_string(v.dtype));
  out += '[';
  for (std::size_t i = 0; i < v.dims.size(); ++i) out += (i ? "," : "") + dim(v.dims[i]);
  return out + ']';
}

bool is_in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool names_any(std::string_view text, const std::set<std::string>& names) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_in_name(text[end])) ++end;
    if (end != at && names.contains(std::string(text.substr(at, end - at)))) return true;
    at = end + 1;
  }
  return false;
}

// True if the text reads the lengths of its region's symbols (lower/step/extent.hpp).
bool reads_lengths(std::string_view text) { return text.find("dims[") != std::string_view::npos; }

}  // namespace

std::string describe(const Region& region, const Node& node) {
  std::string out = (node.domain.empty() ? "" : node.domain + ".") + node.op;
  if (!node.name.empty()) out += " \"" + node.name + "\"";
  out += ":";
  for (ValueId v : node.inputs)
    if (v != codegen::kNoValue && !region.values[v].is_constant) out += " " + type_text(region, region.values[v]);
  out += " ->";
  for (ValueId v : node.outputs)
    if (v != codegen::kNoValue) out += " " + type_text(region, region.values[v]);
  return c_comment(out);
}

Emitter::Emitter(const codegen::Request& request, codegen::Host& host, const Region& of, const ChosenKernels& chosen)
    : region(of),
      target(request.target),
      objective(request.objective),
      attempt(request.attempt),
      constants_move(request.constants_move),
      host_(host),
      chosen_(chosen),
      internal_header_(request.internal_header),
      links_(of.values.size()) {
  for (const Node& n : region.nodes) {
    for (ValueId v : n.outputs)
      if (v != codegen::kNoValue) links_[v].producer = &n;
    for (ValueId v : n.inputs) {
      if (v == codegen::kNoValue) continue;
      links_[v].reader = &n;
      ++links_[v].uses;
    }
  }
  for (ValueId v : region.outputs) {
    links_[v].reader = nullptr;
    ++links_[v].uses;
  }
}

Emitter::Emitter(const codegen::Request& request, codegen::Host& host, const Region& of, KnownConstants& known,
                 const ChosenKernels& chosen)
    : Emitter(request, host, of, chosen) {
  known_ = &known;
}

const Value* Emitter::input(const Node& node, std::size_t index) const {
  if (index >= node.inputs.size() || node.inputs[index] == codegen::kNoValue) return nullptr;
  return &region.values[node.inputs[index]];
}

std::string_view Emitter::chosen(const Node& node) const {
  const auto found = chosen_.find(static_cast<codegen::NodeId>(&node - region.nodes.data()));
  return found == chosen_.end() ? std::string_view() : found->second.option.kernel;
}

codegen::ConstantDecl Emitter::claim_constant(std::string_view stem, DType element, bool model_data,
                                              std::uint32_t align) {
  codegen::ConstantDecl decl;
  decl.symbol = host_.claim(stem);
  decl.element = element;
  decl.align = std::max(align, bit_width(element) / 8);  // what reads it may be a pointer to that type
  decl.model_data = model_data;
  if (constants_move) moving_.insert(decl.symbol);
  return decl;
}

std::string Emitter::constant_bytes(std::string_view stem, DType element, std::span<const std::byte> bytes,
                                    bool model_data, std::uint32_t align) {
  if (known_) return known_constant(stem, element, {bytes.begin(), bytes.end()}, model_data, align);
  const codegen::ConstantDecl decl = claim_constant(stem, element, model_data, align);
  host_.constant(decl, bytes);
  return decl.symbol;
}

std::string Emitter::known_constant(std::string_view stem, DType element, std::vector<std::byte> bytes, bool model_data,
                                    std::uint32_t align) {
  const auto [at, fresh] = known_->symbols.try_emplace({std::string(stem), element, bytes});
  if (!fresh) {
    if (constants_move) moving_.insert(at->second);
    return at->second;
  }
  const codegen::ConstantDecl decl = claim_constant(stem, element, model_data, align);
  host_.constant_owned(decl, std::move(bytes));
  return at->second = decl.symbol;
}

std::string Emitter::constant_arranged_value(std::string_view stem, DType element, ValueId id,
                                             const codegen::Arrangement& how, std::uint32_t align) {
  if (known_)
    return known_constant(stem, element, codegen::arranged(how, region.values[id].data), /*model_data=*/true, align);
  const codegen::ConstantDecl decl = claim_constant(stem, element, /*model_data=*/true, align);
  host_.constant_arranged(decl, region, id, how);
  return decl.symbol;
}

std::string Emitter::constant_value(std::string_view stem, ValueId id, std::uint32_t align) {
  const Value& v = region.values[id];
  if (known_) return constant_bytes(stem, v.dtype, v.data, /*model_data=*/true, align);
  const codegen::ConstantDecl decl = claim_constant(stem, v.dtype, /*model_data=*/true, align);
  host_.constant_from_value(decl, region, id, 0, v.data.size());
  return decl.symbol;
}

void Emitter::include_headers(std::string_view text) {
  constexpr std::string_view kInclude = "#include \"";
  for (std::size_t at = text.find(kInclude); at != std::string_view::npos; at = text.find(kInclude, at + 1)) {
    const std::size_t start = at + kInclude.size();
    const std::string name(text.substr(start, text.find('"', start) - start));
    if (!headers_.insert(name).second) continue;
    const std::string_view header = kernel_file(name);
    include_headers(header);
    host_.header(name, kLicenceLine + std::string(header));
  }
}

std::string Emitter::kernel(const Kernel& k) {
  if (!kernels_.insert(k.symbol).second) return k.symbol;
  const std::string_view text = kernel_file(k.file);
  include_headers(text);
  std::string source = kLicenceLine + ("#define BYOC_SYMBOL " + k.symbol + "\n");
  for (const auto& [name, value] : k.defines) source += "#define " + name + " " + value + "\n";
  source += text;
  codegen::SourceDecl decl;
  decl.name = k.symbol;
  decl.symbol = k.symbol;
  decl.shared = true;
  host_.source(decl, source);
  return k.symbol;
}

// A parameter that the host declares as void is read through a typed pointer of that name.
std::string Emitter::parameter(const codegen::Operand& operand, const std::string& name, bool is_input,
                               std::string& locals) {
  const std::string qualifier = is_input ? "const " : "";
  if (operand.value == codegen::kNoValue) return qualifier + "void *" + name;
  const std::string typed = qualifier + std::string(c_type(region.values[operand.value].dtype)) + " *";
  if (own_storage_ == nullptr || !(*own_storage_)[operand.value]) return typed + name;
  locals += "  " + typed + "const " + name + " = (" + typed + ")" + name + "_storage;\n";
  return qualifier + "void *" + name + "_storage";
}

// A parameter struct that points to constants which have no address yet is made at each call: it goes to the locals. So
// does one that points to such a struct, and one of lengths that the step is given.
std::string Emitter::define(std::span<const Definition> parameters, std::string& locals) const {
  std::set<std::string> moving = moving_;
  std::string fixed;
  for (const Definition& p : parameters) {
    const std::string text = "const " + p.type + " " + p.name + p.dims + " = " + p.value + ";\n";
    if (!names_any(p.value, moving) && !reads_lengths(p.value)) {
      fixed += "static " + text;
      continue;
    }
    moving.insert(p.name);
    locals += "  " + text;
  }
  return fixed;
}

void Emitter::step(const Node& node, codegen::Step step, const StepText& text) {
  if (step.symbol.empty()) step.symbol = host_.claim(node.op + "_" + std::to_string(step.nodes[0]));
  if (const auto found = chosen_.find(static_cast<codegen::NodeId>(&node - region.nodes.data()));
      found != chosen_.end() && step.nodes.size() == 1 && is_measured(target)) {
    step.instructions = static_cast<std::uint64_t>(std::llround(found->second.option.instructions));
    step.kernel_bytes = found->second.option.code_bytes;
    step.remark = found->second.remark;
  }
  includes_.insert(text.includes.begin(), text.includes.end());
  declarations_.insert(text.declarations.begin(), text.declarations.end());

  std::string parameters, locals;
  const auto add = [&](const std::string& one) { parameters += (parameters.empty() ? "" : ", ") + one; };
  if (step.uses_instance) parameters = "void *instance";
  for (std::size_t i = 0; i < step.inputs.size(); ++i)
    add(parameter(step.inputs[i], "in" + std::to_string(i), true, locals));
  for (std::size_t i = 0; i < step.outputs.size(); ++i)
    add(parameter(step.outputs[i], "out" + std::to_string(i), false, locals));
  for (std::size_t i = 0; i < step.workspaces.size(); ++i) add("void *ws" + std::to_string(i));
  if (!region.symbols.empty()) add("const int32_t *dims");

  const std::string fixed = define(text.parameters, locals);
  if (!region.symbols.empty() && !reads_lengths(locals) && !reads_lengths(text.body)) locals += "  (void)dims;\n";
  text_ += "\n/* " + describe(region, node) + " */\n" + text.functions + fixed;
  text_ += (known_ ? "static int32_t " : "int32_t ") + step.symbol + "(" + (parameters.empty() ? "void" : parameters) +
           ") {\n" + locals + text.body;
  text_ += "  return 0;\n}\n";
  host_.step(region, step);
}

bool Emitter::error(const Node& node, std::string_view text) {
  host_.diag(codegen::Severity::error, region, static_cast<codegen::NodeId>(&node - region.nodes.data()), text);
  return false;
}

StepText Emitter::take_definitions() {
  StepText out;
  out.functions = std::exchange(text_, {});
  out.includes = std::exchange(includes_, {});
  out.declarations = std::exchange(declarations_, {});
  return out;
}

void Emitter::finish(StepsSource& source) {
  if (text_.empty()) return;
  for (const std::string& name : includes_)
    if (name[0] != '<') include_headers("#include \"" + name + "\"");
  source.add(take_definitions());
}

void StepsSource::add(StepText definitions) {
  all_.functions += definitions.functions;
  all_.includes.merge(definitions.includes);
  all_.declarations.merge(definitions.declarations);
}

void StepsSource::write(codegen::Host& host, std::string_view internal_header) const {
  if (all_.functions.empty()) return;
  // The internal header renames the shared kernels, so it stands before the headers that declare them.
  std::string source = kLicenceLine + ("#include <stdint.h>\n#include \"" + std::string(internal_header) + "\"\n");
  for (const std::string& name : all_.includes)
    source += name[0] == '<' ? "#include " + name + "\n" : "#include \"" + name + "\"\n";
  if (!all_.declarations.empty()) source += "\n";
  for (const std::string& line : all_.declarations) source += line + "\n";
  codegen::SourceDecl decl;
  decl.name = host.claim("steps");
  host.source(decl, source + all_.functions);
}

}  // namespace byoc::c
