#include "emit.hpp"

namespace onednn {

Instance::Instance(const std::vector<Network>& networks) {
  for (const Network& n : networks) {
    first_layer_.push_back(layers_);
    layers_ += static_cast<std::uint32_t>(n.operations.size());
  }
  bytes_ = (kContextBytes + layers_ * kLayerBytes + kAlign - 1) / kAlign * kAlign;
  for (const Network& n : networks) {
    for (const Operation& op : n.operations) {
      weights_at_.push_back(bytes_);
      bytes_ += (op.weights_bytes + kAlign - 1) / kAlign * kAlign;
    }
  }
}

std::string Instance::c_type() const {
  return "\ntypedef struct {\n  onednn_context_t context;\n  onednn_layer_t layers[" + std::to_string(layers_) +
         "];\n} state_t;\ntypedef char state_fits[sizeof(state_t) <= " +
         std::to_string(kContextBytes + layers_ * kLayerBytes) + " ? 1 : -1];\n";
}

void Instance::hand_over(Host& host, std::string& text, std::string_view open) const {
  byoc::codegen::Instance decl;
  decl.bytes = bytes_;
  decl.align = static_cast<std::uint32_t>(kAlign);
  decl.init = host.claim("onednn_init");
  decl.deinit = host.claim("onednn_deinit");
  const std::string close = "onednn_close(&state->context, state->layers, " + std::to_string(layers_) + ");\n";
  text += "\nstatic dnnl_status_t open(state_t *state) {\n  ONEDNN_TRY(onednn_open(&state->context));\n" +
          std::string(open) + "  return dnnl_success;\n}\n\nint32_t " + decl.init +
          "(void *instance) {\n  state_t *const state = (state_t *)instance;\n  dnnl_status_t status = dnnl_success;\n"
          "  memset(state, 0, sizeof *state);\n  status = open(state);\n  if (status != dnnl_success) " +
          close + "  return status;\n}\n\nint32_t " + decl.deinit +
          "(void *instance) {\n  state_t *const state = (state_t *)instance;\n  return " + close + "}\n";
  host.instance(decl);
}

std::string constant(Host& host, const Region& region, const Constant& c) {
  if (c.value != kNoValue)
    return byoc::constant_symbol(host, region, c.value, "onednn_constant", static_cast<std::uint32_t>(kAlign));
  byoc::codegen::ConstantDecl decl;
  decl.symbol = host.claim("onednn_folded");
  decl.element = byoc::DType::f32;
  decl.align = static_cast<std::uint32_t>(kAlign);
  host.constant(decl, c.bytes);
  return decl.symbol;
}

void tell_fused(Host& host, const Region& region, const Operation& op, ValueId into) {
  for (std::size_t i = 0; i + 1 < op.layer.nodes.size(); ++i)
    host.fused(region, region.nodes[op.layer.nodes[i]].outputs[0], into);
}

std::string kernel_name(const Operation& op) {
  constexpr std::string_view kNames[] = {"",        "conv",    "dense", "norm", "maxpool",
                                         "avgpool", "avgpool", "add",   "relu", "reorder"};
  std::string name = "onednn_" + std::string(kNames[op.layer.kind]);
  if (op.second != kNoTensor && op.layer.kind == ONEDNN_CONVOLUTION) name += "_sum";
  if (op.layer.activation != ONEDNN_NONE && op.layer.kind != ONEDNN_ELEMENTWISE) name += "_relu";
  return name;
}

void hand_over_source(const Request& request, Host& host, std::string_view stem, std::string_view include,
                      std::string text) {
  for (const RuntimeFile& f : kRuntimeFiles)
    if (f.name.ends_with(".h")) host.header(f.name, f.text);
  byoc::codegen::SourceDecl decl;
  decl.name = host.claim(stem);
  // The internal header comes first: it has the names that shared sources go by in this library.
  host.source(decl, "#include \"" + std::string(request.internal_header) + "\"\n#include \"" + std::string(include) +
                        "\"\n" + std::move(text));
  host.artifact({byoc::codegen::ArtifactKind::link_library, "dnnl", {}}, {});
}

}  // namespace onednn
