#include "backends/c/emitter.hpp"

#include <charconv>

#include "backends/c/kernels.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Region;
using codegen::Value;
using codegen::ValueId;

// Comments come from model text: one line, nothing that ends them.
std::string comment(std::string_view text) {
  std::string out;
  for (char ch : text) {
    const auto u = static_cast<unsigned char>(ch);
    const bool ends = !out.empty() && ((out.back() == '*' && ch == '/') || (out.back() == '/' && ch == '*'));
    out += u < 0x20 || u >= 0x7f || ch == '\\' || ch == '?' || ends ? '_' : ch;
  }
  return out;
}

std::string type_text(const Value& v) {
  std::string out(to_string(v.dtype));
  out += '[';
  for (std::size_t i = 0; i < v.dims.size(); ++i) out += (i ? "," : "") + std::to_string(v.dims[i]);
  return out + ']';
}

std::string parameter(const Region& region, const codegen::Operand& operand, bool is_input) {
  const std::string_view type =
      operand.value == codegen::kNoValue ? "void" : c_type(region.values[operand.value].dtype);
  return (is_input ? "const " : "") + std::string(type) + " *";
}

}  // namespace

std::string_view c_type(DType t) {
  switch (t) {
    case DType::f32: return "float";
    case DType::f64: return "double";
    case DType::u8: return "uint8_t";
    case DType::i8: return "int8_t";
    case DType::boolean: return "uint8_t";
    case DType::u16:
    case DType::f16:
    case DType::bf16: return "uint16_t";
    case DType::i16: return "int16_t";
    case DType::u32: return "uint32_t";
    case DType::i32: return "int32_t";
    case DType::u64: return "uint64_t";
    case DType::i64: return "int64_t";
    case DType::i4:
    case DType::u4: return "uint8_t";
    case DType::undefined: return "void";
  }
  return "void";
}

std::string c_float(float f) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, f).ptr;
  std::string out(text, end);
  if (out.find_first_of(".en") == std::string::npos) out += ".0";
  return out + "f";
}

std::string describe(const Region& region, const Node& node) {
  std::string out = (node.domain.empty() ? "" : node.domain + ".") + node.op;
  if (!node.name.empty()) out += " \"" + node.name + "\"";
  out += ":";
  for (ValueId v : node.inputs)
    if (v != codegen::kNoValue && !region.values[v].is_constant) out += " " + type_text(region.values[v]);
  out += " ->";
  for (ValueId v : node.outputs)
    if (v != codegen::kNoValue) out += " " + type_text(region.values[v]);
  return comment(out);
}

Emitter::Emitter(const codegen::Request& request, codegen::Host& host, const Region& r)
    : region(r),
      target(request.target),
      objective(request.objective),
      host_(host),
      internal_header_(request.internal_header),
      uses_(r.values.size(), 0) {
  for (const Node& n : region.nodes)
    for (ValueId v : n.inputs)
      if (v != codegen::kNoValue) ++uses_[v];
  for (ValueId v : region.outputs) ++uses_[v];
}

const Value* Emitter::input(const Node& node, std::size_t index) const {
  if (index >= node.inputs.size() || node.inputs[index] == codegen::kNoValue) return nullptr;
  return &region.values[node.inputs[index]];
}

std::string Emitter::constant_bytes(std::string_view stem, DType element, std::span<const std::byte> bytes,
                                    bool model_data, std::uint32_t align) {
  codegen::ConstantDecl decl;
  decl.symbol = host_.claim(stem);
  decl.element = element;
  decl.align = align;
  decl.model_data = model_data;
  host_.constant(decl, bytes);
  return decl.symbol;
}

std::string Emitter::constant_value(std::string_view stem, ValueId id, std::uint32_t align) {
  const Value& v = region.values[id];
  codegen::ConstantDecl decl;
  decl.symbol = host_.claim(stem);
  decl.element = v.dtype;
  decl.align = align;
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
    host_.header(name, header);
  }
}

std::string Emitter::kernel(const Kernel& k) {
  if (!kernels_.insert(k.symbol).second) return k.symbol;
  const std::string_view text = kernel_file(k.file);
  include_headers(text);
  std::string source = "#define BYOC_SYMBOL " + k.symbol + "\n";
  for (const auto& [name, value] : k.defines) source += "#define " + name + " " + value + "\n";
  source += text;
  codegen::SourceDecl decl;
  decl.name = k.symbol;
  decl.symbol = k.symbol;
  decl.shared = true;
  host_.source(decl, source);
  return k.symbol;
}

void Emitter::step(const Node& node, codegen::Step step, const StepText& text) {
  if (step.symbol.empty()) step.symbol = host_.claim(node.op + "_" + std::to_string(step.nodes[0]));
  includes_.insert(text.includes.begin(), text.includes.end());

  std::string parameters;
  auto add = [&](const std::string& type, const char* name, std::size_t index) {
    parameters += (parameters.empty() ? "" : ", ") + type + name + std::to_string(index);
  };
  if (step.uses_instance) parameters = "void *instance";
  for (std::size_t i = 0; i < step.inputs.size(); ++i) add(parameter(region, step.inputs[i], true), "in", i);
  for (std::size_t i = 0; i < step.outputs.size(); ++i) add(parameter(region, step.outputs[i], false), "out", i);
  for (std::size_t i = 0; i < step.workspaces.size(); ++i) add("void *", "ws", i);

  text_ += "\n/* " + describe(region, node) + " */\n" + text.prelude;
  text_ += "int32_t " + step.symbol + "(" + (parameters.empty() ? "void" : parameters) + ") {\n" + text.body;
  text_ += "  return 0;\n}\n";
  host_.step(region, step);
}

bool Emitter::error(const Node& node, std::string_view text) {
  host_.diag(codegen::Severity::error, region, static_cast<codegen::NodeId>(&node - region.nodes.data()), text);
  return false;
}

void Emitter::finish() {
  if (text_.empty()) return;
  // The internal header renames the shared kernels, so it stands before the headers that declare them.
  std::string source = "#include <stdint.h>\n#include \"" + std::string(internal_header_) + "\"\n";
  for (const std::string& name : includes_)
    source += name[0] == '<' ? "#include " + name + "\n" : "#include \"" + name + "\"\n";
  for (const std::string& name : includes_)
    if (name[0] != '<') include_headers("#include \"" + name + "\"");
  codegen::SourceDecl decl;
  decl.name = host_.claim("steps");
  host_.source(decl, source + text_);
}

}  // namespace byoc::c
