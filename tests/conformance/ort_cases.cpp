#include "tests/conformance/ort_cases.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sdk/model/evaluate/element.hpp"

namespace byoc::test {
namespace {

struct Allowed {
  double rel = 0, abs = 0;
};

// The test's own numbers, or those that the cases state for each element type.
Allowed allowed(DType dtype, const OrtOutput& output) {
  Allowed usual;
  if (dtype == DType::f32 || dtype == DType::f64) usual = {1e-4, 1e-5};
  if (dtype == DType::f16) usual = {1e-3, 2.5e-3};
  if (dtype == DType::bf16) usual = {1e-2, 2e-2};
  return {output.rel.value_or(usual.rel), output.abs.value_or(usual.abs)};
}

// The elements as numbers; nothing for types that have none of their own (4 bits and less).
std::optional<std::vector<double>> numbers_of(const HostValue& v) {
  std::vector<double> out;
  const auto read = [&]<class T>() {
    for (std::size_t at = 0; at + sizeof(T) <= v.bytes.size(); at += sizeof(T)) {
      T element;
      std::memcpy(&element, v.bytes.data() + at, sizeof(T));
      out.push_back(static_cast<double>(evaluate::widen(element)));
    }
  };
  if (element_row(v.dtype).bits < 8 || !evaluate::dispatch(v.dtype, read)) return std::nullopt;
  return out;
}

bool same(double expected, double found, Allowed a) {
  if (expected == found || (std::isnan(expected) && std::isnan(found))) return true;
  return std::abs(expected - found) <= a.abs + a.rel * std::abs(expected);
}

std::string dims_text(const std::vector<std::int64_t>& dims) {
  std::string out;
  for (const std::int64_t d : dims) out += (out.empty() ? "" : ",") + std::to_string(d);
  return "[" + out + "]";
}

std::string difference(HostValue expected, HostValue found, const OrtOutput& output) {
  if (expected.kind != found.kind || expected.dtype != found.dtype) return "has another type";
  if (expected.dims != found.dims) return "is " + dims_text(found.dims) + ", expected " + dims_text(expected.dims);
  if (expected.items.size() != found.items.size()) return "has another number of items";
  for (std::size_t i = 0; i < found.items.size(); ++i)
    if (const std::string inside = difference(expected.items[i], found.items[i], output); !inside.empty())
      return "item " + std::to_string(i) + " " + inside;
  if (output.sorted) std::sort(expected.texts.begin(), expected.texts.end());
  if (output.sorted) std::sort(found.texts.begin(), found.texts.end());
  if (expected.texts != found.texts) return "has other strings";
  auto e = numbers_of(expected), f = numbers_of(found);
  if (!e || !f) return expected.bytes == found.bytes ? "" : "has other elements";
  if (output.sorted) std::sort(e->begin(), e->end());
  if (output.sorted) std::sort(f->begin(), f->end());
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = 0; i < e->size(); ++i)
    if (!same((*e)[i], (*f)[i], allowed(found.dtype, output)) && wrong++ == 0) first = i;
  if (wrong == 0) return "";
  return "differs in " + std::to_string(wrong) + " of " + std::to_string(e->size()) + " elements, first " +
         std::to_string(first) + ": found " + std::to_string((*f)[first]) + ", expected " + std::to_string((*e)[first]);
}

OrtCase read_case(const OnnxCase& files) {
  std::ifstream in(files.path + "/case.json");
  const nlohmann::json j = nlohmann::json::parse(in);
  const std::string domain = j["domain"];
  OrtCase out{files, (domain.empty() ? "" : domain + ".") + j["op"].get<std::string>(), j["fail"], j["verify"], {},
              false};
  for (const char* list : {"inputs", "outputs"})
    for (const auto& value : j[list]) out.optionals = out.optionals || value["opt"] != 0;
  for (const auto& output : j["outputs"]) {
    if (output["has"] == 0 && output["opt"] == 0) continue;
    OrtOutput& o = out.outputs.emplace_back();
    o.sorted = output["sort"] != 0;
    if (!output["rel"].is_null()) o.rel = output["rel"];
    if (!output["abs"].is_null()) o.abs = output["abs"];
  }
  return out;
}

}  // namespace

std::vector<OrtCase> ort_cases_in(const std::string& root) {
  std::vector<OrtCase> out;
  for (const OnnxCase& files : onnx_cases_in(root, "ort")) out.push_back(read_case(files));
  return out;
}

Result<HostValue> read_case_value(const std::string& path, const ValueInfo& stated, bool holds_sequence,
                                  Diagnostics& diags) {
  if (stated.kind != HostValue::Kind::optional) return read_value(path, stated, diags);
  HostValue out{.kind = HostValue::Kind::optional, .dtype = stated.dtype};
  if (!std::filesystem::exists(path)) return out;
  const auto kind = holds_sequence ? HostValue::Kind::sequence : HostValue::Kind::tensor;
  auto held = read_value(path, {.kind = kind, .dtype = stated.dtype}, diags);
  if (!held) return failure;
  out.items.push_back(std::move(*held));
  return out;
}

std::string compare_outputs(const OrtCase& one, const std::vector<HostValue>& found) {
  if (!one.verified) return "";
  if (found.size() != one.outputs.size())
    return std::to_string(found.size()) + " outputs, expected " + std::to_string(one.outputs.size());
  for (std::size_t o = 0; o < found.size(); ++o) {
    Diagnostics diags;
    const std::string path = one.files.path + "/test_data_set_0/output_" + std::to_string(o) + ".pb";
    const bool holds_sequence = !found[o].items.empty() && found[o].items[0].kind == HostValue::Kind::sequence;
    const auto expected =
        read_case_value(path, {.kind = found[o].kind, .dtype = found[o].dtype}, holds_sequence, diags);
    const std::string why = expected              ? difference(*expected, found[o], one.outputs[o])
                            : diags.all().empty() ? "cannot be read"
                                                  : to_string(diags.all()[0]);
    if (!why.empty()) return "output " + std::to_string(o) + " " + why;
  }
  return "";
}

}  // namespace byoc::test
