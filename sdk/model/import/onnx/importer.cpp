#include "sdk/model/import/onnx/importer.hpp"

#include <onnx/onnx-ml.pb.h>

#include <algorithm>

#include "sdk/model/import/onnx/attributes.hpp"
#include "sdk/model/import/onnx/body_types.hpp"
#include "sdk/model/ir/control.hpp"
#include "sdk/model/ir/operators.hpp"
#include "sdk/model/ir/rewrite.hpp"
#include "sdk/model/ir/verify.hpp"

namespace byoc::onnx_import {
namespace {

// IR versions: 3 (2017) has opset imports and initialisers as inputs, 10 belongs to opset 21, 11 adds annotations, 12
// and 13 element types.
constexpr std::int64_t kOldestIr = 3, kNewestIr = 13;

std::string domain_of(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

std::string range_text(std::int64_t low, std::int64_t high) {
  return std::to_string(low) + " to " + std::to_string(high);
}

// True if a constant of type `actual` may have the stated type `stated`.
bool fits(const ir::TensorType& stated, const ir::TensorType& actual) {
  if (stated.dtype != actual.dtype || stated.container != actual.container) return false;
  if (!stated.dims) return true;
  return std::equal(stated.dims->begin(), stated.dims->end(), actual.dims->begin(), actual.dims->end(),
                    [](ir::Dim s, ir::Dim a) { return ir::is_open(s) || s == a; });
}

}  // namespace

Failure Importer::error(std::string where, std::string message, std::string found, std::string expected) {
  return diags_.error(graph_.file, std::move(where), std::move(message), std::move(found), std::move(expected));
}

Result<void> Importer::run() {
  if (!check_header() || !import_graph()) return failure;
  return ir::verify(graph_, diags_);
}

// Notes the names that the nodes of a graph read, including nodes of the graphs inside it.
void Importer::note_reads(const ::onnx::GraphProto& graph) {
  for (const auto& n : graph.node()) {
    for (const auto& name : n.input()) read_.insert(name);
    for (const auto& a : n.attribute())
      if (a.has_g()) note_reads(a.g());
  }
  for (const auto& o : graph.output()) read_.insert(o.name());
}

Result<void> Importer::import_graph() {
  note_reads(source_);
  if (!add_initialisers() || !add_inputs() || !add_stated_types() || !add_nodes() || !add_outputs()) return failure;
  return ir::sort_topologically(graph_, diags_);
}

Result<void> Importer::check_header() {
  if (!model_.has_graph() || !model_.has_ir_version())
    return error({}, "is not an ONNX model: it has no graph or no IR version");
  if (model_.ir_version() < kOldestIr || model_.ir_version() > kNewestIr)
    return error({}, "the IR version is not supported", std::to_string(model_.ir_version()),
                 range_text(kOldestIr, kNewestIr));
  for (const auto& import : model_.opset_import()) {
    const std::string domain = domain_of(import.domain());
    if (!opsets_.emplace(domain, import.version()).second)
      return error({}, "operator set '" + domain + "' is imported twice");
  }
  const auto standard = opsets_.find("");
  // A model of another domain's operators need not import it.
  if (opsets_.empty()) return error({}, "the model does not import the operator set ai.onnx");
  if (standard != opsets_.end() && (standard->second < kOldestOpset || standard->second > kNewestOpset))
    return error({}, "the version of operator set ai.onnx is not supported", std::to_string(standard->second),
                 range_text(kOldestOpset, kNewestOpset));
  return {};
}

Result<ir::ValueId> Importer::define(const std::string& name, const std::string& by) {
  const auto [it, fresh] = values_.try_emplace(name, ir::kNoValue);
  if (!fresh) return error(by, "'" + name + "' is defined twice");
  ir::Value value;
  value.name = name;
  it->second = graph_.add_value(std::move(value));
  return it->second;
}

Result<void> Importer::add_initialisers() {
  bool ok = true;
  const auto add = [&](const std::string& name, const auto& read) {
    const std::string where = "initialiser '" + name + "'";
    auto id = define(name, where);
    auto tensor = id ? read(where) : Result<ir::Tensor>(failure);
    ok = ok && static_cast<bool>(tensor);
    if (!tensor) return;
    ir::Value& value = graph_.values[*id];
    value.type = std::move(tensor->type);
    value.constant.emplace();
    value.constant->bytes = std::move(tensor->bytes);
  };
  for (const auto& proto : source_.initializer())
    add(proto.name(), [&](const std::string& where) { return tensors_.read(proto, where); });
  for (const auto& proto : source_.sparse_initializer())
    add(proto.values().name(), [&](const std::string& where) { return tensors_.read_sparse(proto, where); });
  if (!ok) return failure;
  return {};
}

// Before IR version 4 every initialiser is listed among the inputs, too. Later, a listed initialiser is a default that
// a caller may override. Either way it is a constant here.
Result<void> Importer::add_inputs() {
  std::set<std::string> seen;
  for (const auto& input : source_.input()) {
    const std::string where = "input '" + input.name() + "'";
    if (input.name().empty()) return error(where, "has no name");
    if (!seen.insert(input.name()).second) return error(where, "is listed twice");
    // A body's inputs may be left without a type: they have what the node passes.
    const bool typed = parent_ == nullptr || input.type().value_case() != ::onnx::TypeProto::VALUE_NOT_SET;
    auto type = typed ? read_type(input.type(), input.name()) : Result<ir::TensorType>(ir::TensorType{});
    if (!type) return failure;
    if (const auto it = values_.find(input.name()); it != values_.end()) {
      const ir::TensorType& actual = graph_.values[it->second].type;
      if (!fits(*type, actual))
        return error(where, "its initialiser has another type", to_string(actual, graph_), to_string(*type, graph_));
      continue;
    }
    auto id = define(input.name(), where);
    if (!id) return failure;
    const std::size_t at = graph_.inputs.size();
    if (at < passed_.size() && type->dtype == DType::undefined) emitter_.types.set(*id, passed_[at]);
    graph_.values[*id].type = std::move(*type);
    graph_.inputs.push_back(*id);
  }
  return {};
}

Result<void> Importer::add_stated_types() {
  // Stated types of values that turn out not to exist are left over from some tool, and harmless.
  for (const auto* list : {&source_.value_info(), &source_.output()})
    for (const auto& info : *list) {
      // A type in which nothing is set says nothing. A map becomes a tensor, whose type follows from the operators.
      if (info.type().value_case() == ::onnx::TypeProto::VALUE_NOT_SET || values_.contains(info.name()) ||
          info.type().sequence_type().elem_type().has_map_type())
        continue;
      auto type = read_type(info.type(), info.name());
      if (!type) return failure;
      stated_.insert_or_assign(info.name(), std::move(*type));
    }
  return {};
}

// Sequences of tensors, optionals of tensors or of those. The shape that is stated of what they hold counts for
// nothing: tools write that of one element, or a scalar's.
Result<ir::TensorType> Importer::read_type(const ::onnx::TypeProto& proto, const std::string& name) {
  const bool is_optional = proto.has_optional_type();
  const ::onnx::TypeProto& content = is_optional ? proto.optional_type().elem_type() : proto;
  const bool is_sequence = content.has_sequence_type();
  auto type = read_tensor_type(is_sequence ? content.sequence_type().elem_type() : content, name);
  if (type && is_optional)
    type->container = is_sequence ? ir::Container::optional_sequence : ir::Container::optional;
  else if (type && is_sequence)
    type->container = ir::Container::sequence;
  if (type && !type->is_tensor()) type->dims.reset();
  return type;
}

Result<ir::TensorType> Importer::read_tensor_type(const ::onnx::TypeProto& proto, const std::string& name) {
  const std::string where = "value '" + name + "'";
  if (!proto.has_tensor_type())
    return error(where,
                 "is neither a dense tensor, nor a sequence or an optional of such, which is all that is supported",
                 proto.has_sequence_type()        ? "a sequence in another"
                 : proto.has_map_type()           ? "a map"
                 : proto.has_optional_type()      ? "an optional inside"
                 : proto.has_sparse_tensor_type() ? "a sparse tensor"
                                                  : "no type");
  ir::TensorType type;
  type.dtype = dtype_of(proto.tensor_type().elem_type());
  if (type.dtype == DType::undefined)
    return error(where, "has an element type that is not supported", dtype_name(proto.tensor_type().elem_type()));
  if (!proto.tensor_type().has_shape()) return type;
  type.dims.emplace();
  for (int i = 0; i < proto.tensor_type().shape().dim_size(); ++i) {
    const auto& dim = proto.tensor_type().shape().dim(i);
    if (dim.has_dim_value() && dim.dim_value() != -1) {  // Paddle's exporter writes -1 for an open dim
      if (dim.dim_value() < 0)
        return error(where, "has a negative dimension", std::to_string(dim.dim_value()), "0 or more");
      type.dims->push_back(dim.dim_value());
    } else if (!dim.dim_param().empty()) {
      type.dims->push_back(named_symbol(dim.dim_param()));
    } else {
      type.dims->push_back(fresh_symbol(name + "_dim" + std::to_string(i)));
    }
  }
  return type;
}

ir::Dim Importer::named_symbol(const std::string& name) {
  const auto [it, fresh] = symbols_.try_emplace(name, graph_.symbols.size());
  if (fresh) graph_.symbols.push_back(name);
  return ir::symbol_dim(it->second);
}

ir::Dim Importer::fresh_symbol(const std::string& stem) {
  std::string name = stem;
  for (int i = 2; symbols_.contains(name); ++i) name = stem + "_" + std::to_string(i);
  return named_symbol(name);
}

const OperatorRule* Importer::foreign_rule(const ::onnx::NodeProto& from, const ir::Node& node) {
  OperatorRule rule{from.domain(), from.op_type(), 1, kEveryVersion, 0, kAnyNumber, kAnyNumber, {}};
  for (const auto& a : from.attribute()) {
    const auto kind = plain_kind(a);
    if (!kind) {
      error(node.describe(),
            "attribute '" + a.name() + "' of an operator that only a codegen knows cannot be handed over",
            ::onnx::AttributeProto_AttributeType_Name(a.type()), "a number, a text, or a list of them");
      return nullptr;
    }
    rule.attributes.push_back({a.name(), *kind});
  }
  for (int i = 0; i < from.input_size(); ++i) rule.may_be_empty.push_back(static_cast<std::size_t>(i));
  return &foreign_rules_.emplace_back(std::move(rule));
}

namespace {

// Why what ONNX has is left out, where that will stay so.
std::string why_not(const ir::Node& node) {
  constexpr std::string_view kRandom[] = {"Bernoulli",        "Multinomial",   "RandomNormal",
                                          "RandomNormalLike", "RandomUniform", "RandomUniformLike"};
  if (!node.domain.empty()) return "";
  if (std::find(std::begin(kRandom), std::end(kRandom), node.op) != std::end(kRandom))
    return ": its results are random, and ONNX defines no sequence of numbers that they come from";
  return node.op == "ImageDecoder" ? ": it reads files of pictures; give the model their pixels" : "";
}

}  // namespace

const OperatorRule* Importer::find_rule(const ::onnx::NodeProto& from, const ir::Node& node, std::int64_t& opset) {
  const Opsets* function = function_opsets_.find(from);
  const Opsets& opsets = function != nullptr ? *function : opsets_;
  const auto import = opsets.find(node.domain);
  if (import == opsets.end()) {
    error(node.describe(),
          "operator set '" + node.domain + "' is not imported by the " + (function != nullptr ? "function" : "model"));
    return nullptr;
  }
  opset = import->second;
  const OperatorRule* nearest = nullptr;
  std::int64_t newest = 0;
  for (const OperatorRule& rule : operator_rules()) {
    if (rule.op != node.op || rule.domain != node.domain) continue;
    if (rule.since <= opset && opset <= rule.until) return &rule;
    if (nearest == nullptr) nearest = &rule;
    newest = std::max(newest, rule.until);
  }
  if (nearest == nullptr && ir::is_foreign(node.domain, node.op)) return foreign_rule(from, node);
  const std::string found = node.full_name() + " of opset " + std::to_string(opset);
  if (nearest != nullptr)
    error(node.describe(), "operator is not supported in this version", found,
          opset < nearest->since ? "opset " + std::to_string(nearest->since) + " or newer"
                                 : "opset " + std::to_string(newest) + " or older");
  else
    error(node.describe(), "operator is not supported" + why_not(node), found);
  return nullptr;
}

Result<void> Importer::define_outputs(const OperatorRule& rule, const ::onnx::NodeProto& from, ir::Node& node) {
  const bool others_read = std::any_of(from.output().begin(), from.output().end(),
                                       [&](const std::string& name) { return read_.contains(name); });
  for (int i = 0; i < from.output_size(); ++i) {
    const std::string& name = from.output(i);
    // An output that nobody reads is kept only where it makes the node a node.
    const bool needed = i == 0 && !(rule.first_output_optional && others_read);
    if (name.empty() || (!needed && !read_.contains(name))) {
      node.outputs.push_back(ir::kNoValue);
      continue;
    }
    auto id = define(name, node.describe());
    if (!id) return failure;
    if (const auto it = stated_.find(name); it != stated_.end()) graph_.values[*id].type = it->second;
    node.outputs.push_back(*id);
  }
  return {};
}

// A constant of a graph around this one becomes one of its own; anything else becomes an input, and what surrounds this
// graph passes it.
ir::ValueId Importer::find_value(const std::string& name) {
  if (const auto it = values_.find(name); it != values_.end()) return it->second;
  if (parent_ == nullptr) return ir::kNoValue;
  const ir::ValueId outer = parent_->find_value(name);
  if (outer == ir::kNoValue) return ir::kNoValue;
  const ir::Value& from = parent_->graph_.values[outer];
  ir::Value value;
  value.name = name;
  if (from.constant) {
    value.type = from.type;
    value.constant = from.constant;
  }
  const ir::ValueId id = graph_.add_value(std::move(value));
  values_.emplace(name, id);
  if (graph_.is_constant(id)) return id;
  captures_.push_back({id, outer});
  emitter_.types.set(id, parent_->emitter_.types.of(outer));
  return id;
}

// Reads the graphs of a node and passes them what they capture: all graphs of one node the same values in one order,
// behind their own inputs.
Result<void> Importer::import_bodies(const ::onnx::NodeProto& from, ir::Node& node) {
  struct Body {
    std::shared_ptr<ir::Graph> graph;
    std::vector<Capture> captures;
  };
  std::vector<Body> bodies;
  std::vector<std::vector<ir::TensorType>> body_results;
  for (const auto& attribute : from.attribute()) {
    const auto at = node.attributes.find(attribute.name());
    if (at == node.attributes.end() || !std::holds_alternative<std::shared_ptr<ir::Graph>>(at->second)) continue;
    if (depth_ == ir::kDeepestBody)
      return error(node.describe(), "graphs are nested too deeply", {},
                   "at most " + std::to_string(ir::kDeepestBody) + " deep");
    auto graph = std::make_shared<ir::Graph>();
    graph->name = attribute.g().name();
    graph->file = graph_.file;
    graph->requant = graph_.requant;
    graph->stated_shapes_may_err = graph_.stated_shapes_may_err;
    Importer inner(model_, attribute.g(), function_opsets_, tensors_, *graph, diags_, this);
    inner.opsets_ = opsets_;
    inner.passed_ = body_inputs(node, emitter_.types);
    if (!inner.import_graph()) return failure;
    at->second = graph;
    auto& results = body_results.emplace_back();
    for (const ir::ValueId v : graph->outputs) {
      results.push_back(inner.emitter_.types.of(v));
      if (node.op == "SequenceMap") graph->values[v].type.dtype = results.back().dtype;  // its results begin empty
    }
    bodies.push_back({std::move(graph), std::move(inner.captures_)});
  }
  if (bodies.empty()) return {};
  const std::vector<ir::TensorType> types = control_results(node, body_results, emitter_.types);
  for (std::size_t k = 0; k < std::min(types.size(), node.outputs.size()); ++k)
    if (const ir::ValueId v = node.outputs[k]; v != ir::kNoValue && graph_.values[v].type.dtype == DType::undefined)
      emitter_.types.set(v, types[k]);
  const bool is_if = node.op == "If", is_loop = node.op == "Loop" || node.op == "Scan";
  const std::size_t extra = node.op == "Scan" && node.version == 8 ? 1 : 0;
  const std::size_t own = is_if ? 1 : is_loop ? bodies[0].graph->inputs.size() + extra : node.inputs.size();
  if (node.inputs.size() > own)
    return error(node.describe(), "has more inputs than its body takes", std::to_string(node.inputs.size()),
                 std::to_string(own));
  node.inputs.resize(own, ir::kNoValue);
  const std::size_t results = bodies[0].graph->outputs.size();
  if (const std::size_t all = node.op == "Loop" && results != 0 ? results - 1 : results; node.outputs.size() < all)
    node.outputs.resize(all, ir::kNoValue);
  std::vector<ir::ValueId> all;
  std::set<ir::ValueId> known;
  for (const Body& b : bodies)
    for (const Capture& c : b.captures)
      if (known.insert(c.outer).second) all.push_back(c.outer);
  for (Body& b : bodies) {
    std::map<ir::ValueId, ir::ValueId> inner;
    for (const Capture& c : b.captures) inner.emplace(c.outer, c.inner);
    for (ir::ValueId outer : all) {
      const auto captured = inner.find(outer);
      b.graph->inputs.push_back(captured == inner.end() ? b.graph->add_value({}) : captured->second);
    }
  }
  node.inputs.insert(node.inputs.end(), all.begin(), all.end());
  if (is_loop || node.op == "SequenceMap") node.attributes["captures"] = static_cast<std::int64_t>(all.size());
  return {};
}

Result<void> Importer::resolve_inputs(const ::onnx::NodeProto& from, ir::Node& node) {
  for (const std::string& name : from.input()) {
    if (name.empty()) {
      node.inputs.push_back(ir::kNoValue);
      continue;
    }
    const ir::ValueId value = find_value(name);
    if (value == ir::kNoValue) return error(node.describe(), "reads '" + name + "', which nothing computes");
    node.inputs.push_back(value);
  }
  while (!node.inputs.empty() && node.inputs.back() == ir::kNoValue) node.inputs.pop_back();
  return {};
}

Result<void> Importer::check_operands(const OperatorRule& rule, const ::onnx::NodeProto& from, ir::Node& node) {
  if (node.inputs.size() < rule.min_inputs || node.inputs.size() > rule.max_inputs)
    return error(node.describe(), "has the wrong number of inputs", std::to_string(node.inputs.size()),
                 rule.max_inputs == kAnyNumber ? std::to_string(rule.min_inputs) + " or more"
                 : rule.min_inputs == rule.max_inputs
                     ? std::to_string(rule.min_inputs)
                     : std::to_string(rule.min_inputs) + " to " + std::to_string(rule.max_inputs));
  const std::size_t needed = rule.max_inputs == kAnyNumber ? node.inputs.size() : rule.min_inputs;
  for (std::size_t i = 0; i < needed; ++i)
    if (node.inputs[i] == ir::kNoValue && !std::count(rule.may_be_empty.begin(), rule.may_be_empty.end(), i))
      return error(node.describe(), "input " + std::to_string(i) + " is not given");
  const bool has_output =
      std::any_of(node.outputs.begin(), node.outputs.end(), [](ir::ValueId v) { return v != ir::kNoValue; });
  if (!has_output || (!rule.first_output_optional && node.outputs[0] == ir::kNoValue))
    return error(node.describe(), "has no first output");
  if (rule.max_outputs == kAnyNumber) return {};
  for (std::size_t i = rule.max_outputs; i < node.outputs.size(); ++i)
    if (node.outputs[i] != ir::kNoValue)
      return error(node.describe(), "output " + std::to_string(i) + " '" + from.output(static_cast<int>(i)) +
                                        "' is used, which is not supported");
  node.outputs.resize(std::min(node.outputs.size(), rule.max_outputs));
  return {};
}

Result<void> Importer::add_nodes() {
  const auto& protos = source_.node();
  struct Pending {
    const OperatorRule* rule;
    const ::onnx::NodeProto* from;
    ir::Node node;
  };
  std::vector<Pending> pending;
  bool ok = true;
  for (int i = 0; i < protos.size(); ++i) {
    ir::Node node;
    node.domain = domain_of(protos[i].domain());
    node.op = protos[i].op_type();
    node.name = protos[i].name();
    node.position = i;
    const OperatorRule* rule = find_rule(protos[i], node, node.version);
    if (rule == nullptr || !read_attributes(protos[i], *rule, tensors_, graph_, node, diags_) ||
        !define_outputs(*rule, protos[i], node)) {
      ok = false;
      continue;
    }
    pending.push_back({rule, &protos[i], std::move(node)});
  }
  if (!ok) return failure;
  // Constants first: what reads them may be written before them.
  std::stable_partition(pending.begin(), pending.end(), [](const Pending& p) { return p.node.is("", "Constant"); });
  for (Pending& p : pending) {
    if (!resolve_inputs(*p.from, p.node) || !check_operands(*p.rule, *p.from, p.node) ||
        !import_bodies(*p.from, p.node)) {
      ok = false;
      continue;
    }
    emitter_.begin(p.node);
    if (p.rule->normalise == nullptr)
      emitter_.emit(std::move(p.node));
    else if (!p.rule->normalise(emitter_, std::move(p.node)))
      ok = false;
  }
  if (!ok) return failure;
  return {};
}

Result<void> Importer::add_outputs() {
  if (source_.output_size() == 0) return error({}, "the graph has no outputs");
  for (const auto& output : source_.output()) {
    const ir::ValueId value = find_value(output.name());
    if (value == ir::kNoValue) return error("output '" + output.name() + "'", "nothing computes it");
    graph_.outputs.push_back(value);
  }
  return {};
}

}  // namespace byoc::onnx_import
