// The official ONNX operator cases (Debian: libonnx-testdata) through importer, prepare and evaluator: every case whose
// operators we read must give the expected outputs. Cases that the importer refuses are counted, not run; the numbers
// at the end say how many must pass, so that none can fall out silently.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>

#include "sdk/evaluate/element.hpp"
#include "sdk/evaluate/evaluate.hpp"
#include "sdk/import/import.hpp"
#include "sdk/prepare/prepare.hpp"
#include "tests/support/tensor_pb.hpp"

namespace byoc::test {
namespace {

namespace fs = std::filesystem;
using evaluate::Tensor;

constexpr char kCases[] = "/usr/share/libonnx-testdata/data/node";

// Cases whose files are wrong, with how.
const std::map<std::string, std::string> kBroken = {
    {"test_cast_FLOAT_to_BFLOAT16", "made by cutting bits off; the operator rounds to nearest even"},
    {"test_castlike_BFLOAT16_to_FLOAT_expanded", "input_1.pb is float[1], the model states float[3,4]"},
    {"test_castlike_FLOAT_to_BFLOAT16_expanded", "input_1.pb is uint16[1], the model states bfloat16[3,4]"},
};

std::string all_errors(const Diagnostics& diags) {
  std::string out;
  for (const Diagnostic& d : diags.all()) out += to_string(d) + "\n";
  return out;
}

std::vector<double> values_of(const Tensor& t) {
  std::vector<double> out;
  (void)evaluate::dispatch(t.type.dtype, [&]<class T>() {
    out.resize(t.bytes.size() / sizeof(T));
    for (std::size_t i = 0; i < out.size(); ++i) {
      T value;
      std::memcpy(&value, t.bytes.data() + i * sizeof(T), sizeof(T));
      out[i] = evaluate::widen(value);
    }
  });
  return out;
}

// What differs, or "". Integers must be equal; floats as the official runner has it: rtol 1e-3 with atol 1e-7.
std::string difference(const Tensor& found, const Tensor& expected) {
  if (found.type.dtype != expected.type.dtype || found.type.dims != expected.type.dims) return "another type";
  const std::vector<double> f = values_of(found);
  const std::vector<double> e = values_of(expected);
  const bool exact = !evaluate::is_float(found.type.dtype);
  for (std::size_t i = 0; i < e.size(); ++i) {
    const bool same = f[i] == e[i] || (std::isnan(f[i]) && std::isnan(e[i])) ||
                      (!exact && std::fabs(f[i] - e[i]) <= 1e-7 + 1e-3 * std::fabs(e[i]));
    if (!same)
      return "element " + std::to_string(i) + " is " + std::to_string(f[i]) + ", expected " + std::to_string(e[i]);
  }
  return "";
}

std::vector<Tensor> read_all(const fs::path& set, const std::string& stem, bool& readable) {
  std::vector<Tensor> out;
  for (int i = 0;; ++i) {
    const fs::path file = set / (stem + std::to_string(i) + ".pb");
    if (!fs::exists(file)) return out;
    auto tensor = read_tensor_pb(file.string());
    readable = readable && tensor;
    if (tensor) out.push_back(std::move(*tensor));
  }
}

// The data set was written with NumPy, which has no bfloat16: its files say uint16 where the model says bfloat16.
void restore_bfloat16(Tensor& tensor, DType wanted) {
  if (wanted == DType::bf16 && tensor.type.dtype == DType::u16) tensor.type.dtype = DType::bf16;
}

enum class Verdict { passed, refused, failed };

// A shape or an index that a case feeds at run time is bound as a constant: what we compile has static shapes.
void bind_shape_operands(ir::Graph& graph, std::vector<Tensor>& inputs) {
  std::vector<ir::ValueId> kept;
  std::vector<Tensor> rest;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    ir::Value& v = graph.values[graph.inputs[i]];
    const bool shape_like = v.type.dtype == DType::i64 || v.type.dtype == DType::boolean;
    const bool secondary = std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const ir::Node& n) {
      return std::find(n.inputs.begin() + (n.inputs.empty() || n.op == "ConstantOfShape" ? 0 : 1), n.inputs.end(),
                       graph.inputs[i]) != n.inputs.end();
    });
    if (shape_like && secondary && inputs[i].type.dtype == v.type.dtype) {
      v.constant.emplace();
      v.constant->bytes = inputs[i].bytes;
      v.type.dims = inputs[i].type.dims;
    } else {
      kept.push_back(graph.inputs[i]);
      rest.push_back(inputs[i]);
    }
  }
  graph.inputs = std::move(kept);
  inputs = std::move(rest);
}

Verdict run_case(const fs::path& folder, bool lift, std::string& text) {
  Diagnostics diags;
  Result<ir::Graph> graph = import_model((folder / "model.onnx").string(), diags);
  if (!graph) {
    text = all_errors(diags);
    return Verdict::refused;
  }
  bool readable = true;
  std::vector<Tensor> inputs = read_all(folder / "test_data_set_0", "input_", readable);
  std::vector<Tensor> expected = read_all(folder / "test_data_set_0", "output_", readable);
  if (!readable || inputs.size() != graph->inputs.size()) {
    text = "the case's tensors cannot be read";
    return readable ? Verdict::failed : Verdict::refused;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i)
    restore_bfloat16(inputs[i], graph->values[graph->inputs[i]].type.dtype);
  for (std::size_t i = 0; i < std::min(expected.size(), graph->outputs.size()); ++i)
    restore_bfloat16(expected[i], graph->values[graph->outputs[i]].type.dtype);
  bind_shape_operands(*graph, inputs);
  PrepareOptions options;
  options.lift = lift;
  // Open dims take the lengths of the inputs at hand.
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto& dims = graph->values[graph->inputs[i]].type.dims;
    for (std::size_t d = 0; dims && d < dims->size() && d < inputs[i].type.dims->size(); ++d)
      if (ir::is_open((*dims)[d]))
        options.dims[graph->symbols[static_cast<std::size_t>(-1 - (*dims)[d])]] = (*inputs[i].type.dims)[d];
  }
  if (!prepare(*graph, options, diags)) {
    text = "prepare: " + all_errors(diags);
    return Verdict::failed;
  }
  const auto outputs = evaluate::run(*graph, inputs, diags);
  if (!outputs) {
    text = "evaluate: " + all_errors(diags);
    return Verdict::failed;
  }
  for (std::size_t i = 0; i < expected.size() && i < outputs->size(); ++i)
    if (text = difference((*outputs)[i], expected[i]); !text.empty()) return Verdict::failed;
  text = outputs->size() == expected.size() ? "" : "another number of outputs";
  return text.empty() ? Verdict::passed : Verdict::failed;
}

void run_all(bool lift, std::size_t least) {
  if (!fs::is_directory(kCases)) GTEST_SKIP() << "libonnx-testdata is not installed";
  std::set<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(kCases)) folders.insert(entry.path());
  std::size_t passed = 0, refused = 0;
  for (const fs::path& folder : folders) {
    if (kBroken.contains(folder.filename().string())) continue;
    std::string text;
    const Verdict verdict = run_case(folder, lift, text);
    passed += verdict == Verdict::passed ? 1 : 0;
    refused += verdict == Verdict::refused ? 1 : 0;
    if (std::getenv("BYOC_LIST_CASES") != nullptr && verdict != Verdict::failed)
      std::cout << folder.filename().string() << (verdict == Verdict::passed ? ": passed\n" : ": refused: " + text);
    EXPECT_NE(verdict, Verdict::failed) << folder.filename().string() << ": " << text;
  }
  std::cout << passed << " of " << folders.size() << " cases pass, " << refused << " have operators that are refused\n";
  EXPECT_GE(passed, least);
}

TEST(OnnxOperators, lifted) { run_all(true, 305); }
TEST(OnnxOperators, literal) { run_all(false, 305); }

}  // namespace
}  // namespace byoc::test
