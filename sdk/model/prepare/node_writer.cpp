#include "sdk/model/prepare/node_writer.hpp"

#include <algorithm>
#include <cstring>

#include "sdk/model/ir/onnx_types.hpp"
#include "sdk/model/ir/operators.hpp"
#include "sdk/model/ir/texts.hpp"

namespace byoc {
namespace {

constexpr std::int64_t kFormsVersion = 20;  // in which the forms of docs/graph-language.md hold
constexpr std::string_view kOwn = "byoc.";

}  // namespace

void NodeWriter::give(Values outputs, std::string_view name, Values inputs, Attributes attributes) {
  ir::Node node;
  const bool is_own = name.starts_with(kOwn);
  node.domain = is_own ? "byoc" : "";
  node.op = is_own ? name.substr(kOwn.size()) : name;
  const ir::Operator* known = ir::find_operator(node.domain, node.op);
  node.version = is_own ? 1 : std::max(kFormsVersion, known == nullptr ? kFormsVersion : known->since);
  node.stand_for(like_);
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  node.attributes = std::move(attributes);
  nodes_.push_back(std::move(node));
}

ir::ValueId NodeWriter::op(std::string_view name, Values inputs, Attributes attributes) {
  const ir::ValueId out = graph_.add_value({});
  give({out}, name, std::move(inputs), std::move(attributes));
  return out;
}

ir::ValueId NodeWriter::integer(std::int64_t element) {
  std::vector<std::byte> bytes(sizeof element);
  std::memcpy(bytes.data(), &element, sizeof element);
  return graph_.add_constant({}, {DType::i64, std::vector<ir::Dim>{}}, Blob::own(std::move(bytes)));
}

ir::ValueId NodeWriter::integers(const std::vector<std::int64_t>& elements) {
  std::vector<std::byte> bytes(elements.size() * sizeof(std::int64_t));
  if (!bytes.empty()) std::memcpy(bytes.data(), elements.data(), bytes.size());
  return graph_.add_constant({}, {DType::i64, std::vector<ir::Dim>{std::ssize(elements)}}, Blob::own(std::move(bytes)));
}

ir::ValueId NodeWriter::boolean(bool element) {
  return graph_.add_constant({}, {DType::boolean, std::vector<ir::Dim>{}},
                             Blob::own({element ? std::byte{1} : std::byte{0}}));
}

ir::ValueId NodeWriter::zeros(const ir::TensorType& type) {
  if (type.dtype != DType::string)
    return graph_.add_constant({}, type, Blob::own(std::vector<std::byte>(type.bytes())));
  std::size_t count = 1;
  for (const ir::Dim d : *type.dims) count *= static_cast<std::size_t>(d);
  return graph_.add_constant({}, type, ir::pack_texts(std::vector<std::string>(count)));
}

ir::ValueId NodeWriter::only_if(ir::ValueId holds, ir::ValueId x, const std::string& what) {
  const ir::ValueId found =
      op("Reshape", {op("Cast", {holds}, {{"to", std::int64_t{ir::onnx_number(DType::i64)}}}), integers({1})});
  return op("byoc.Expect", {x, found}, {{"expected", std::vector<std::int64_t>{1}}, {"what", what}});
}

}  // namespace byoc
