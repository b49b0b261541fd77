// Flavour "source": C that makes each layer through oneDNN's C API, and a step for each layer.
#include <map>

#include "emit.hpp"

namespace onednn {
namespace {

std::string list(const Dims& dims) {
  std::string out = "{";
  for (const std::int64_t d : dims) out.append(out.size() > 1 ? ", " : "").append(std::to_string(d));
  return out.append("}");
}

std::string dims(const std::string& name, const Dims& d) {
  return "  static const dnnl_dims_t " + name + " = " + list(d) + ";\n";
}

std::string attempt(const std::string& call) { return "  ONEDNN_TRY(" + call + ");\n"; }

// Statements of one function that opens a layer: declarations first, as C89 readers like them, then calls.
struct Opening {
  std::string declarations, calls;

  void describe(const std::string& name, const View& v) {
    declarations += dims(name + "_dims", v.dims) + dims(name + "_strides", v.strides);
    declarations += "  dnnl_memory_desc_t " + name + ";\n";
    calls += attempt("dnnl_memory_desc_init_by_strides(&" + name + ", " + std::to_string(v.dims.size()) + ", " + name +
                     "_dims, dnnl_f32, " + name + "_strides)");
  }
  void argument(const std::string& what, const std::string& desc, const std::string& data = "NULL") {
    calls += attempt("onednn_argument(layer, context, " + what + ", &" + desc + ", " + data + ")");
  }
};

// Filters of one group have no dimension for it.
View without_group(View v) {
  if (v.dims.size() == 5 && v.dims[0] == 1) {
    v.dims.erase(v.dims.begin());
    v.strides.erase(v.strides.begin());
  }
  return v;
}

// The description of the operation in `op`.
void describe_operation(const Operation& op, Opening& out) {
  const Layer& l = op.layer;
  const auto declare = [&](const char* type) { out.declarations += "  dnnl_" + std::string(type) + "_desc_t op;\n"; };
  const std::string bias = op.constants.size() > 1 ? "&bias" : "NULL";
  switch (l.kind) {
    case ONEDNN_CONVOLUTION: {
      Dims dilations = l.dilations;
      for (std::int64_t& d : dilations) --d;
      out.declarations +=
          dims("strides", l.strides) + dims("dilations", dilations) + dims("begin", l.begin) + dims("end", l.end);
      declare("convolution");
      out.calls += attempt(
          "dnnl_dilated_convolution_forward_desc_init(&op, dnnl_forward_inference, dnnl_convolution_direct, &x, "
          "&any, " +
          bias + ", &y, strides, dilations, begin, end)");
      return;
    }
    case ONEDNN_DENSE:
      declare("inner_product");
      out.calls +=
          attempt("dnnl_inner_product_forward_desc_init(&op, dnnl_forward_inference, &x, &any, " + bias + ", &y)");
      return;
    case ONEDNN_NORMALISATION:
      declare("batch_normalization");
      out.calls += attempt("dnnl_batch_normalization_forward_desc_init(&op, dnnl_forward_inference, &x, " +
                           byoc::c_float(op.epsilon) + ", dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift)");
      return;
    case ONEDNN_ADD:
      declare("binary");
      out.calls += attempt("dnnl_binary_desc_init(&op, dnnl_binary_add, &x, &second, &y)");
      return;
    case ONEDNN_ELEMENTWISE:
      declare("eltwise");
      out.calls +=
          attempt("dnnl_eltwise_forward_desc_init(&op, dnnl_forward_inference, dnnl_eltwise_relu, &x, 0.0F, 0.0F)");
      return;
    default:
      out.declarations +=
          dims("strides", l.strides) + dims("kernel", l.kernel) + dims("begin", l.begin) + dims("end", l.end);
      declare("pooling");
      out.calls += attempt(std::string("dnnl_pooling_forward_desc_init(&op, dnnl_forward_inference, ") +
                           (l.kind == ONEDNN_MAXIMUM   ? "dnnl_pooling_max"
                            : l.kind == ONEDNN_AVERAGE ? "dnnl_pooling_avg_exclude_padding"
                                                       : "dnnl_pooling_avg_include_padding") +
                           ", &x, &y, strides, kernel, begin, end)");
  }
}

void describe_constants(const Operation& op, Opening& out) {
  if (op.layer.weights == kNoValue) return;
  const View filter = without_group(op.constants[0].view);
  out.describe("w", filter);
  out.declarations += "  dnnl_memory_desc_t any, wanted;\n";
  out.calls += attempt("dnnl_memory_desc_init_by_tag(&any, " + std::to_string(filter.dims.size()) +
                       ", w_dims, dnnl_f32, dnnl_format_tag_any)");
  if (op.constants.size() > 1) out.describe("bias", op.constants[1].view);
}

void pass_constants(const Operation& op, std::uint64_t weights_at, const std::vector<std::string>& symbols,
                    Opening& out) {
  if (op.layer.weights != kNoValue) {
    out.calls += attempt("onednn_weights(layer, context, &w, &wanted, " + symbols[0] + ", instance + " +
                         std::to_string(weights_at) + ", " + std::to_string(op.weights_bytes) + ")");
    if (symbols.size() > 1) out.argument("DNNL_ARG_BIAS", "bias", symbols[1]);
  } else if (!symbols.empty()) {
    constexpr const char* kNames[] = {"MEAN", "VARIANCE", "SCALE", "SHIFT"};
    out.describe("statistic", op.constants[0].view);
    for (std::size_t i = 0; i < symbols.size(); ++i)
      out.argument(std::string("DNNL_ARG_") + kNames[i], "statistic", symbols[i]);
  }
}

// A C function that opens the layer.
std::string opening(const Operation& op, const std::string& name, std::uint64_t weights_at,
                    const std::vector<std::string>& symbols) {
  const Layer& l = op.layer;
  Opening out;
  out.describe("x", op.input_view);
  if (op.second != kNoTensor) out.describe("second", op.output_view);
  out.describe("y", op.output_view);
  if (l.kind == ONEDNN_REORDER) {
    out.calls += attempt("onednn_create_reorder(&layer->primitive, context, &x, &y)");
    out.argument("DNNL_ARG_FROM", "x");
    out.argument("DNNL_ARG_TO", "y");
  } else {
    const bool fused_sum = l.kind == ONEDNN_CONVOLUTION && op.second != kNoTensor;
    describe_constants(op, out);
    describe_operation(op, out);
    out.declarations += "  dnnl_primitive_attr_t attr = NULL;\n";
    if (l.kind != ONEDNN_ELEMENTWISE && (fused_sum || l.activation != ONEDNN_NONE)) {
      constexpr const char* kActivations[] = {"NONE", "RELU", "CLIP"};
      out.calls +=
          attempt(std::string("onednn_attributes(&attr, ") + (fused_sum ? "&second" : "NULL") + ", ONEDNN_" +
                  kActivations[l.activation] + ", " + byoc::c_float(l.low) + ", " + byoc::c_float(l.high) + ")");
    }
    out.calls += attempt(std::string("onednn_create(layer, context, &op, attr, ") +
                         (l.weights != kNoValue ? "&wanted" : "NULL") + ")");
    out.argument("DNNL_ARG_SRC", "x");
    if (op.second != kNoTensor)
      out.argument(fused_sum ? "DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1" : "DNNL_ARG_SRC_1", "second");
    out.argument("DNNL_ARG_DST", "y");
    pass_constants(op, weights_at, symbols, out);
  }
  return "static dnnl_status_t " + name + "(onednn_context_t *context, onednn_layer_t *layer, uint8_t *instance) {\n" +
         out.declarations + "  (void)instance;\n" + out.calls + "  return dnnl_success;\n}\n";
}

std::string comment(const Region& region, const Operation& op) {
  std::string text = op.layer.kind == ONEDNN_REORDER ? "another layout of " + region.values[op.layer.output].name : "";
  for (const NodeId n : op.layer.nodes)
    text += (text.empty() ? "" : ", ") + region.nodes[n].op + " '" + region.nodes[n].name + "'";
  return "\n/* " + byoc::c_comment(text) + " */\n";
}

// The values of one region as operands of steps.
class Operands {
 public:
  Operands(const Region& region, const Network& network, Host& host) : network_(network) {
    std::vector<bool> told(region.values.size(), false);
    for (const Tensor& t : network.tensors)
      if (t.place != ONEDNN_WORKSPACE) told[t.value] = true;  // it is at the border
    for (std::size_t i = 0; i < network.tensors.size(); ++i) {
      const Tensor& t = network.tensors[i];
      if (t.place != ONEDNN_WORKSPACE) continue;
      own_[i] = host.private_value({t.bytes, static_cast<std::uint32_t>(kAlign), {}});
      if (told[t.value]) continue;
      told[t.value] = true;
      host.stored_privately(region, t.value, {own_[i], 0, strides(region.values[t.value], t.channels_last)});
    }
  }
  [[nodiscard]] byoc::codegen::Operand operator[](std::size_t tensor) const {
    const auto own = own_.find(tensor);
    if (own == own_.end()) return {network_.tensors[tensor].value};
    return {kNoValue, own->second};
  }

 private:
  static Dims strides(const Value& v, bool channels_last) {
    Dims out(v.dims.size(), sizeof(float));
    for (std::size_t i = out.size(); i-- > 1;) out[i - 1] = out[i] * v.dims[i];
    if (channels_last) {
      out[1] = sizeof(float);
      out[3] = out[1] * v.dims[1];
      out[2] = out[3] * v.dims[3];
    }
    return out;
  }

  const Network& network_;
  std::map<std::size_t, std::uint32_t> own_;
};

}  // namespace

void emit_source(const Request& request, Host& host, const std::vector<Network>& networks) {
  const Instance instance(networks);
  std::string text = instance.c_type();
  std::string open;
  std::string functions;
  for (std::size_t r = 0; r < networks.size(); ++r) {
    const Region& region = request.regions[r];
    const Operands operands(region, networks[r], host);
    for (std::size_t i = 0; i < networks[r].operations.size(); ++i) {
      const Operation& op = networks[r].operations[i];
      const std::string index = std::to_string(instance.first_layer(r) + i);
      std::vector<std::string> symbols;
      for (const Constant& c : op.constants) symbols.push_back(constant(host, region, c));
      text += comment(region, op) + opening(op, "open_" + index, instance.weights_at(r, i), symbols);
      open += attempt("open_" + index + "(&state->context, &state->layers[" + index + "], (uint8_t *)state)");

      Step step;
      step.kernel = kernel_name(op);
      step.symbol = host.claim(step.kernel);
      step.nodes = op.layer.nodes;
      step.macs = op.layer.macs;
      step.uses_instance = true;
      step.inputs = {operands[op.input]};
      if (op.second != kNoTensor) step.inputs.push_back(operands[op.second]);
      step.outputs = {operands[op.output]};
      if (op.layer.kind == ONEDNN_ELEMENTWISE || op.layer.kind == ONEDNN_ADD) step.overlays = {{0, 0}};
      functions += '\n';
      functions +=
          byoc::c_prototype(region, step) +
          " {\n  state_t *const state = (state_t *)instance;\n  void *const data[] = {(void *)(uintptr_t)in0, " +
          (op.second != kNoTensor ? "(void *)(uintptr_t)in1, " : "") + "out0};\n  return onednn_run(&state->layers[" +
          index + "], &state->context, data, " + (op.second != kNoTensor ? "3" : "2") + ");\n}\n";
      host.step(region, step);
      tell_fused(host, region, op, op.layer.output);
    }
  }
  instance.hand_over(host, text, open);
  hand_over_source(request, host, "onednn", "onednn_layer.h", text + functions);
}

}  // namespace onednn
