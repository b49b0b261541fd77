#include "sdk/model/import/tflite/region_form.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "sdk/model/import/tflite/custom.hpp"

namespace byoc::tflite {
namespace {

using codegen::kNoValue;
using codegen::Region;
using codegen::TfliteForm;

constexpr std::uint32_t kWrittenVersion = 3;
// Offsets in FlatBuffers are signed; what is no constant needs some of the 2 GiB, too.
constexpr std::uint64_t kMostBytes = (std::uint64_t{1} << 31) - (std::uint64_t{1} << 26);

schema::BuiltinOperator code_of(const schema::OperatorCode& code) {
  return std::max(code.builtin_code(), static_cast<schema::BuiltinOperator>(code.deprecated_builtin_code()));
}

// Operators that name subgraphs, which a region does not have.
bool names_subgraphs(schema::BuiltinOperator code) {
  return code == schema::BuiltinOperator::IF || code == schema::BuiltinOperator::WHILE ||
         code == schema::BuiltinOperator::CALL_ONCE || code == schema::BuiltinOperator::STABLEHLO_COMPOSITE;
}

// The form of one region.
class Cut {
 public:
  Cut(const Model& model, const std::map<std::int32_t, std::int32_t>& producers, const Region& region)
      : model_(model), producers_(producers), region_(region) {}

  TfliteForm run() {
    number_values();
    if (find_border() && find_operators()) write();
    return std::move(form_);
  }

 private:
  bool refuse(std::string why) {
    form_ = {};
    form_.refusal = std::move(why);
    return false;
  }

  [[nodiscard]] const schema::Tensor& tensor(std::int32_t t) const {
    return *model_.graph().tensors()->Get(static_cast<flatbuffers::uoffset_t>(t));
  }
  [[nodiscard]] const schema::Operator& source(std::int32_t i) const {
    return *model_.graph().operators()->Get(static_cast<flatbuffers::uoffset_t>(i));
  }
  [[nodiscard]] const schema::OperatorCode& code(const schema::Operator& op) const {
    return *model_.root().operator_codes()->Get(op.opcode_index());
  }
  [[nodiscard]] std::string describe(std::int32_t t) const {
    const auto known = values_.find(t);
    return describe_tensor(static_cast<std::size_t>(t),
                           known == values_.end() ? "" : region_.values[known->second].name);
  }
  [[nodiscard]] Blob data(std::int32_t t) const {
    Diagnostics told_at_import;
    auto bytes = model_.buffer(static_cast<std::size_t>(t), tensor(t).buffer(), told_at_import);
    return bytes ? std::move(*bytes) : Blob();
  }

  void number_values() {
    for (codegen::ValueId v = 0; v < region_.values.size(); ++v)
      if (const std::int64_t t = region_.values[v].source_index;
          t >= 0 && static_cast<std::size_t>(t) < model_.tensor_count())
        values_.emplace(static_cast<std::int32_t>(t), v);
  }

  // Variables are in the file's operators: what a region has of them at its border is none of the model's.
  bool find_border() {
    std::set<codegen::ValueId> of_variables;
    for (const codegen::Node& n : region_.nodes)
      if (std::any_of(n.inputs.begin(), n.inputs.end(),
                      [&](codegen::ValueId v) { return v != kNoValue && region_.values[v].is_state; }))
        of_variables.insert(n.outputs.begin(), n.outputs.end());
    for (const codegen::ValueId v : region_.inputs)
      if (!region_.values[v].is_state && !add_to(inputs_, v)) return false;
    for (const codegen::ValueId v : region_.outputs)
      if ((region_.values[v].source_index >= 0 || !of_variables.contains(v)) && !add_to(outputs_, v)) return false;
    return !outputs_.empty() || refuse("computes nothing that the file has a tensor for");
  }

  bool add_to(std::vector<std::int32_t>& list, codegen::ValueId v) {
    const codegen::Value& value = region_.values[v];
    if (value.source_index < 0 || static_cast<std::size_t>(value.source_index) >= model_.tensor_count())
      return refuse("value '" + value.name + "' at its border is no tensor of the file");
    if (value.dtype == DType::i8 &&
        tensor(static_cast<std::int32_t>(value.source_index)).type() == schema::TensorType::UINT8)
      return refuse("value '" + value.name + "' at its border is int8 here and uint8 in the file");
    list.push_back(static_cast<std::int32_t>(value.source_index));
    tensors_.insert(list.back());
    return true;
  }

  // Walks from the outputs back to inputs and constants.
  bool find_operators() {
    const std::set<std::int32_t> inputs(inputs_.begin(), inputs_.end());
    std::vector<std::int32_t> left = outputs_;
    std::set<std::int32_t> seen;
    while (!left.empty()) {
      const std::int32_t t = left.back();
      left.pop_back();
      if (t < 0 || inputs.contains(t) || !seen.insert(t).second) continue;
      tensors_.insert(t);
      const auto producer = producers_.find(t);
      if (producer == producers_.end()) {
        if (tensor(t).is_variable() || data(t).size() != 0 || is_scratch_.contains(t)) continue;
        return refuse(describe(t) + " is computed outside of it, and it does not read it");
      }
      const schema::Operator& op = source(producer->second);
      const schema::BuiltinOperator builtin = code_of(code(op));
      // Shapes do not change in runs, and what has the shape may be elsewhere.
      if (builtin == schema::BuiltinOperator::SHAPE && length(op.inputs()) == 1) {
        shapes_[t] = op.inputs()->Get(0);
        continue;
      }
      if (names_subgraphs(builtin)) return refuse("it has an operator with subgraphs");
      if (!operators_.insert(producer->second).second) continue;
      for (const auto* list : {op.inputs(), op.outputs(), op.intermediates()})
        for (std::size_t k = 0; k < length(list); ++k) {
          const std::int32_t used = list->Get(static_cast<flatbuffers::uoffset_t>(k));
          if (used >= 0 && tensor(used).type() == schema::TensorType::RESOURCE)
            return refuse("it has a variable that operators name");
          if (used >= 0 && (list != op.inputs() || builtin == schema::BuiltinOperator::CUSTOM))
            is_scratch_.insert(used);
          left.push_back(list == op.outputs() ? -1 : used);
          if (used >= 0) tensors_.insert(used);
        }
    }
    return true;
  }

  void write() {
    schema::ModelT model;
    model.version = kWrittenVersion;
    model.description = "a region, by byoc";
    model.buffers.push_back(std::make_unique<schema::BufferT>());  // of what has no elements
    model.subgraphs.push_back(std::make_unique<schema::SubGraphT>());
    schema::SubGraphT& graph = *model.subgraphs[0];
    graph.name = region_.name;
    for (const std::int32_t t : tensors_) {
      renumbered_[t] = static_cast<std::int32_t>(graph.tensors.size());
      if (!add_tensor(t, graph, model)) return;
    }
    std::map<std::uint32_t, std::uint32_t> codes;
    for (const std::int32_t i : operators_) {
      const schema::Operator& op = source(i);
      const auto [at, fresh] =
          codes.emplace(op.opcode_index(), static_cast<std::uint32_t>(model.operator_codes.size()));
      if (fresh) model.operator_codes.emplace_back(code(op).UnPack());
      graph.operators.emplace_back(op.UnPack());
      schema::OperatorT& written = *graph.operators.back();
      written.opcode_index = at->second;
      for (auto* list : {&written.inputs, &written.outputs, &written.intermediates}) renumber(*list);
      if (op.large_custom_options_size() == 0) continue;
      const auto options = model_.bytes().subspan(op.large_custom_options_offset(), op.large_custom_options_size());
      const auto* first = reinterpret_cast<const std::uint8_t*>(options.data());
      written.custom_options.assign(first, first + options.size());
      written.large_custom_options_offset = written.large_custom_options_size = 0;
    }
    graph.inputs = inputs_;
    graph.outputs = outputs_;
    renumber(graph.inputs);
    renumber(graph.outputs);
    finish(model);
  }

  void renumber(std::vector<std::int32_t>& tensors) const {
    for (std::int32_t& t : tensors)
      if (t >= 0) t = renumbered_.at(t);
  }

  bool add_tensor(std::int32_t t, schema::SubGraphT& graph, schema::ModelT& model) {
    graph.tensors.emplace_back(tensor(t).UnPack());
    schema::TensorT& written = *graph.tensors.back();
    const auto value = values_.find(t);
    written.name = value == values_.end() ? "" : region_.values[value->second].name;
    written.buffer = 0;
    const bool computed = std::binary_search(inputs_sorted().begin(), inputs_sorted().end(), t);
    std::vector<std::uint8_t> bytes;
    if (const auto shape = shapes_.find(t); shape != shapes_.end()) {
      bytes = elements_of_shape(tensor(shape->second), written.type);
    } else if (!computed) {
      const Blob of_file = data(t);
      const auto* first = reinterpret_cast<const std::uint8_t*>(of_file.bytes().data());
      bytes.assign(first, first + of_file.size());
    }
    if (bytes.empty()) return true;
    total_ += bytes.size();
    if (total_ > kMostBytes) return refuse("its constants have more bytes than a FlatBuffer can have");
    written.buffer = static_cast<std::uint32_t>(model.buffers.size());
    const bool same = value != values_.end() && region_.values[value->second].is_constant &&
                      region_.values[value->second].data.size() == bytes.size();
    of_buffer_.push_back(same ? value->second : kNoValue);
    model.buffers.push_back(std::make_unique<schema::BufferT>());
    model.buffers.back()->data = std::move(bytes);
    return true;
  }

  const std::vector<std::int32_t>& inputs_sorted() {
    if (sorted_.size() != inputs_.size()) {
      sorted_ = inputs_;
      std::sort(sorted_.begin(), sorted_.end());
    }
    return sorted_;
  }

  // The result of SHAPE, as int32 or int64.
  static std::vector<std::uint8_t> elements_of_shape(const schema::Tensor& of, schema::TensorType type) {
    std::vector<std::uint8_t> out;
    const std::size_t width = type == schema::TensorType::INT64 ? sizeof(std::int64_t) : sizeof(std::int32_t);
    for (std::size_t i = 0; i < length(of.shape()); ++i) {
      const auto d = static_cast<std::uint64_t>(of.shape()->Get(static_cast<flatbuffers::uoffset_t>(i)));
      for (std::size_t b = 0; b < width; ++b) out.push_back(static_cast<std::uint8_t>(d >> (8 * b)));
    }
    return out;
  }

  void finish(const schema::ModelT& model) {
    flatbuffers::FlatBufferBuilder builder(static_cast<std::size_t>(total_) + 4096);
    schema::FinishModelBuffer(builder, schema::Model::Pack(builder, &model));
    const auto* first = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
    form_.bytes.assign(first, first + builder.GetSize());
    const auto& buffers = *schema::GetModel(form_.bytes.data())->buffers();
    for (std::size_t b = 0; b < of_buffer_.size(); ++b) {
      const auto& content = *buffers.Get(static_cast<flatbuffers::uoffset_t>(b + 1))->data();
      const auto* at = reinterpret_cast<const std::byte*>(content.data());
      form_.contents.push_back({static_cast<std::uint64_t>(at - form_.bytes.data()), content.size(), of_buffer_[b]});
    }
  }

  const Model& model_;
  const std::map<std::int32_t, std::int32_t>& producers_;
  const Region& region_;
  TfliteForm form_;
  std::map<std::int32_t, codegen::ValueId> values_;  // of the region, by tensor
  std::vector<std::int32_t> inputs_, outputs_, sorted_;
  std::set<std::int32_t> tensors_, operators_, is_scratch_;
  std::map<std::int32_t, std::int32_t> shapes_;      // tensors that SHAPE computes, and of what
  std::map<std::int32_t, std::int32_t> renumbered_;  // tensors of the file in the region
  std::vector<codegen::ValueId> of_buffer_;          // of each buffer but the first
  std::uint64_t total_ = 0;
};

class Source final : public codegen::ModelSource {
 public:
  explicit Source(const Model& model) : model_(model) {
    const auto* operators = model_.graph().operators();
    for (std::size_t i = 0; i < length(operators); ++i) {
      const auto* outputs = operators->Get(static_cast<flatbuffers::uoffset_t>(i))->outputs();
      for (std::size_t k = 0; k < length(outputs); ++k)
        producers_[outputs->Get(static_cast<flatbuffers::uoffset_t>(k))] = static_cast<std::int32_t>(i);
    }
  }
  [[nodiscard]] TfliteForm as_tflite(const Region& region) const override {
    return Cut(model_, producers_, region).run();
  }

 private:
  Model model_;
  std::map<std::int32_t, std::int32_t> producers_;  // tensor -> operator
};

}  // namespace

std::shared_ptr<const codegen::ModelSource> source_of(const Model& model) { return std::make_shared<Source>(model); }

}  // namespace byoc::tflite
