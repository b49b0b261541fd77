#include "sdk/model/evaluate/text_effort.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace byoc::evaluate {
namespace {

constexpr double kObject = sizeof(std::string);

struct Texts {
  double count = 0, bytes = 0, longest = 0;
  void add(std::size_t size) {
    ++count;
    bytes += static_cast<double>(size);
    longest = std::max(longest, static_cast<double>(size));
  }
};

Texts texts_of(const Tensor* t) {
  Texts out;
  if (t == nullptr || t->type.dtype != DType::string) return out;
  if (t->texts) {
    for (const std::string& s : *t->texts) out.add(s.size());
    return out;
  }
  const auto packed = t->bytes.bytes();
  for (std::size_t at = 0; at + 4 <= packed.size();) {
    std::uint32_t size = 0;
    std::memcpy(&size, packed.data() + at, 4);
    out.add(size);
    at += 4 + std::size_t{size};
  }
  return out;
}

double broadcast_elements(std::vector<std::int64_t> a, const std::vector<std::int64_t>& b) {
  if (a.size() < b.size()) a.insert(a.begin(), b.size() - a.size(), 1);
  double n = 1;
  for (std::size_t d = 0; d < a.size(); ++d) {
    const std::size_t before = a.size() - b.size();
    n *= static_cast<double>(d < before ? a[d] : std::max(a[d], b[d - before]));
  }
  return n;
}

// Strings that a node makes of whose result the graph does not say how many it has.
double results_of(const NodeSizes& node, const Texts& all) {
  const ir::TensorType *x = node.type(0), *y = node.type(1);
  if (x == nullptr) return all.count;
  if (node.node.is("", "Expand")) return broadcast_elements(*x->dims, node.numbers(1));
  if (node.node.is("", "StringConcat") && y != nullptr) return broadcast_elements(*x->dims, *y->dims);
  if (node.node.is("ai.onnx.ml", "LabelEncoder")) return node.elements(0);
  if (node.node.is("", "Gather")) return node.elements(0) * node.elements(1);
  if (node.node.is("", "Where") && y != nullptr)
    return broadcast_elements(*x->dims, *y->dims) * std::max(1.0, node.elements(2));
  double n = node.elements(0);
  if (node.node.is("", "Tile"))
    for (const std::int64_t times : node.numbers(1)) n *= static_cast<double>(times);
  return std::max(n, all.count);
}

double ratio(double results, double count) { return count == 0 ? 0 : results / count; }

// Broadcasting repeats each string equally often.
double of_joined(const NodeSizes& node, double results, const Texts&) {
  const Texts a = texts_of(node.given(0)), b = texts_of(node.given(1));
  return a.bytes * ratio(results, a.count) + b.bytes * ratio(results, b.count);
}

double of_repeated(const NodeSizes& node, double results, const Texts&) {
  const Texts x = texts_of(node.given(0));
  return x.bytes * ratio(results, x.count);
}

// Any element may be any of them.
double of_chosen(const NodeSizes&, double results, const Texts& all) { return results * all.longest; }

// Rows are filled up to the longest, each piece with an object of its own.
double of_pieces(const NodeSizes& node, double, const Texts& all) {
  const std::string delimiter = node.node.text("delimiter", "");
  const double least = std::max<double>(static_cast<double>(delimiter.size()), 1);
  return all.bytes + all.count * (all.longest / least + 3) * kObject;
}

// Letters may take more bytes in the other case.
double of_cases(const NodeSizes&, double, const Texts& all) { return 3 * all.bytes; }

struct TextRow {
  std::string_view domain, op;
  double (*bytes)(const NodeSizes&, double results, const Texts& all);
};
constexpr std::array<TextRow, 17> kTextRows{{{"", "CenterCropPad", of_chosen},
                                             {"", "Expand", of_repeated},
                                             {"", "Gather", of_chosen},
                                             {"", "GatherElements", of_chosen},
                                             {"", "GatherND", of_chosen},
                                             {"", "OneHot", of_chosen},
                                             {"", "Pad", of_chosen},
                                             {"", "ScatterElements", of_chosen},
                                             {"", "ScatterND", of_chosen},
                                             {"", "StringConcat", of_joined},
                                             {"", "StringNormalizer", of_cases},
                                             {"", "StringSplit", of_pieces},
                                             {"", "Tile", of_repeated},
                                             {"", "Where", of_chosen},
                                             {"ai.onnx.ml", "LabelEncoder", of_chosen},
                                             {"byoc", "Tokenizer", of_pieces},
                                             {"byoc", "TextSplit", of_pieces}}};

}  // namespace

Effort text_effort(const NodeSizes& node) {
  Texts all;
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    const Texts one = texts_of(node.given(i));
    all.count += one.count;
    all.bytes += one.bytes;
    all.longest = std::max(all.longest, one.longest);
  }
  const ir::ValueId y = node.node.outputs.empty() ? ir::kNoValue : node.node.outputs[0];
  const bool makes = y != ir::kNoValue && (node.graph.values[y].type.dtype == DType::string ||
                                           node.graph.values[y].type.dtype == DType::undefined);
  if (all.count == 0 && (!makes || node.graph.values[y].type.dtype == DType::undefined)) return {};
  const double results = node.results() != 0 ? node.results() : results_of(node, all);
  double bytes = all.bytes;
  for (const TextRow& row : kTextRows)
    if (node.node.is(row.domain, row.op)) bytes = row.bytes(node, results, all);
  Effort out;
  out.text_bytes = makes || y == ir::kNoValue ? bytes + kObject * results : 0;
  out.bytes = out.text_bytes + all.bytes + kObject * all.count;
  constexpr double kByte = 1, kText = 64;  // comparisons and allocations
  out.operations = kByte * (out.text_bytes + all.bytes) + kText * (all.count + results);
  return out;
}

}  // namespace byoc::evaluate
