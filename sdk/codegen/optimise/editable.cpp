#include "sdk/codegen/optimise/editable.hpp"

#include <algorithm>

namespace byoc::optimise {

Editable::Editable(const ir::Graph& graph, std::vector<std::size_t> region)
    : graph_(graph),
      region_(std::move(region)),
      producer_(ir::producers(graph)),
      readers_(ir::consumers(graph)),
      leaves_(graph.values.size(), false) {
  for (const ir::ValueId v : graph.outputs) leaves_[v] = true;
  for (const ir::State& s : graph.states) leaves_[s.next] = true;
}

bool Editable::is_inside(ir::ValueId v) const {
  if (producer_[v] == ir::kNoNode || !may_change(producer_[v]) || (v < leaves_.size() && leaves_[v])) return false;
  const std::size_t region = region_[producer_[v]];
  return std::all_of(readers_[v].begin(), readers_[v].end(),
                     [&](ir::NodeId n) { return may_change(n) && region_[n] == region; });
}

bool Editable::is_read_once(ir::ValueId v, ir::NodeId reader, std::size_t input) const {
  const std::vector<ir::ValueId>& inputs = graph_.nodes[reader].inputs;
  return readers_[v].size() == 1 && readers_[v][0] == reader && inputs[input] == v &&
         std::count(inputs.begin(), inputs.end(), v) == 1;
}

ir::Node& Editable::change(ir::NodeId n) {
  changed.insert(n);
  return graph_.nodes[n];
}

void Editable::forget_reader(ir::ValueId v, ir::NodeId n) {
  if (v == ir::kNoValue) return;
  const std::vector<ir::ValueId>& inputs = graph_.nodes[n].inputs;
  if (std::find(inputs.begin(), inputs.end(), v) == inputs.end()) std::erase(readers_[v], n);
}

void Editable::set_input(ir::NodeId n, std::size_t input, ir::ValueId v) {
  std::vector<ir::ValueId>& inputs = change(n).inputs;
  if (input >= inputs.size()) inputs.resize(input + 1, ir::kNoValue);
  const ir::ValueId before = inputs[input];
  inputs[input] = v;
  forget_reader(before, n);
  if (v == ir::kNoValue) return;
  const auto at = std::lower_bound(readers_[v].begin(), readers_[v].end(), n);
  if (at == readers_[v].end() || *at != n) readers_[v].insert(at, n);
}

void Editable::set_output(ir::NodeId n, std::size_t output, ir::ValueId v) {
  ir::ValueId& now = change(n).outputs[output];
  producer_[now] = ir::kNoNode;
  now = v;
  producer_[v] = n;
}

ir::ValueId Editable::add_constant(ir::TensorType type, std::vector<std::byte> bytes) {
  producer_.push_back(ir::kNoNode);
  readers_.emplace_back();
  return graph_.add_constant({}, std::move(type), Blob::own(std::move(bytes)));
}

void Editable::absorb(ir::NodeId n, ir::NodeId into) {
  const std::vector<ir::ValueId> inputs = std::move(graph_.nodes[n].inputs);
  graph_.nodes[n].inputs.clear();
  for (const ir::ValueId v : inputs) forget_reader(v, n);
  for (const ir::ValueId v : graph_.nodes[n].outputs)
    if (v != ir::kNoValue && producer_[v] == n) producer_[v] = ir::kNoNode;
  graph_.nodes[n].outputs.clear();
  changed.erase(n);
  std::vector<ir::NodeId> all = std::exchange(work_of_[n], {});
  all.push_back(n);
  for (const ir::NodeId gone : all) moved.absorbed[gone] = into;
  std::vector<ir::NodeId>& work = work_of_[into];
  work.insert(work.end(), all.begin(), all.end());
}

}  // namespace byoc::optimise
