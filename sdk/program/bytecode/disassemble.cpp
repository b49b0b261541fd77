#include "sdk/model/ir/text.hpp"
#include "sdk/program/bytecode/module.hpp"

namespace byoc::bytecode {
namespace {

std::string reg(std::uint32_t r) { return r == kNone ? "_" : r == kInstance ? "instance" : "r" + std::to_string(r); }

class Writer {
 public:
  explicit Writer(const Module& module) : module_(module) {}

  std::string function(std::size_t index) {
    const Function& f = module_.functions[index];
    std::string out = "function " + std::to_string(index) + " \"" + f.name + "\" (" + list(f.parameters) + ") -> (" +
                      list(f.results) + "), " + std::to_string(f.registers) + " registers\n";
    for (std::size_t i = 0; i < f.code.size(); ++i)
      out += "  " + std::to_string(i) + ": " + instruction(f, f.code[i]) + "\n";
    return out;
  }

 private:
  std::string type(std::uint32_t t) const { return to_string(module_.type(t), module_.types); }

  std::string list(const std::vector<std::uint32_t>& types) const {
    std::string out;
    for (const std::uint32_t t : types) {
      const std::string& name = module_.types.values[t].name;
      out += (out.empty() ? "" : ", ") + (name.empty() ? "" : name + ": ") + type(t);
    }
    return out;
  }

  std::string field(const Function& f, Field kind, const std::uint32_t* w) const {
    switch (kind) {
      case Field::constant: return "#" + std::to_string(*w) + " " + type(module_.constants[*w].type);
      case Field::type: return type(*w);
      case Field::type_or_none: return *w == kNone ? "_" : type(*w);
      case Field::node: return module_.graphs[f.graph].nodes[*w].describe();
      case Field::state: return "state " + std::to_string(*w);
      case Field::primitive: return "\"" + module_.primitives[*w].name + "\"";
      case Field::function: return std::to_string(*w) + " \"" + module_.functions[*w].name + "\"";
      case Field::target: return "-> " + std::to_string(*w);
      case Field::number: return std::to_string(static_cast<std::int32_t>(*w));
      case Field::flag: return *w != 0 ? "backwards" : "forwards";
      case Field::wide: return std::to_string(wide(w[0], w[1]));
      default: return reg(*w);
    }
  }

  std::string instruction(const Function& f, const Instruction& i) const {
    const Row& row = rows()[static_cast<std::size_t>(i.op)];
    std::string out(row.name);
    std::size_t w = 0;
    for (const Field kind : row.fields) {
      out += (w == 0 ? " " : ", ") + field(f, kind, &i.words[w]);
      w += kind == Field::wide ? 2 : 1;
    }
    if (row.tail == Tail::places) {
      for (; w < i.words.size(); w += 3) {
        const std::uint64_t offset = wide(i.words[w + 1], i.words[w + 2]);
        out += ", " + reg(i.words[w]) + (offset == 0 ? "" : "+" + std::to_string(offset));
      }
      return out;
    }
    if (row.tail == Tail::results_and_operands) {
      const std::size_t results = i.words[w++];
      for (std::size_t r = 0; r < results; ++r) out += (r == 0 ? " : " : ", ") + reg(i.words[w++]);
      out += " <-";
    }
    for (; w < i.words.size(); ++w) out += " " + reg(i.words[w]);
    return out;
  }

  const Module& module_;
};

}  // namespace

std::string disassemble(const Module& module) {
  std::string out = "model \"" + module.name + "\"";
  if (!module.prefix.empty()) out += ", kernel library '" + module.prefix + "'";
  if (module.instance_bytes != 0) out += ", instance of " + std::to_string(module.instance_bytes) + " bytes";
  std::uint64_t bytes = 0, late = 0, late_bytes = 0;
  for (const Constant& c : module.constants) {
    late += c.late ? 1 : 0;
    (c.late ? late_bytes : bytes) += c.late ? module.type(c.type).bytes() : c.bytes.size();
  }
  out += "\n" + std::to_string(module.constants.size() - late) + " constants of " + std::to_string(bytes) + " bytes, ";
  if (late != 0) out += std::to_string(late) + " of " + std::to_string(late_bytes) + " bytes in a file of their own, ";
  out += std::to_string(module.states.size()) + " states\n";
  for (const Primitive& p : module.primitives) {
    out += "primitive \"" + p.name + "\" (";
    for (std::size_t o = 0; o < p.operands.size(); ++o)
      out += (o == 0 ? "" : o == p.inputs ? ") -> (" : ", ") + std::to_string(p.operands[o]);
    out += ")";
    for (const std::uint64_t w : p.workspaces) out += " workspace " + std::to_string(w);
    out += p.uses_instance ? " instance\n" : "\n";
  }
  Writer writer(module);
  for (std::size_t f = 0; f < module.functions.size(); ++f) out += writer.function(f);
  return out;
}

}  // namespace byoc::bytecode
