#include "sdk/app/check/coverage.hpp"

#include <algorithm>

namespace byoc::check {
namespace {

std::string size_word(std::int64_t n) { return n < 0 ? "negative" : n == 0 ? "0" : n == 1 ? "1" : "above 1"; }

std::string list_word(const std::vector<std::int64_t>& list) {
  if (list.empty()) return "none";
  const auto [least, most] = std::minmax_element(list.begin(), list.end());
  return *least == *most ? size_word(*least) : size_word(*most) + ", uneven";
}

// A text of a model's own is no form; those of operators are few.
std::string attribute_word(const ir::Attribute& attribute) {
  if (const auto* n = std::get_if<std::int64_t>(&attribute)) return size_word(*n);
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&attribute)) return list_word(*list);
  if (const auto* text = std::get_if<std::string>(&attribute)) return text->size() <= 16 ? *text : "a text";
  return "given";
}

void add_operand(std::vector<std::string>& out, const ir::Graph& graph, const ir::Node& node, std::size_t i) {
  const std::string name = "input " + std::to_string(i);
  const ir::ValueId v = node.inputs[i];
  if (v == ir::kNoValue) return out.push_back("no " + name);
  const ir::TensorType& type = graph.values[v].type;
  if (i > 0) out.push_back(name + (graph.is_constant(v) ? " constant" : " computed"));
  if (i > 0) out.push_back(name + " " + std::string(to_string(type.dtype)));
  if (type.quantisation && i > 0)
    out.push_back(name + (type.quantisation->per_axis() ? " per channel" : " of one scale"));
  if (!type.dims) return;
  if (i == 0) out.push_back("rank " + std::to_string(type.dims->size()));
  if (i == 0 && type.dims->size() > 1 && type.dims->front() > 1) out.emplace_back("batch");
  if (std::find(type.dims->begin(), type.dims->end(), 0) != type.dims->end()) out.push_back(name + " without elements");
}

}  // namespace

Forms forms_of(const ir::Graph& graph, const ir::Node& node) {
  const bool first = !node.inputs.empty() && node.inputs[0] != ir::kNoValue;
  Forms out;
  out.op = (node.domain.empty() ? "" : node.domain + ".") + node.op +
           (first ? " " + std::string(to_string(graph.values[node.inputs[0]].type.dtype)) : "");
  if (first && graph.values[node.inputs[0]].type.quantisation) out.op += " quantised";
  out.forms.emplace_back();
  for (const auto& [key, attribute] : node.attributes) out.forms.push_back(key + " " + attribute_word(attribute));
  out.forms.push_back(std::to_string(node.inputs.size()) + " inputs");
  for (std::size_t i = 0; i < node.inputs.size() && i < 4; ++i) add_operand(out.forms, graph, node, i);
  return out;
}

void Coverage::add(const ir::Graph& graph, const ir::Node& node, std::uint64_t Count::* which) {
  const Forms f = forms_of(graph, node);
  for (const std::string& form : f.forms) ++(counts_[f.op][form].*which);
}

std::vector<Coverage::Line> Coverage::lines() const {
  std::vector<Line> out;
  for (const auto& [op, forms] : counts_) {
    Line& line = out.emplace_back(Line{op, {}, {}, {}});
    for (const auto& [form, count] : forms) {
      if (form.empty()) line.nodes = count;
      line.forms.claimed += count.claimed != 0 ? 1 : 0;
      line.forms.ran += count.ran != 0 ? 1 : 0;
      if (count.ran == 0) line.missing.push_back(form.empty() ? "the operator itself" : form);
    }
    // If the operator never ran, its forms are not listed.
    if (line.nodes.ran == 0) line.missing = {"the operator itself"};
  }
  return out;
}

void Coverage::pack(Packer& out) const {
  out.number(counts_.size());
  for (const auto& [op, forms] : counts_) {
    out.text(op);
    out.number(forms.size());
    for (const auto& [form, count] : forms) {
      out.text(form);
      out.number(count.claimed);
      out.number(count.ran);
    }
  }
}

void Coverage::unpack(Unpacker& in) {
  for (std::uint64_t n = in.number(); n > 0 && in.ok(); --n) {
    auto& forms = counts_[in.text()];
    for (std::uint64_t k = in.number(); k > 0 && in.ok(); --k) {
      Count& count = forms[in.text()];
      count.claimed = in.number();
      count.ran = in.number();
    }
  }
}

}  // namespace byoc::check
