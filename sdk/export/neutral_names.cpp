#include "sdk/export/neutral_names.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "sdk/base/support/json.hpp"
#include "sdk/codegen/partition/place.hpp"

namespace byoc {
namespace {

// "n00012": none is a part of another, for a name may be given by a part of it.
std::string neutral(char kind, std::size_t index) {
  constexpr std::size_t kDigits = 5;
  const std::string digits = std::to_string(index);
  return kind + std::string(kDigits - std::min(kDigits, digits.size()), '0') + digits;
}

using Names = std::map<std::string, std::string>;

// 'n00012' and 'v00003', where they are quoted.
std::string with_names(const std::string& text, std::initializer_list<const Names*> all) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text[at] == '\'' ? text.find('\'', at + 1) : std::string::npos;
    if (end != std::string::npos) {
      const std::string word = text.substr(at + 1, end - at - 1);
      const auto has_it = std::find_if(all.begin(), all.end(), [&](const Names* n) { return n->contains(word); });
      if (has_it != all.end()) {
        out += "'" + (*has_it)->at(word) + "'";
        at = end + 1;
        continue;
      }
    }
    out += text[at++];
  }
  return out;
}

Json in_order(const Names& names, char kind) {
  Json out = Json::object();
  std::vector<std::pair<std::size_t, const std::string*>> sorted;
  for (const auto& [name, own] : names) sorted.emplace_back(std::stoull(name.substr(1)), &own);
  std::sort(sorted.begin(), sorted.end());
  for (const auto& [index, own] : sorted) out[neutral(kind, index)] = *own;
  return out;
}

}  // namespace

NeutralNames::NeutralNames(const ir::Graph& graph, const std::string& name)
    : graph_(std::make_shared<ir::Graph>(graph)) {
  graph_->name = name;
  take(*graph_, false);
  if (!graph_->literal) return;
  auto literal = std::make_shared<ir::Graph>(*graph_->literal);
  literal->name = name;
  take(*literal, false);
  graph_->literal = std::move(literal);
}

// A name stands for one dim in all graphs.
void NeutralNames::take_dims(ir::Graph& graph, bool is_body) {
  if (!is_body)
    for (const auto* border : {&graph.inputs, &graph.outputs})
      for (const ir::ValueId v : *border)
        for (const ir::Dim d : graph.values[v].type.dims.value_or(std::vector<ir::Dim>()))
          if (ir::is_open(d)) {
            const std::string& own = graph.symbols[static_cast<std::size_t>(-1 - d)];
            known_dims_.emplace(own, own);
          }
  const auto is_kept = [&](const std::string& name) {
    const auto at = known_dims_.find(name);
    return at != known_dims_.end() && at->second == name;
  };
  for (std::string& symbol : graph.symbols) {
    const auto [at, added] = known_dims_.try_emplace(symbol);
    while (at->second.empty() || (added && is_kept(at->second))) at->second = neutral('d', next_dim_++);
    if (added) dims_.emplace(at->second, symbol);
    symbol = at->second;
  }
}

void NeutralNames::take(ir::Graph& graph, bool is_body) {
  take_dims(graph, is_body);
  std::vector<bool> keeps(graph.values.size(), false);
  if (!is_body)
    for (const auto* border : {&graph.inputs, &graph.outputs})
      for (const ir::ValueId v : *border) keeps[v] = true;
  for (ir::ValueId v = 0; v < graph.values.size(); ++v) {
    if (keeps[v]) continue;
    std::string name = neutral('v', values_.size());
    std::string& own = graph.values[v].name;
    if (!own.empty()) name = known_values_.emplace(own, name).first->second;
    values_.emplace(name, std::exchange(own, name));
  }
  for (ir::Node& n : graph.nodes) {
    std::string name = neutral('n', own_.size());
    if (n.position >= 0) name = known_nodes_.emplace(source_of(n), name).first->second;
    if (nodes_.emplace(name, n.name).second) own_.push_back(n);
    n.name = name;
    for (auto& [key, attribute] : n.attributes)
      if (auto* body = std::get_if<std::shared_ptr<ir::Graph>>(&attribute); body != nullptr && *body != nullptr) {
        *body = std::make_shared<ir::Graph>(**body);  // the model's own keeps its names
        (*body)->name = key;
        take(**body, true);
      }
  }
}

ExportRequest NeutralNames::renamed(ExportRequest request) const {
  std::vector<Pin> pins;
  for (const Pin& pin : request.partition.pins) {
    const std::size_t before = pins.size();
    const bool by_name = !pin.node.starts_with("#") && !pin.node.starts_with("op:");
    for (std::size_t n = 0; by_name && n < own_.size(); ++n)
      if (names_node(pin, own_[n])) pins.push_back({neutral('n', n), pin.codegen});
    if (pins.size() == before) pins.push_back(pin);
  }
  request.partition.pins = std::move(pins);
  std::vector<std::string> taps;
  for (const std::string& tap : request.steps.taps) {
    const std::size_t before = taps.size();
    const bool by_name = tap.find_first_not_of("0123456789") != std::string::npos;
    for (std::size_t n = 0; by_name && n < own_.size(); ++n)
      if (own_[n].name.find(tap) != std::string::npos) taps.push_back(neutral('n', n));
    if (taps.size() == before) taps.push_back(tap);  // a number, or a step's symbol
  }
  request.steps.taps = std::move(taps);
  return request;
}

Diagnostic NeutralNames::in_own_words(Diagnostic d) const {
  for (std::string* text : {&d.node, &d.message, &d.found, &d.expected})
    *text = with_names(*text, {&nodes_, &values_, &dims_});
  return d;
}

std::string NeutralNames::map_text() const {
  Json out = {{"schema", 1}, {"nodes", in_order(nodes_, 'n')}, {"values", in_order(values_, 'v')}};
  if (!dims_.empty()) out["dims"] = in_order(dims_, 'd');
  return json_text(out, 1) + "\n";
}

}  // namespace byoc
