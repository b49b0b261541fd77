// The regions of a partition as models for compilers of others.
#include "byoc/byoc.hpp"
#include "sdk/app/api/handles.hpp"
#include "sdk/codegen/codegen/region_onnx.hpp"
#include "sdk/codegen/codegen/region_tflite.hpp"
#include "sdk/codegen/partition/partition.hpp"

namespace byoc {
namespace {

void write_onnx(const codegen::Region& region, RegionFile& out) {
  const auto model = plugin::onnx_model(region);
  if (const auto* no = std::get_if<plugin::OnnxRefusal>(&model)) {
    const bool at_node = no->node < region.nodes.size();
    out.no_onnx = (at_node ? region.nodes[no->node].op + " '" + region.nodes[no->node].name + "': " : "") + no->text;
    return;
  }
  for (const auto piece : std::get<plugin::OnnxModel>(model).pieces)
    out.onnx.insert(out.onnx.end(), piece.begin(), piece.end());
}

RegionFile file_of(const codegen::Region& region, std::size_t index, std::string_view codegen) {
  RegionFile out;
  out.name = std::to_string(index) + "_" + std::string(codegen);
  out.codegen = codegen;
  write_onnx(region, out);
  codegen::TfliteForm tflite = plugin::tflite_model(region);
  out.tflite = std::move(tflite.bytes);
  out.no_tflite = std::move(tflite.refusal);
  return out;
}

}  // namespace

Result<std::vector<RegionFile>> region_files(const Model& model, const Codegens& codegens, const ExportRequest& request,
                                             Diagnostics& diags) {
  return api::guarded(diags, [&]() -> Result<std::vector<RegionFile>> {
    const ir::Graph& graph = model.impl().graph;
    Codegens::Impl& own = codegens.impl();
    if (!api::check_alive(own, diags)) return failure;
    const auto partition = make_partition(graph, own.set->order, own.target, request.partition, diags);
    api::pass_on(own, diags);
    if (!partition || !check_unchanged(graph.files, diags)) return failure;
    std::vector<RegionFile> out;
    for (const PlacedRegion& r : partition->regions)
      out.push_back(file_of(r.bound.region, out.size(), own.set->order[r.codegen]->id()));
    return out;
  });
}

}  // namespace byoc
