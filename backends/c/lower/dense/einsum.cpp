// Einsum: a loop for each label, those of the output outside, those that are summed inside.
#include <algorithm>
#include <map>

#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/step_builder.hpp"
#include "backends/c/lower/step/view.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

// A label is its letter, or a digit: that many dims before the end of the ellipsis.
struct Equation {
  std::vector<std::string> inputs;  // one label for each dim
  std::string output, summed;
  std::map<char, std::int64_t> lengths;
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// A term with the ellipsis replaced by `dots` labels; nothing for what is no term.
std::optional<std::string> expand(const std::string& term, std::size_t dots) {
  std::string out;
  for (std::size_t i = 0; i < term.size(); ++i) {
    if (is_letter(term[i])) {
      out += term[i];
    } else if (term.compare(i, 3, "...") == 0 && term.find('.') == i && dots < 10) {
      for (std::size_t d = dots; d-- > 0;) out += static_cast<char>('0' + d);
      i += 2;
    } else {
      return std::nullopt;
    }
  }
  return out;
}

bool take_operand(const Value& x, const std::string& labels, Equation& e) {
  if (labels.size() != x.dims.size()) return false;
  for (std::size_t d = 0; d < labels.size(); ++d) {
    std::int64_t& length = e.lengths.emplace(labels[d], x.dims[d]).first->second;
    if (length == 1) length = x.dims[d];
    if (length != x.dims[d] && x.dims[d] != 1) return false;
  }
  e.inputs.push_back(labels);
  return true;
}

std::optional<Equation> read_equation(const Region& region, const Node& node, std::string& why) {
  std::string text = node.text("equation", "");
  why = "found equation " + text + ", which does not fit the operands";
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const std::size_t arrow = text.find("->");
  std::string left = text.substr(0, arrow);
  Equation e;
  std::map<char, int> seen;
  std::size_t most_dots = 0;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const std::size_t comma = left.find(',');
    if ((comma == std::string::npos) != (i + 1 == node.inputs.size())) return std::nullopt;
    const std::string term = left.substr(0, comma);
    left.erase(0, comma == std::string::npos ? left.size() : comma + 1);
    const Value& x = region.values[node.inputs[i]];
    const auto letters = static_cast<std::size_t>(std::count_if(term.begin(), term.end(), is_letter));
    const std::size_t dots = x.dims.size() > letters ? x.dims.size() - letters : 0;
    const auto labels = expand(term, dots);
    if (!labels || !take_operand(x, *labels, e)) return std::nullopt;
    if (term.find('.') != std::string::npos) most_dots = std::max(most_dots, dots);
    for (const char c : *labels) ++seen[c];
  }
  std::string output = arrow == std::string::npos ? "..." : text.substr(arrow + 2);
  if (arrow == std::string::npos)
    for (const auto& [label, count] : seen)
      if (is_letter(label) && count == 1) output += label;
  const auto labels = expand(output, most_dots);
  if (!labels) return std::nullopt;
  e.output = *labels;
  const Value& y = region.values[node.outputs[0]];
  bool fits = y.dims.size() == e.output.size();
  for (std::size_t d = 0; fits && d < e.output.size(); ++d)
    fits = e.output.find(e.output[d]) == d && seen.contains(e.output[d]) && e.lengths[e.output[d]] == y.dims[d];
  if (!fits) return std::nullopt;
  for (const std::string& term : e.inputs)
    for (const char c : term)
      if (e.output.find(c) == std::string::npos && e.summed.find(c) == std::string::npos) e.summed += c;
  why.clear();
  return e;
}

std::string index_name(char label) { return std::string(is_letter(label) ? "i_" : "d_") + label; }

// "i_b * 12 + i_k": where an element with these labels stands.
std::string position(const std::string& labels, const Dims& dims) {
  const Dims strides = dense_strides(dims);
  std::map<char, std::int64_t> of;
  for (std::size_t d = 0; d < labels.size(); ++d)
    if (dims[d] != 1) of[labels[d]] += strides[d];
  std::string out;
  for (const auto& [label, stride] : of)
    out += (out.empty() ? "" : " + ") + index_name(label) + (stride == 1 ? "" : " * " + std::to_string(stride));
  return out.empty() ? "0" : out;
}

class EinsumLoops {
 public:
  explicit EinsumLoops(StepBuilder& step) : step_(step) {}
  void open(const Equation& e, const std::string& labels) {
    for (const char label : labels) {
      const std::int64_t length = e.lengths.at(label);
      if (length == 1) continue;
      const std::string i = index_name(label);
      line("for (int32_t " + i + " = 0; " + i + " < " + std::to_string(length) + "; ++" + i + ") {");
      indent_ += "  ";
      ++depth_;
    }
  }
  void close(std::size_t depth) {
    for (; depth_ > depth; --depth_) {
      indent_.resize(indent_.size() - 2);
      line("}");
    }
  }
  [[nodiscard]] std::size_t depth() const { return depth_; }
  void line(const std::string& text) { step_.line(indent_ + text); }

 private:
  StepBuilder& step_;
  std::string indent_;
  std::size_t depth_ = 0;
};

}  // namespace

codegen::Verdict accepts_einsum(const Region& region, const Node& node, const TargetSpec&) {
  const Value& y = region.values[node.outputs[0]];
  std::string why;
  if (!is_float_type(y.dtype) && !is_integer_type(y.dtype)) return refuse_dtype(y.dtype, "a number");
  for (const codegen::ValueId v : node.inputs) {
    if (region.values[v].dtype != y.dtype) return refuse_dtype(region.values[v].dtype, to_string(y.dtype));
    if (region.values[v].quantised())
      return refuse(Reason::unsupported_quantisation, "found quantised values, expected plain tensors");
  }
  if (!read_equation(region, node, why)) return refuse(Reason::unsupported_attribute, why);
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_einsum(Emitter& emitter, const Node& node) {
  std::string why;
  const auto e = read_equation(emitter.region, node, why);
  if (!e) return emitter.error(node, why);
  const Value& y = emitter.value(node.outputs[0]);
  const ElementType t = *element_type(y.dtype);
  StepBuilder step(emitter, node);
  std::uint64_t macs = 0;
  if (y.elements() != 0) {
    if (!t.load.empty()) step.text.includes.insert("byoc_element.h");
    const std::string sum(t.is_float() ? t.work : t.bits);
    std::int64_t terms = 1;
    for (const char label : e->summed) terms *= e->lengths.at(label);
    macs = static_cast<std::uint64_t>(y.elements() * terms) * (node.inputs.size() - 1);
    EinsumLoops loops(step);
    loops.open(*e, e->output);
    const std::size_t outside = loops.depth();
    loops.line(sum + " sum = 0;");
    if (terms != 0) {
      std::string term;
      for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const std::string element = step.input(i) + "[" + position(e->inputs[i], emitter.input(node, i)->dims) + "]";
        const std::string loaded = t.load.empty() ? element : std::string(t.load) + "(" + element + ")";
        term += (i == 0 ? "" : " * ") + (t.is_float() ? loaded : "(" + sum + ")" + loaded);
      }
      loops.open(*e, e->summed);
      loops.line("sum += " + term + ";");
      loops.close(outside);
    }
    const std::string stored = t.is_float() && t.store.empty() ? "sum"
                               : t.is_float()                  ? std::string(t.store) + "(sum)"
                                                               : "(" + std::string(t.storage) + ")sum";
    loops.line(step.output(0) + "[" + position(e->output, y.dims) + "] = " + stored + ";");
    loops.close(0);
  }
  step.finish("einsum", macs);
  return true;
}

}  // namespace byoc::c
