// If, Loop and Scan. The importer has made what a body captures explicit by the time this runs.
#include <algorithm>

#include "sdk/model/import/onnx/operators/attention_parts.hpp"

namespace byoc::onnx_import {
namespace {

using Kind = AttributeKind;

// The body of a Scan over a sequence of which `length` steps count, given one input more behind what is scanned, the
// number of the step, and behind all the length: a step beyond it changes nothing and gives zeros.
std::shared_ptr<ir::Graph> bounded_body(Normaliser& e, const ir::Node& scan, const ir::Graph& body, std::size_t carried,
                                        std::size_t captures) {
  auto graph = std::make_shared<ir::Graph>(body);
  Normaliser inside(*graph, e.diags);
  Composition c(inside, scan);
  const ir::ValueId step = graph->add_value({}), length = graph->add_value({});
  const ir::ValueId counts = c.op("Less", {step, length});
  for (std::size_t i = 0; i < graph->outputs.size(); ++i) {
    const ir::ValueId made = graph->outputs[i];
    graph->outputs[i] = c.op("Where", {counts, made, i < carried ? graph->inputs[i] : c.real_like(0, made)});
  }
  graph->inputs.insert(graph->inputs.end() - static_cast<std::ptrdiff_t>(captures), step);
  graph->inputs.push_back(length);
  return graph;
}

// Scan before opset 9 has a batch in front of everything: that is a Scan over the batch, with the Scan over the
// sequence as its body.
class Scan8 {
 public:
  Scan8(Normaliser& e, ir::Node node) : e_(e), node_(std::move(node)) {}

  Result<void> expand() {
    lengths_ = node_.inputs[0];
    node_.inputs.erase(node_.inputs.begin());
    captures_ = static_cast<std::size_t>(node_.integer("captures", 0));
    const std::int64_t scanned = node_.integer("num_scan_inputs", 0);
    if (captures_ > node_.inputs.size() || scanned < 1 || scanned > first_capture() - node_.inputs.begin() ||
        std::find(node_.inputs.begin(), first_capture(), ir::kNoValue) != first_capture())
      return e_.refuse(node_, "has fewer inputs than its body takes");
    ir::Node inner = node_;
    inner.version = 9;
    if (const auto directions = node_.attributes.find("directions"); directions != node_.attributes.end()) {
      inner.attributes["scan_input_directions"] = directions->second;
      inner.attributes.erase("directions");
      node_.attributes.erase("directions");
    }
    if (lengths_ != ir::kNoValue) bound(inner, static_cast<std::size_t>(scanned));
    emit_over_batch(std::move(inner));
    return {};
  }

 private:
  std::vector<ir::ValueId>::iterator first_capture() {
    return node_.inputs.end() - static_cast<std::ptrdiff_t>(captures_);
  }

  // Gives both Scans the numbers of steps and the lengths. What is read backwards begins at a sequence's own end.
  void bound(ir::Node& inner, std::size_t scanned) {
    Composition c(e_, node_);
    const std::size_t carried = node_.inputs.size() - captures_ - scanned;
    const ir::Graph& body = *std::get<std::shared_ptr<ir::Graph>>(node_.attributes.at("body"));
    inner.attributes["body"] = bounded_body(e_, node_, body, carried, captures_);
    const ir::ValueId lengths = c.cast(lengths_, DType::i64);
    if (const auto it = inner.attributes.find("scan_input_directions"); it != inner.attributes.end()) {
      auto& directions = std::get<std::vector<std::int64_t>>(it->second);
      for (std::size_t i = 0; i < std::min(directions.size(), scanned); ++i) {
        if (directions[i] != 1) continue;
        ir::ValueId& x = node_.inputs[carried + i];
        x = c.op("ReverseSequence", {x, lengths}, {{"batch_axis", std::int64_t{0}}, {"time_axis", std::int64_t{1}}});
        directions[i] = 0;
      }
      directions.push_back(0);
    }
    const ir::ValueId steps = count_to(c, c.dim(node_.inputs[carried], 1));
    const ir::ValueId batch = c.dim(lengths, 0);
    // [batch, steps]: each sequence has all numbers.
    const ir::ValueId numbers = c.op("Expand", {steps, c.join({batch, c.dim(node_.inputs[carried], 1)})});
    node_.inputs.insert(first_capture(), {numbers, lengths});
    inner.attributes["num_scan_inputs"] = static_cast<std::int64_t>(scanned + 1);
    inner.attributes["captures"] = static_cast<std::int64_t>(captures_ + 1);
  }

  void emit_over_batch(ir::Node inner) {
    auto body = e_.body(node_.describe(), node_.inputs.size());
    inner.inputs.clear();
    inner.outputs.clear();
    for (std::size_t i = 0; i < node_.outputs.size(); ++i) inner.outputs.push_back(body->add_value({}));
    inner.inputs = body->inputs;
    // The length of a sequence is scanned over the batch, and one for all of its steps.
    if (lengths_ != ir::kNoValue)
      std::rotate(inner.inputs.end() - static_cast<std::ptrdiff_t>(captures_ + 1),
                  inner.inputs.end() - static_cast<std::ptrdiff_t>(captures_), inner.inputs.end());
    body->outputs = inner.outputs;
    body->add_node(std::move(inner));
    node_.version = 9;
    node_.attributes["num_scan_inputs"] = static_cast<std::int64_t>(node_.inputs.size() - captures_);
    node_.attributes["body"] = std::move(body);
    e_.emit(std::move(node_));
  }

  Normaliser& e_;
  ir::Node node_;
  ir::ValueId lengths_ = ir::kNoValue;
  std::size_t captures_ = 0;
};

Result<void> normalise_scan_8(Normaliser& e, ir::Node node) { return Scan8(e, std::move(node)).expand(); }

}  // namespace

void add_control(std::vector<OperatorRule>& rules) {
  const AttributeRule body{"body", Kind::graph, 1, kLast, true};
  const AttributeRule scanned{"num_scan_inputs", Kind::integer, 1, kLast, true};
  OperatorRule branch{
      "",         "If",
      7,          kLast,
      1,          1,
      kAnyNumber, {{"then_branch", Kind::graph, 1, kLast, true}, {"else_branch", Kind::graph, 1, kLast, true}}};
  OperatorRule loop{"", "Loop", 7, kLast, 0, kAnyNumber, kAnyNumber, {body}, nullptr, {0, 1}};
  OperatorRule batch{
      "", "Scan", 8, 8, 2, kAnyNumber, kAnyNumber, {body, scanned, {"directions", Kind::integers}}, normalise_scan_8,
      {0}};
  OperatorRule scan{"",
                    "Scan",
                    9,
                    kLast,
                    1,
                    kAnyNumber,
                    kAnyNumber,
                    {body,
                     scanned,
                     {"scan_input_axes", Kind::integers},
                     {"scan_input_directions", Kind::integers},
                     {"scan_output_axes", Kind::integers},
                     {"scan_output_directions", Kind::integers}}};
  for (OperatorRule* rule : {&branch, &loop, &batch, &scan}) {
    rule->first_output_optional = true;
    rules.push_back(std::move(*rule));
  }
}

}  // namespace byoc::onnx_import
