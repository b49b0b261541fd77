// Einsum: products over all operands, summed over the labels that the output does not name. Labels may repeat within an
// operand (a diagonal), an ellipsis stands for dims that broadcast, and without an output the labels that appear once
// make it, in the order of the alphabet.
#include <algorithm>
#include <map>

#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/numbers.hpp"

namespace byoc::evaluate {
namespace {

// A label: a letter, or '0' + i for dim i of the ellipsis, counted from its end.
using Labels = std::vector<int>;
constexpr int kEllipsis = 1000;

struct Equation {
  std::vector<Labels> inputs;
  Labels output, summed;
  std::map<int, std::int64_t> lengths;
};

// The labels of one term; `dots` dims stand for the ellipsis. Error: a character that is no letter.
Result<Labels> read_term(const Call& call, const std::string& term, std::size_t dots, bool& has_dots) {
  Labels out;
  has_dots = false;
  for (std::size_t i = 0; i < term.size(); ++i) {
    const char c = term[i];
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      out.push_back(c);
    } else if (term.compare(i, 3, "...") == 0 && !has_dots) {
      has_dots = true;
      for (std::size_t d = dots; d-- > 0;) out.push_back(kEllipsis + static_cast<int>(d));
      i += 2;
    } else {
      return call.error("the equation is not well formed", call.node.text("equation", ""));
    }
  }
  return out;
}

std::vector<std::string> split_at(const std::string& text, char at) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == at)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

std::size_t letters_in(const std::string& term) {
  return static_cast<std::size_t>(std::count_if(term.begin(), term.end(), [](char c) { return c != '.'; }));
}

// Fits one operand's labels to its dims; an ellipsis broadcasts.
Result<void> take_lengths(const Call& call, std::size_t operand, Equation& e) {
  const Dims& dims = *call.in(operand).type.dims;
  const Labels& labels = e.inputs[operand];
  if (labels.size() != dims.size())
    return call.error("the equation does not fit input " + std::to_string(operand), describe(call.in(operand)),
                      call.node.text("equation", ""));
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const auto [at, is_new] = e.lengths.emplace(labels[d], dims[d]);
    if (is_new || at->second == dims[d] || dims[d] == 1) continue;
    if (at->second != 1)
      return call.error("a label has two lengths", std::to_string(at->second) + " and " + std::to_string(dims[d]) +
                                                       " in input " + std::to_string(operand));
    at->second = dims[d];
  }
  return {};
}

Result<Equation> read_equation(const Call& call) {
  std::string text = call.node.text("equation", "");
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const std::size_t arrow = text.find("->");
  const auto terms = split_at(text.substr(0, arrow), ',');
  if (terms.size() != call.count())
    return call.error("the equation has another number of terms than there are inputs", std::to_string(terms.size()),
                      std::to_string(call.count()));
  Equation e;
  std::size_t dots = 0;
  std::map<int, int> seen;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (call.find(i) == nullptr) return call.error("input " + std::to_string(i) + " is missing");
    const std::size_t rank = call.in(i).type.dims->size(), letters = letters_in(terms[i]);
    const std::size_t own = rank > letters ? rank - letters : 0;
    bool has_dots = false;
    const Result<Labels> labels = read_term(call, terms[i], own, has_dots);
    if (!labels) return failure;
    if (has_dots) dots = std::max(dots, own);
    e.inputs.push_back(*labels);
    if (!take_lengths(call, i, e)) return failure;
    for (const int l : *labels) ++seen[l];
  }
  bool has_dots = false;
  if (arrow != std::string::npos) {
    const Result<Labels> output = read_term(call, text.substr(arrow + 2), dots, has_dots);
    if (!output) return failure;
    e.output = *output;
  } else {
    for (std::size_t d = dots; d-- > 0;) e.output.push_back(kEllipsis + static_cast<int>(d));
    for (const auto& [label, count] : seen)
      if (label < kEllipsis && count == 1) e.output.push_back(label);
  }
  Labels sorted = e.output;
  std::sort(sorted.begin(), sorted.end());
  bool fits = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  for (const int l : e.output) fits = fits && seen.contains(l);
  if (!fits) return call.error("the output's labels repeat or are in no input", text);
  for (const Labels& labels : e.inputs)
    for (const int l : labels)
      if (std::find(e.output.begin(), e.output.end(), l) == e.output.end() &&
          std::find(e.summed.begin(), e.summed.end(), l) == e.summed.end())
        e.summed.push_back(l);
  return e;
}

// Strides of an operand over `labels`; what repeats adds up, what has length 1 stands still.
Dims strides_over(const Call& call, std::size_t operand, const Equation& e, const Labels& labels) {
  const Dims& dims = *call.in(operand).type.dims;
  const Dims own = row_major_strides(dims);
  Dims out(labels.size(), 0);
  for (std::size_t d = 0; d < dims.size(); ++d)
    for (std::size_t l = 0; l < labels.size(); ++l)
      if (labels[l] == e.inputs[operand][d] && dims[d] != 1) out[l] += own[d];
  return out;
}

Dims lengths_of(const Equation& e, const Labels& labels) {
  Dims out;
  for (const int l : labels) out.push_back(e.lengths.at(l));
  return out;
}

}  // namespace

Outcome einsum(const Call& call) {
  const DType dtype = call.in(0).type.dtype;
  const Result<Equation> e = read_equation(call);
  if (!e) return failure;
  for (std::size_t i = 0; i < call.count(); ++i) {
    if (!call.same_dtype(0, i)) return failure;
    if (call.quantisation_of(i) != nullptr) return call.error("does not multiply quantised values");
  }
  if (!is_float(dtype) && !is_integer(dtype)) return call.unsupported_dtype(0, "a number");
  const Dims dims = lengths_of(*e, e->output), inner = lengths_of(*e, e->summed);
  const std::optional<std::int64_t> terms = product(inner);
  Result<Buffer> checked = call.allocate(dtype, dims);
  if (!checked) return failure;
  if (!terms || *terms > std::int64_t{1} << 31) return call.error("sums too many products");
  return with_number_type(dtype, [&]<class R>() -> Outcome {
    std::vector<std::vector<R>> x;
    std::vector<Dims> over_output, over_summed;
    for (std::size_t i = 0; i < call.count(); ++i) {
      x.push_back(numbers<R>(call.in(i)));
      over_output.push_back(strides_over(call, i, *e, e->output));
      over_summed.push_back(strides_over(call, i, *e, e->summed));
    }
    const Dims to = row_major_strides(dims), in = row_major_strides(inner);
    std::vector<R> y;
    for (std::int64_t o = 0; o < checked->type.elements(); ++o) {
      R sum{0};
      for (std::int64_t s = 0; s < *terms; ++s) {
        R term{1};
        for (std::size_t i = 0; i < x.size(); ++i) {
          std::int64_t at = 0;
          for (std::size_t d = 0; d < dims.size(); ++d) at += o / to[d] % dims[d] * over_output[i][d];
          for (std::size_t d = 0; d < inner.size(); ++d) at += s / in[d] % inner[d] * over_summed[i][d];
          term *= x[i][static_cast<std::size_t>(at)];
        }
        sum += term;
      }
      y.push_back(sum);
    }
    return from_numbers(call, dtype, dims, y);
  });
}

}  // namespace byoc::evaluate
