#include "sdk/model/import/tflite/signature.hpp"

#include <algorithm>
#include <set>

#include "sdk/base/support/nearest.hpp"
namespace byoc::tflite {
namespace {

using TensorMaps = flatbuffers::Vector<flatbuffers::Offset<schema::TensorMap>>;

std::string key_of(const schema::SignatureDef& signature) {
  return signature.signature_key() == nullptr ? "" : signature.signature_key()->str();
}

// "'decode', 'encode'"
std::string names_of(const Model& model) {
  std::set<std::string> names;
  for (const schema::SignatureDef* s : *model.root().signature_defs()) names.insert("'" + key_of(*s) + "'");
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

// The tensors that it names are the inputs or outputs of the subgraph, all of them.
bool are_those(const TensorMaps* maps, const flatbuffers::Vector<std::int32_t>* tensors) {
  std::set<std::int64_t> named, there;
  for (flatbuffers::uoffset_t i = 0; i < length(maps); ++i) named.insert(maps->Get(i)->tensor_index());
  for (flatbuffers::uoffset_t i = 0; i < length(tensors); ++i) there.insert(tensors->Get(i));
  return named == there;
}

}  // namespace

Result<const schema::SignatureDef*> find_signature(const Model& model, const std::string& name, Diagnostics& diags) {
  const auto* all = model.root().signature_defs();
  if (name.empty()) {
    std::set<std::uint32_t> subgraphs;
    for (flatbuffers::uoffset_t i = 0; i < length(all); ++i) subgraphs.insert(all->Get(i)->subgraph_index());
    if (subgraphs.size() > 1)
      diags.warning(model.path(), {}, "has several signatures: its first subgraph is read", names_of(model),
                    "one of them chosen with --signature");
    return nullptr;
  }
  if (length(all) == 0)
    return diags.error(model.path(), "--signature", "the model has no signatures", "'" + name + "'", "no --signature");
  const auto found = std::find_if(all->begin(), all->end(), [&](const auto* s) { return key_of(*s) == name; });
  std::vector<std::string> keys;
  for (const auto* s : *all) keys.push_back(key_of(*s));
  if (found == all->end())
    return diags.error(model.path(), "--signature",
                       "the model has no signature of this name" + did_you_mean(name, keys), "'" + name + "'",
                       names_of(model));
  const std::string where = "signature '" + name + "'";
  if (found->subgraph_index() >= model.subgraph_count())
    return diags.error(model.path(), where, "subgraph out of range", std::to_string(found->subgraph_index()),
                       "less than " + std::to_string(model.subgraph_count()));
  const Model there = model.at(found->subgraph_index());
  if (!are_those(found->inputs(), there.graph().inputs()) || !are_those(found->outputs(), there.graph().outputs()))
    return diags.error(model.path(), where, "names other tensors than the inputs and outputs of its subgraph");
  return *found;
}

void name_by(const schema::SignatureDef& signature, ir::Graph& graph) {
  // Outputs first: a value that goes through is named by what it is as an input.
  for (const TensorMaps* maps : {signature.outputs(), signature.inputs()})
    for (flatbuffers::uoffset_t i = 0; i < length(maps); ++i)
      if (const schema::TensorMap& m = *maps->Get(i); m.name() != nullptr && m.name()->size() != 0)
        graph.values[m.tensor_index()].name = m.name()->str();
}

}  // namespace byoc::tflite
