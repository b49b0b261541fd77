#include "tests/support/onnx_cases.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "sdk/model/evaluate/value.hpp"
#include "sdk/model/import/import.hpp"
#include "sdk/model/prepare/prepare.hpp"
#include "tests/support/counted_outputs.hpp"
#include "tests/support/tensor_pb.hpp"
#include "tests/support/tensors.hpp"

namespace byoc::test {
namespace {

namespace fs = std::filesystem;
using evaluate::Tensor;

constexpr const char* kRoot = "/usr/share/libonnx-testdata/data";

// Operands that say a shape, an axis or a count: positions by operator.
const std::map<std::string, std::set<std::size_t>, std::less<>>& shape_operands() {
  static const std::map<std::string, std::set<std::size_t>, std::less<>> table = {
      {"AffineGrid", {1}},
      {"BlackmanWindow", {0}},
      {"CenterCropPad", {1}},
      {"Col2Im", {1, 2}},
      {"ConstantOfShape", {0}},
      {"CumSum", {1}},
      {"DFT", {1, 2}},
      {"Dropout", {1, 2}},
      {"Expand", {1}},
      {"HammingWindow", {0}},
      {"HannWindow", {0}},
      {"MelWeightMatrix", {0, 1, 2, 3, 4}},
      {"Loop", {0, 1}},
      {"OneHot", {1}},
      {"Pad", {1, 3}},
      {"Range", {0, 1, 2}},
      {"ReduceL1", {1}},
      {"ReduceL2", {1}},
      {"ReduceLogSum", {1}},
      {"ReduceLogSumExp", {1}},
      {"ReduceMax", {1}},
      {"ReduceMean", {1}},
      {"ReduceMin", {1}},
      {"ReduceProd", {1}},
      {"ReduceSum", {1}},
      {"ReduceSumSquare", {1}},
      {"Reshape", {1}},
      {"Resize", {1, 2, 3}},
      {"STFT", {1, 3}},
      {"Slice", {1, 2, 3, 4}},
      {"Split", {1}},
      {"SplitToSequence", {1}},
      {"Squeeze", {1}},
      {"Tile", {1}},
      {"TopK", {1}},
      {"Trilu", {1}},
      {"Unsqueeze", {1}},
      {"Upsample", {1}},
  };
  return table;
}

// Whether some node reads `v` as an operand that `Bind` makes a constant.
bool is_bound(const ir::Graph& graph, ir::ValueId v, Bind bind) {
  if (bind == Bind::none) return false;
  for (const ir::Node& n : graph.nodes) {
    const auto positions = shape_operands().find(n.op);
    for (std::size_t i = 0; i < n.inputs.size(); ++i) {
      if (n.inputs[i] != v) continue;
      if (positions != shape_operands().end() && positions->second.contains(i)) return true;
      if (bind == Bind::parameters && i > 0) return true;
      // A size that becomes a real number on its way to a shape.
      const ir::TensorType& type = graph.values[v].type;
      if (n.op == "Cast" && type.dims && type.dims->empty()) return true;
    }
  }
  return false;
}

void bind_operands(ir::Graph& graph, std::vector<Tensor>& inputs, Bind bind) {
  std::vector<ir::ValueId> kept;
  std::vector<Tensor> rest;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    ir::Value& v = graph.values[graph.inputs[i]];
    // The first input stays one unless it says a shape, or parameters alone would be left.
    const bool bound = v.type.is_tensor() && inputs[i].type.dtype == v.type.dtype &&
                       is_bound(graph, graph.inputs[i], i == 0 ? std::min(bind, Bind::shapes) : bind);
    if (bound) {
      v.constant.emplace();
      v.constant->bytes = *evaluate::constant_bytes(inputs[i]);
      v.type.dims = inputs[i].type.dims;
    } else {
      kept.push_back(graph.inputs[i]);
      rest.push_back(inputs[i]);
    }
  }
  graph.inputs = std::move(kept);
  inputs = std::move(rest);
}

std::string shape_text(const Tensor& t) {
  std::string out;
  for (const std::int64_t d : *t.type.dims) out += (out.empty() ? "" : ",") + std::to_string(d);
  return "[" + out + "]";
}

// Room for a value of the case: for one element more than it has; where operands that say a shape are constants, or
// where the elements differ, for exactly what it has. "" for what needs none.
std::string bound_of(const Tensor& t, Bind bind) {
  if (t.type.dtype == DType::string && t.type.is_tensor()) {
    std::size_t longest = 0;
    for (const std::string& text : *t.texts) longest = std::max(longest, text.size());
    return std::to_string(longest + (bind == Bind::none ? 3 : 0)) + "B";
  }
  if (t.type.is_tensor()) return "";
  if (t.type.container != ir::Container::sequence) {
    if (t.items->empty()) return "";
    const Tensor& inside = (*t.items)[0];
    return inside.type.is_tensor() && inside.type.dtype != DType::string ? shape_text(inside) : bound_of(inside, bind);
  }
  if (t.items->empty()) return "0";
  std::string all;
  bool same = true;
  for (const Tensor& item : *t.items) {
    all += (all.empty() ? "" : ",") + shape_text(item);
    same = same && item.type.dims == (*t.items)[0].type.dims;
  }
  return same && bind == Bind::none ? std::to_string(t.items->size() + 1) + shape_text((*t.items)[0]) : all;
}

// What an empty sequence or optional is of, its file does not say.
void complete(Tensor& t, const ir::TensorType& stated) {
  if (t.type.dtype != DType::undefined) return;
  t.type.dtype = stated.dtype;
  if (t.items->empty()) return;
  std::vector<Tensor> items = *t.items;
  for (Tensor& item : items) item.type.dtype = stated.dtype;
  t.items = std::make_shared<const std::vector<Tensor>>(std::move(items));
}

bool read_all(const std::string& set, const std::string& stem, const ir::Graph& graph,
              const std::vector<ir::ValueId>& ids, std::vector<Tensor>& out) {
  for (std::size_t i = 0;; ++i) {
    const std::string file = set + "/" + stem + std::to_string(i) + ".pb";
    if (!fs::exists(file)) return true;
    const ir::TensorType stated = i < ids.size() ? graph.values[ids[i]].type : ir::TensorType{};
    auto value = read_value_pb(file, stated.container);
    if (!value) return false;
    complete(*value, stated);
    out.push_back(std::move(*value));
  }
}

// The data set was written with NumPy, which has no bfloat16: its files say uint16 where the model says bfloat16.
void restore_bfloat16(std::vector<Tensor>& tensors, const ir::Graph& graph, const std::vector<ir::ValueId>& ids) {
  for (std::size_t i = 0; i < std::min(tensors.size(), ids.size()); ++i)
    if (graph.values[ids[i]].type.dtype == DType::bf16 && tensors[i].type.dtype == DType::u16)
      tensors[i].type.dtype = DType::bf16;
}

}  // namespace

std::vector<OnnxCase> onnx_cases_in(const std::string& root, const std::string& group) {
  std::vector<OnnxCase> out;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(root, ignored))
    if (fs::exists(entry.path() / "model.onnx"))
      out.push_back({group + "/" + entry.path().filename().string(), entry.path().string()});
  std::sort(out.begin(), out.end(), [](const OnnxCase& a, const OnnxCase& b) { return a.name < b.name; });
  return out;
}

std::vector<OnnxCase> onnx_cases() {
  std::vector<OnnxCase> out;
  for (const char* group : {"node", "pytorch-converted", "pytorch-operator", "simple"}) {
    const auto cases = onnx_cases_in(std::string(kRoot) + "/" + group, group);
    out.insert(out.end(), cases.begin(), cases.end());
  }
  return out;
}

std::vector<std::string> data_sets(const OnnxCase& c) {
  std::vector<std::string> out;
  for (int i = 0; fs::exists(c.path + "/test_data_set_" + std::to_string(i)); ++i)
    out.push_back(c.path + "/test_data_set_" + std::to_string(i));
  return out;
}

Result<LoadedCase> load_case(const OnnxCase& c, const std::string& data_set, Bind bind, bool lift, std::string& problem,
                             bool& refused, bool open_types) {
  Diagnostics diags;
  refused = false;
  Result<ir::Graph> graph = import_model(c.path + "/model.onnx", diags);
  if (!graph) {
    refused = true;
    problem = error_text(diags);
    return failure;
  }
  LoadedCase out;
  if (!read_all(data_set, "input_", *graph, graph->inputs, out.inputs) ||
      !read_all(data_set, "output_", *graph, graph->outputs, out.expected)) {
    refused = true;
    problem = "the case's tensors have an element type that is not supported";
    return failure;
  }
  if (out.inputs.size() != graph->inputs.size()) {
    problem = std::to_string(out.inputs.size()) + " input files, the model has " +
              std::to_string(graph->inputs.size()) + " inputs";
    return failure;
  }
  restore_bfloat16(out.inputs, *graph, graph->inputs);
  restore_bfloat16(out.expected, *graph, graph->outputs);
  bind_operands(*graph, out.inputs, bind);
  PrepareOptions options;
  options.lift = lift;
  options.open_types = open_types;
  // Unknown shapes and open dims are those of the inputs at hand.
  for (std::size_t i = 0; i < out.inputs.size(); ++i)
    if (ir::TensorType& type = graph->values[graph->inputs[i]].type; type.is_tensor() && !type.dims)
      type.dims = out.inputs[i].type.dims;
  for (std::size_t i = 0; i < out.inputs.size(); ++i)
    if (const std::string bound = bound_of(out.inputs[i], bind); !bound.empty() && !open_types)
      options.bounds[graph->values[graph->inputs[i]].name] = bound;
    else if (graph->values[graph->inputs[i]].type.container == ir::Container::optional && !open_types &&
             !graph->values[graph->inputs[i]].type.dims)
      options.bounds[graph->values[graph->inputs[i]].name] = "[1]";  // it holds nothing, whatever its shape
  for (std::size_t i = 0; i < out.inputs.size(); ++i) {
    const auto& dims = graph->values[graph->inputs[i]].type.dims;
    if (!out.inputs[i].type.is_tensor()) continue;
    for (std::size_t d = 0; dims && d < dims->size() && d < out.inputs[i].type.dims->size(); ++d)
      if (ir::is_open((*dims)[d]))
        options.dims[graph->symbols[static_cast<std::size_t>(-1 - (*dims)[d])]] = (*out.inputs[i].type.dims)[d];
  }
  if (!prepare(*graph, options, diags)) {
    refused = true;
    problem = error_text(diags);
    return failure;
  }
  if (problem = with_room(*graph, out.inputs); !problem.empty()) return failure;
  for (std::size_t i = 0; i < out.inputs.size(); ++i) {
    const ir::TensorType& stated = graph->values[graph->inputs[i]].type;
    if (evaluate::fits(stated, out.inputs[i])) continue;
    problem = "input " + std::to_string(i) + " is " + type_text(out.inputs[i].type) + ", the model states " +
              to_string(stated, *graph);
    return failure;
  }
  out.graph = std::move(*graph);
  return out;
}

}  // namespace byoc::test
