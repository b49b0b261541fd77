#include "sdk/model/import/tflite/tflite.hpp"

#include <algorithm>
#include <filesystem>

#include "sdk/model/import/tflite/custom.hpp"
#include "sdk/model/import/tflite/hybrid.hpp"
#include "sdk/model/import/tflite/model.hpp"
#include "sdk/model/import/tflite/operator_import.hpp"
#include "sdk/model/import/tflite/proportion.hpp"
#include "sdk/model/import/tflite/region_form.hpp"
#include "sdk/model/import/tflite/reshape.hpp"
#include "sdk/model/import/tflite/shifted_bytes.hpp"
#include "sdk/model/import/tflite/signature.hpp"
#include "sdk/model/import/tflite/unknown_option.hpp"
#include "sdk/model/import/tflite/variables.hpp"
#include "sdk/model/ir/control.hpp"
#include "sdk/model/ir/rewrite.hpp"

namespace byoc {
namespace tflite {
namespace {

using Lengths = std::map<std::string, std::int64_t>;

// Subgraphs may name each other in circles and fan out: both are bounded.
constexpr int kMostSubgraphs = 1000;

// Values of the graph are the tensors of the model, under the same numbers; constants that operators add follow.
class Importer {
 public:
  // `depth` subgraphs stand around this one; `budget` counts down with each that is read.
  Importer(const Model& model, int depth, int& budget, Variables& variables, VariableScope::Place place,
           Diagnostics& diags, Lengths* lengths = nullptr)
      : model_(model),
        depth_(depth),
        budget_(budget),
        diags_(diags),
        variables_{variables, place, {}},
        lengths_(lengths) {
    graph_.file = model.path();
    graph_.files = {model.stamp()};
    graph_.name = std::filesystem::path(model.path()).stem().string();
    if (depth != 0) graph_.name = model.graph().name() == nullptr ? "" : model.graph().name()->str();
    graph_.requant = Requant::tflite;
  }

  Result<ir::Graph> run() {
    if (!is_in_proportion(model_, diags_) || !check_indexes() || !read_tensors() || !bind_lengths() ||
        !import_operators() || !check_definitions())
      return failure;
    bytes_.keep_edges();
    if (!ir::sort_topologically(graph_, diags_)) return failure;
    // Source indexes are kept for tensors of the first subgraph only.
    for (ir::Value& v : graph_.values)
      if (depth_ != 0) v.source_index = -1;
    return std::move(graph_);
  }

 private:
  enum class Use : std::uint8_t { none, read, computed };

  // Beyond this point every operator code and tensor index is in range, and uses_ says who needs each tensor.
  bool check_indexes() {
    const schema::SubGraph& g = model_.graph();
    uses_.assign(model_.tensor_count(), Use::none);
    bool ok = true;
    for (std::size_t i = 0; i < operator_count(); ++i) ok = check_operator(i) && ok;
    for (std::size_t i = 0; i < length(g.outputs()); ++i)
      ok = check_index(at(g.outputs(), i), "the graph's outputs", Use::read) && ok;
    for (std::size_t i = 0; i < length(g.inputs()); ++i)
      ok = check_index(at(g.inputs(), i), "the graph's inputs", Use::computed) && ok;
    return ok;
  }

  bool check_operator(std::size_t i) {
    const schema::Operator& op = source(i);
    if (op.opcode_index() >= length(model_.root().operator_codes())) {
      diags_.error(model_.path(), "operator #" + std::to_string(i), "operator code out of range",
                   std::to_string(op.opcode_index()),
                   "less than " + std::to_string(length(model_.root().operator_codes())));
      return false;
    }
    bool ok = true;
    const std::string where = describe(i);
    for (std::size_t k = 0; k < length(op.inputs()); ++k)
      ok = at(op.inputs(), k) == -1 ? ok : check_index(at(op.inputs(), k), where, Use::read) && ok;
    for (std::size_t k = 0; k < length(op.outputs()); ++k)
      ok = check_index(at(op.outputs(), k), where, Use::computed) && ok;
    return ok;
  }

  bool check_index(std::int32_t index, const std::string& where, Use use) {
    if (index < 0 || static_cast<std::size_t>(index) >= uses_.size()) {
      diags_.error(model_.path(), where, "tensor index out of range", std::to_string(index),
                   "0 to " + std::to_string(static_cast<std::int64_t>(uses_.size()) - 1));
      return false;
    }
    Use& known = uses_[static_cast<std::size_t>(index)];
    known = std::max(known, use);
    return true;
  }

  // Tensors that nothing uses keep their number and name and are not looked at.
  bool read_tensors() {
    bool ok = true;
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      ir::Value value;
      value.name = model_.tensor_name(i);
      value.source_index = static_cast<std::int64_t>(i);
      if (uses_[i] != Use::none && is_handle(static_cast<ir::ValueId>(i))) {
        ok = check_handle(i) && ok;
      } else if (uses_[i] != Use::none) {
        auto read = model_.read_tensor(i, uses_[i] == Use::computed, diags_);
        ok = ok && read;
        if (read) value = std::move(*read);
        if (value.is_state && depth_ != 0) {
          diags_.error(model_.path(), describe_tensor(i, value.name), "variable tensors of a body are not supported");
          ok = false;
        }
      }
      graph_.add_value(std::move(value));
    }
    return ok;
  }

  // Lengths of open dims of the inputs, from `lengths_`. A batch of 1 is what most models are run with; any other 1 is
  // seldom meant.
  bool bind_lengths() {
    if (depth_ != 0) return true;
    std::string open;
    for (const ir::ValueId v : ids(model_.graph().inputs())) {
      auto& dims = graph_.values[v].type.dims;
      for (std::size_t d = 0; dims && d < dims->size(); ++d) {
        if (!is_open(model_.graph(), v, d)) continue;
        const std::string name = graph_.values[v].name + "." + std::to_string(d);
        open += (open.empty() ? "'" : ", '") + name + "'";
        const auto bound = lengths_ == nullptr ? Lengths::iterator() : lengths_->find(name);
        if (lengths_ == nullptr || bound == lengths_->end()) {
          if (d > 0 && (*dims)[d] == 1)
            diags_.warning(model_.path(), {}, "dimension '" + name + "' is open", "length 1",
                           "a length, bound with --dim " + name + "=LENGTH");
          continue;
        }
        if (bound->second < 0 || bound->second > INT32_MAX)
          return report("dimension '" + name + "' is out of range", std::to_string(bound->second), "0 to 2147483647");
        (*dims)[d] = bound->second;
        lengths_->erase(bound);
        resized_ = true;
      }
      if (dims && !is_countable(graph_.values[v].type.dtype, *dims))
        return report("input '" + graph_.values[v].name + "' is too large", to_string(graph_.values[v].type, graph_),
                      "fewer than 2^63 bits");
    }
    if (lengths_ == nullptr) return true;
    for (const auto& [name, length] : *lengths_)
      report("the model has no open dimension of this name", name, open.empty() ? "none" : open);
    return lengths_->empty();
  }

  bool report(std::string message, std::string found, std::string expected) {
    diags_.error(model_.path(), {}, std::move(message), std::move(found), std::move(expected));
    return false;
  }

  // Handles are no values: only operators on variables see them.
  [[nodiscard]] bool is_handle(ir::ValueId v) const {
    return v < model_.tensor_count() && model_.graph().tensors()->Get(v)->type() == schema::TensorType::RESOURCE;
  }

  [[nodiscard]] bool is_complex(ir::ValueId v) const {
    return v < model_.tensor_count() && model_.graph().tensors()->Get(v)->type() == schema::TensorType::COMPLEX64;
  }

  // The first operand that is complex where the operator takes reals, or the other way round.
  [[nodiscard]] std::optional<ir::ValueId> misplaced_complex(const std::vector<ir::ValueId>& inputs,
                                                             const std::vector<ir::ValueId>& outputs,
                                                             const OperatorEntry& entry) const {
    const bool moves = entry.reshapes && is_complex(inputs[0]);
    for (std::size_t k = 0; k < inputs.size(); ++k)
      if (is_complex(inputs[k]) != (k == 0 && (moves || entry.takes_complex))) return inputs[k];
    for (std::size_t k = 0; k < outputs.size(); ++k)
      if (is_complex(outputs[k]) != (k == 0 && (moves || entry.gives_complex))) return outputs[k];
    return std::nullopt;
  }

  bool check_handle(std::size_t i) {
    const auto has = [&](const auto* list) {
      for (std::size_t k = 0; k < length(list); ++k)
        if (at(list, k) == static_cast<std::int32_t>(i)) return true;
      return false;
    };
    if (!has(model_.graph().inputs()) && !has(model_.graph().outputs())) return true;
    diags_.error(model_.path(), describe_tensor(i, model_.tensor_name(i)),
                 "the handle of a variable cannot be an input or output of a graph");
    return false;
  }

  bool import_operators() {
    bool ok = true;
    for (std::size_t i = 0; i < operator_count(); ++i) shift_bytes(i);
    bytes_.begin_with(ids(model_.graph().inputs()));
    for (std::size_t i = 0; i < operator_count(); ++i) ok = import_operator(i) && ok;
    graph_.inputs = ids(model_.graph().inputs());
    graph_.outputs = ids(model_.graph().outputs());
    return ok;
  }

  // The operands of an operator whose uint8 kernels are int8 ones moved by 128.
  void shift_bytes(std::size_t i) {
    const schema::Operator& op = source(i);
    const OperatorEntry* entry = find_operator(builtin_code(operator_code(op)));
    if (entry == nullptr || entry->bytes != ByteForm::shifted) return;
    for (const auto* operands : {op.inputs(), op.outputs()})
      for (const ir::ValueId v : ids(operands)) bytes_.shift(v);
  }

  void in_uint8(std::size_t i, std::vector<ir::ValueId>& inputs, std::vector<ir::ValueId>& outputs) {
    for (ir::ValueId& v : inputs) v = bytes_.read(v, static_cast<std::int64_t>(i));
    for (ir::ValueId& v : outputs) v = bytes_.computed(v, static_cast<std::int64_t>(i));
  }

  bool import_operator(std::size_t i) {
    const schema::Operator& op = source(i);
    const schema::OperatorCode& code = operator_code(op);
    const schema::BuiltinOperator builtin = builtin_code(code);
    const OperatorEntry* entry = find_operator(builtin);
    const std::string where = describe(i);
    auto refuse = [&](std::string message, std::string found = {}, std::string expected = {}) {
      diags_.error(model_.path(), where, std::move(message), std::move(found), std::move(expected));
      return false;
    };
    if (builtin == schema::BuiltinOperator::CUSTOM) return import_custom_operator(i);
    if (entry == nullptr)
      return refuse("unsupported operator",
                    name_of_operator(builtin, code) + " version " + std::to_string(code.version()));
    if (!check_version(op, *entry, where)) return false;
    if (length(op.custom_options()) != 0 || op.large_custom_options_size() != 0)
      return refuse("custom options on a builtin operator");
    if (op.builtin_options_2_type() != schema::BuiltinOptions2::NONE && !entry->newer_options)
      return refuse("options of a newer operator",
                    "options number " + std::to_string(static_cast<int>(op.builtin_options_2_type())));
    return import_known_operator(i, where, *entry, {});
  }

  bool import_known_operator(std::size_t i, const std::string& where, const OperatorEntry& entry,
                             std::string custom_options) {
    const schema::Operator& op = source(i);
    auto refuse = [&](std::string message, std::string found = {}, std::string expected = {}) {
      diags_.error(model_.path(), where, std::move(message), std::move(found), std::move(expected));
      return false;
    };
    const auto is_state = [&](std::size_t k) { return k < 64 && (entry.state_inputs >> k & 1) != 0; };
    for (std::size_t k = 0; k < length(op.mutating_variable_inputs()); ++k)
      if (op.mutating_variable_inputs()->Get(static_cast<flatbuffers::uoffset_t>(k)) != 0 && !is_state(k))
        return refuse("operators that change their inputs are not supported", "input " + std::to_string(k));
    std::vector<ir::ValueId> inputs = ids(op.inputs()), outputs = ids(op.outputs());
    if (entry.bytes == ByteForm::uint8) in_uint8(i, inputs, outputs);
    if (entry.dequantises && !outputs.empty())
      dequantise_weights(graph_, inputs, outputs[0], static_cast<std::int64_t>(i), where, diags_);
    for (std::size_t k = 0; k < inputs.size(); ++k)
      if (inputs[k] != ir::kNoValue && graph_.values[inputs[k]].is_state && !is_state(k))
        return refuse("reads a variable tensor as an ordinary input",
                      "input " + std::to_string(k) + ", " + describe_value(inputs[k]));
    for (std::size_t k = 0; k < inputs.size(); ++k)
      if (is_handle(inputs[k]) && !(entry.takes_handle && k == 0))
        return refuse("reads the handle of a variable as an ordinary input",
                      "input " + std::to_string(k) + ", " + describe_value(inputs[k]));
    for (std::size_t k = 0; k < inputs.size(); ++k)
      if (inputs[k] != ir::kNoValue && !is_handle(inputs[k]) && !graph_.values[inputs[k]].type.dims)
        return refuse("reads a tensor whose shape only a run tells",
                      "input " + std::to_string(k) + ", " + describe_value(inputs[k]), "one of known shape");
    if (inputs.size() < entry.min_inputs || inputs.size() > entry.max_inputs)
      return refuse("wrong number of inputs", std::to_string(inputs.size()),
                    expected_count(entry.min_inputs, entry.max_inputs));
    for (std::size_t k = 0; k < entry.min_inputs; ++k)
      if (inputs[k] == ir::kNoValue) return refuse("input " + std::to_string(k) + " is not given");
    if (length(op.outputs()) < entry.min_outputs || length(op.outputs()) > entry.max_outputs)
      return refuse("wrong number of outputs", std::to_string(length(op.outputs())),
                    expected_count(entry.min_outputs, entry.max_outputs));
    for (const ir::ValueId v : outputs)
      if (!is_handle(v) && !graph_.values[v].type.dims)
        return refuse("computes a tensor that is already given", describe_value(v));
    for (const ir::ValueId v : outputs)
      if (is_handle(v) != entry.gives_handle)
        return refuse(entry.gives_handle ? "the output must be of type RESOURCE" : "an output is of type RESOURCE",
                      describe_value(v));
    if (const auto v = misplaced_complex(inputs, outputs, entry))
      return refuse(is_complex(*v) ? "no complex numbers are expected there" : "complex numbers are expected there",
                    describe_value(*v));
    const bool shifted = std::any_of(inputs.begin(), inputs.end(), [&](auto v) { return bytes_.is_shifted(v); }) ||
                         std::any_of(outputs.begin(), outputs.end(), [&](auto v) { return bytes_.is_shifted(v); });
    OperatorImport from(op, static_cast<std::int64_t>(i), where, std::move(inputs), std::move(outputs), graph_, diags_);
    if (shifted) from.know_shifted();
    from.read_subgraphs_with(
        [&](std::int32_t index) { return read_subgraph(index, where, VariableScope::Place::body); });
    from.read_initialisation_with(
        [&](std::int32_t index) { return read_subgraph(index, where, VariableScope::Place::initialisation); });
    from.use_variables(variables_);
    from.read_custom_options(std::move(custom_options));
    if (entry.reshapes && is_complex(from.output())) return static_cast<bool>(import_to_reshape(from, from.input(0)));
    // The state that the operator keeps is a value of its own.
    if (entry.gives_state) graph_.values[from.output()].is_state = false;
    if (resized_) from.resize(model_.graph());
    from.know(elements_, model_.graph());
    const std::size_t first = graph_.nodes.size();
    if (!entry.function(from) || !from.check_resized()) return false;
    resized_ = resized_ || from.has_corrected();
    for (std::size_t k = 0; k < from.output_count(); ++k)
      graph_.values[ids(op.outputs())[k]].type.dims = graph_.values[from.output(k)].type.dims;
    const auto type = [&](ir::ValueId v) -> const ir::TensorType& { return graph_.values[v].type; };
    for (std::size_t n = first; n < graph_.nodes.size(); ++n) elements_.compute(graph_.nodes[n], type);
    return true;
  }

  bool import_custom_operator(std::size_t i) {
    const schema::Operator& op = source(i);
    if (op.builtin_options_type() != schema::BuiltinOptions::NONE) {
      diags_.error(model_.path(), describe(i), "options of a builtin operator on a CUSTOM one",
                   "options number " + std::to_string(static_cast<int>(op.builtin_options_type())));
      return false;
    }
    if (const OperatorEntry* known = find_custom(i)) {
      auto options = custom_options(model_, op, describe(i), diags_);
      return options && import_known_operator(i, describe(i), *known, std::move(*options));
    }
    std::vector<ir::ValueId> inputs = ids(op.inputs()), outputs = ids(op.outputs());
    in_uint8(i, inputs, outputs);
    CustomOperator from{
        op, operator_code(op), static_cast<std::int64_t>(i), describe(i), std::move(inputs), std::move(outputs), {}};
    for (const ir::ValueId v : ids(op.inputs())) {
      from.scratch.push_back(v != ir::kNoValue && !is_given(v));
      if (v == ir::kNoValue || (!graph_.values[v].is_state && !is_handle(v))) continue;
      diags_.error(model_.path(), from.where, "a CUSTOM operator cannot keep variables", describe_value(v));
      return false;
    }
    if (from.outputs.empty()) {
      diags_.error(model_.path(), from.where, "wrong number of outputs", "0", "1 or more");
      return false;
    }
    return static_cast<bool>(import_custom(model_, std::move(from), graph_, diags_));
  }

  // True if the file, the caller or an operator gives the tensor elements. Nobody gives elements to a CUSTOM operator's
  // scratch memory.
  bool is_given(ir::ValueId v) const {
    return uses_[v] == Use::computed || graph_.is_constant(v) || graph_.values[v].is_state || is_handle(v);
  }

  // A newer version allows what an older one did not: other types and shapes, which are checked for what they are, or
  // further options, which mean something that is not known here.
  bool check_version(const schema::Operator& op, const OperatorEntry& entry, const std::string& where) {
    const schema::OperatorCode& code = operator_code(op);
    const std::string name = name_of_operator(builtin_code(code), code), found = std::to_string(code.version()),
                      expected = "1 to " + std::to_string(entry.newest_version);
    if (code.version() < 1) {
      diags_.error(model_.path(), where, "unsupported version of " + name, found, expected);
      return false;
    }
    if (code.version() <= entry.newest_version) return true;
    if (const auto option = unknown_option(op)) {
      diags_.error(model_.path(), where, "an option of a version of " + name + " that is not known",
                   "version " + found + " with option number " + std::to_string(*option), expected);
      return false;
    }
    diags_.warning(model_.path(), where, "a version of " + name + " that is not known: read as the newest that is",
                   found, expected);
    return true;
  }

  Result<ir::Graph> read_subgraph(std::int32_t index, const std::string& where, VariableScope::Place place) {
    if (index < 1 || static_cast<std::size_t>(index) >= model_.subgraph_count())
      return diags_.error(model_.path(), where, "subgraph out of range", std::to_string(index),
                          "1 to " + std::to_string(static_cast<std::int64_t>(model_.subgraph_count()) - 1));
    if (depth_ == ir::kDeepestBody || budget_ == 0)
      return diags_.error(
          model_.path(), where, "subgraphs are nested too deeply or name each other", {},
          "at most " + std::to_string(ir::kDeepestBody) + " deep and " + std::to_string(kMostSubgraphs) + " in all");
    --budget_;
    const Model other = model_.at(static_cast<std::size_t>(index));
    return Importer(other, depth_ + 1, budget_, variables_.all, place, diags_).run();
  }

  // Checks that every value that is read is defined exactly once.
  bool check_definitions() {
    const std::vector<ir::ValueId> inputs = graph_.inputs;
    std::vector<bool> defined(graph_.values.size());
    for (ir::ValueId v = 0; v < graph_.values.size(); ++v)
      defined[v] = graph_.is_constant(v) || graph_.values[v].is_state;
    bool ok = true;
    for (ir::ValueId v : graph_.outputs)
      if (graph_.values[v].is_state) {
        diags_.error(model_.path(), "the graph's outputs", "a variable tensor cannot be an output", describe_value(v));
        ok = false;
      }
    auto define = [&](ir::ValueId v, const std::string& where) {
      if (defined[v]) {
        diags_.error(model_.path(), where, "computes a tensor that is already given", describe_value(v));
        ok = false;
      }
      defined[v] = true;
    };
    for (ir::ValueId v : graph_.inputs) define(v, "the graph's inputs");
    for (std::size_t i = 0; i < operator_count(); ++i) {
      const OperatorEntry* custom = find_custom(i);
      for (ir::ValueId v : ids(source(i).outputs()))
        if (custom == nullptr || !custom->gives_constants) define(v, describe(i));
    }
    auto need = [&](ir::ValueId v, const std::string& where) {
      if (v == ir::kNoValue || defined[v]) return;
      diags_.error(model_.path(), where, "reads a tensor that nothing computes", describe_value(v));
      ok = false;
    };
    for (std::size_t i = 0; i < operator_count(); ++i)
      for (ir::ValueId v : ids(source(i).inputs()))
        if (builtin_code(operator_code(source(i))) != schema::BuiltinOperator::CUSTOM || find_custom(i) != nullptr ||
            (v != ir::kNoValue && is_given(v)))
          need(v, describe(i));
    for (ir::ValueId v : graph_.outputs) need(v, "the graph's outputs");
    return ok;
  }

  std::string describe_value(ir::ValueId v) const { return describe_tensor(v, graph_.values[v].name); }

  // "CONV_2D 'its output' (#3)".
  std::string describe(std::size_t i) const {
    const schema::Operator& op = source(i);
    const schema::OperatorCode& code = operator_code(op);
    std::string out = name_of_operator(builtin_code(code), code);
    if (length(op.outputs()) != 0) {
      const std::int32_t first = at(op.outputs(), 0);
      if (first >= 0 && static_cast<std::size_t>(first) < model_.tensor_count()) {
        const std::string name = model_.tensor_name(static_cast<std::size_t>(first));
        if (!name.empty()) out += " '" + name + "'";
      }
    }
    return out + " (#" + std::to_string(i) + ")";
  }

  static std::int32_t at(const flatbuffers::Vector<std::int32_t>* v, std::size_t i) {
    return v->Get(static_cast<flatbuffers::uoffset_t>(i));
  }
  static std::vector<ir::ValueId> ids(const flatbuffers::Vector<std::int32_t>* indexes) {
    std::vector<ir::ValueId> out;
    out.reserve(length(indexes));
    for (std::size_t i = 0; i < length(indexes); ++i)
      out.push_back(at(indexes, i) < 0 ? ir::kNoValue : static_cast<ir::ValueId>(at(indexes, i)));
    return out;
  }
  std::size_t operator_count() const { return length(model_.graph().operators()); }
  const schema::Operator& source(std::size_t i) const {
    return *model_.graph().operators()->Get(static_cast<flatbuffers::uoffset_t>(i));
  }
  const schema::OperatorCode& operator_code(const schema::Operator& op) const {
    return *model_.root().operator_codes()->Get(op.opcode_index());
  }
  // Null for a builtin operator, and for one that only a codegen knows.
  const OperatorEntry* find_custom(std::size_t i) const {
    const schema::OperatorCode& code = operator_code(source(i));
    return builtin_code(code) == schema::BuiltinOperator::CUSTOM ? find_custom_operator(code) : nullptr;
  }
  // Writers older than schema version 3a fill only the byte, newer ones both.
  static schema::BuiltinOperator builtin_code(const schema::OperatorCode& code) {
    return std::max(code.builtin_code(), static_cast<schema::BuiltinOperator>(code.deprecated_builtin_code()));
  }

  const Model& model_;
  const int depth_;
  int& budget_;
  Diagnostics& diags_;
  ir::Graph graph_;
  std::vector<Use> uses_;
  VariableScope variables_;
  Lengths* lengths_;
  bool resized_ = false;  // shapes that the model states may be others
  shapes::KnownElements elements_{graph_};
  ShiftedBytes bytes_{graph_};
};

}  // namespace
}  // namespace tflite

Result<ir::Graph> import_tflite(const std::string& path, Diagnostics& diags, const std::string& signature,
                                std::map<std::string, std::int64_t>* lengths) {
  const auto file = tflite::Model::open(path, diags);
  if (!file) return failure;
  const auto chosen = tflite::find_signature(*file, signature, diags);
  if (!chosen) return failure;
  const tflite::Model model = file->at(*chosen == nullptr ? 0 : (*chosen)->subgraph_index());
  int budget = tflite::kMostSubgraphs;
  tflite::Variables variables;
  auto graph = tflite::Importer(model, 0, budget, variables, tflite::VariableScope::Place::model, diags, lengths).run();
  if (!graph) return failure;
  if (*chosen != nullptr) tflite::name_by(**chosen, *graph);
  graph->source = tflite::source_of(model);
  return graph;
}

}  // namespace byoc
