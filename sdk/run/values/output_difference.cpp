#include "sdk/run/values/output_difference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sdk/run/values/numbers.hpp"

namespace byoc {
namespace {

std::string number_text(const char* format, double value) {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// Cosine of the angle between two vectors; 1 for two that are zero, 0 where one of them is.
double cosine(const IoTensor& t, const std::vector<double>& a, const std::vector<double>& b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = real_value(t, a[i]), y = real_value(t, b[i]);
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  if (aa == 0 || bb == 0) return aa == bb ? 1 : 0;
  return std::clamp(ab / (std::sqrt(aa) * std::sqrt(bb)), -1.0, 1.0);
}

double allowed(const IoTensor& t, const std::vector<double>& expected, const Bound& bound) {
  if (element_row(t.dtype).kind != ElementKind::real) return t.quantisation.scales.empty() ? 0 : bound.steps;
  double largest = 0;
  for (const double v : expected)
    if (std::isfinite(v)) largest = std::max(largest, std::fabs(v));
  return bound.relative * largest;
}

}  // namespace

OutputDifference difference_of(const IoTensor& output, std::span<const std::byte> found,
                               std::span<const std::byte> expected, const Bound& bound) {
  const std::vector<double> a = numbers_of(output, found), b = numbers_of(output, expected);
  OutputDifference out;
  out.name = output.name;
  out.elements = a.size();
  if (has_scale(output)) out.step = static_cast<double>(output.quantisation.scales[0]);
  const double most = allowed(output, b, bound);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    ++out.mismatches;
    const double error = std::fabs(a[i] - b[i]);
    if (!(error <= most)) ++out.beyond;
    if (std::isnan(error) || error > out.largest) out.largest = error;
  }
  out.cosine = cosine(output, a, b);
  return out;
}

std::string difference_text(const OutputDifference& d) {
  std::string out;
  if (d.mismatches == 0) {
    out = "all " + std::to_string(d.elements) + " values are equal";
  } else {
    out = std::to_string(d.mismatches) + " of " + std::to_string(d.elements) + " values differ, by " +
          number_text("%g", d.largest) + " at most";
    if (d.step != 0) out += " (" + number_text("%g", d.largest * d.step) + " as real values)";
  }
  return out + ", cosine " + number_text("%.6f", d.cosine);
}

std::string to_string(const OutputDifference& d, bool several_runs) {
  return "output " + d.name + (several_runs ? " of run " + std::to_string(d.run) : "") + ": " + difference_text(d);
}

}  // namespace byoc
