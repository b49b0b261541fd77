// Fourier transforms, determinants, inverses and sums over named dims, by their definitions in double.
#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>

#include "tests/e2e/layers/onnx/families.hpp"
#include "tests/e2e/layers/onnx/floats.hpp"

namespace byoc::test {
namespace {

using enum TensorType;
using Complex = std::complex<double>;

Complex turn(std::int32_t k, std::int32_t t, std::int32_t length, bool inverse) {
  return std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi * (k * t % length) / length);
}

void add_dft(OnnxModel& model, Random& random) {
  Shape shape = random_shape(random, 2, 3, 6);
  const auto axis = static_cast<std::size_t>(random.between(0, std::ssize(shape) - 1));
  shape[axis] = random.pick({1, 4, 5, 8, 12});
  const bool is_complex = random.chance(50), inverse = random.chance(40),
             half = !is_complex && !inverse && random.chance(50);
  shape.push_back(is_complex ? 2 : 1);
  const TensorData x = floats(random, shape);
  const std::int32_t length = random.chance(50) ? shape[axis] : random.size(1, 10);
  shape.back() = 2;
  shape[axis] = half ? length / 2 + 1 : length;
  TensorData y = zeros(shape);
  for_each_index(shape, [&](const Index& i) {
    Complex sum = 0;
    for (std::int32_t t = 0; t < length; ++t) {
      Index from = i;
      from[axis] = t;
      from.back() = 0;
      const double real = at_or_zero(x, from);
      from.back() = 1;
      sum += Complex(real, is_complex ? at_or_zero(x, from) : 0) * turn(i[axis], t, length, inverse);
    }
    if (inverse) sum /= length;
    element(y, i) = static_cast<float>(i.back() == 0 ? sum.real() : sum.imag());
  });
  const auto number = [&](std::int64_t n) { return model.constant({INT64, {}, {}, {n}, {}}); };
  auto& node = model.node("DFT", {model.input(x), number(length), number(static_cast<std::int64_t>(axis))},
                          {model.output(y, kFloats)});
  set(node, "inverse", std::int64_t{inverse});
  set(node, "onesided", std::int64_t{half});
}

void add_stft(OnnxModel& model, Random& random) {
  const std::int32_t length = random.pick({3, 4, 6, 8}), step = random.size(1, 4), frames = random.size(1, 4);
  const TensorData x = floats(random, {random.size(1, 2), length + (frames - 1) * step + random.size(0, step - 1), 1});
  const TensorData window = floats(random, {length});
  TensorData y = zeros({x.shape[0], frames, length / 2 + 1, 2});
  for_each_index(y.shape, [&](const Index& i) {
    Complex sum = 0;
    for (std::int32_t t = 0; t < length; ++t)
      sum += at(x, {i[0], i[1] * step + t, 0}) * at(window, {t}) * turn(i[2], t, length, false);
    element(y, i) = static_cast<float>(i[3] == 0 ? sum.real() : sum.imag());
  });
  model.node("STFT", {model.input(x), model.constant({INT64, {}, {}, {step}, {}}), model.constant(window)},
             {model.output(y, kFloats)});
}

// Over all permutations.
double determinant(const std::vector<std::vector<double>>& m) {
  std::vector<std::size_t> order(m.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  double sum = 0;
  do {
    double product = 1;
    for (std::size_t i = 0; i < order.size(); ++i) {
      product *= m[i][order[i]];
      for (std::size_t j = i + 1; j < order.size(); ++j)
        if (order[j] < order[i]) product = -product;
    }
    sum += product;
  } while (std::next_permutation(order.begin(), order.end()));
  return sum;
}

void add_det(OnnxModel& model, Random& random) {
  const std::int32_t n = random.size(1, 5), count = random.size(1, 4);
  const TensorData x = floats(random, {count, n, n});
  TensorData y = zeros({count});
  for (std::int32_t k = 0; k < count; ++k) {
    std::vector<std::vector<double>> m(static_cast<std::size_t>(n));
    for (std::int32_t row = 0; row < n; ++row)
      for (std::int32_t column = 0; column < n; ++column)
        m[static_cast<std::size_t>(row)].push_back(at(x, {k, row, column}));
    element(y, {k}) = static_cast<float>(determinant(m));
  }
  model.node("Det", {model.input(x)}, {model.output(y, 5e-4)});  // elimination divides
}

// By cofactors. One element of each row outweighs the others, in columns that make pivots necessary.
void add_inverse(OnnxModel& model, Random& random) {
  const std::int32_t n = random.size(1, 5), count = random.size(1, 3), turn = random.size(0, n - 1);
  TensorData x = floats(random, {count, n, n});
  TensorData y = zeros({count, n, n});
  for (std::int32_t k = 0; k < count; ++k) {
    std::vector<std::vector<double>> m(static_cast<std::size_t>(n));
    for (std::int32_t row = 0; row < n; ++row) {
      element(x, {k, row, (row + turn) % n}) += 4.0F * static_cast<float>(n);
      for (std::int32_t column = 0; column < n; ++column)
        m[static_cast<std::size_t>(row)].push_back(at(x, {k, row, column}));
    }
    for (std::int32_t row = 0; row < n; ++row)
      for (std::int32_t column = 0; column < n; ++column) {
        auto minor = m;
        minor.erase(minor.begin() + column);
        for (auto& line : minor) line.erase(line.begin() + row);
        const double sign = (row + column) % 2 == 0 ? 1 : -1;
        element(y, {k, row, column}) = static_cast<float>(sign * determinant(minor) / determinant(m));
      }
  }
  model.node("Inverse", {model.input(x)}, {model.output(y, 5e-4)}).set_domain(kContributed);
}

Index picked(const std::string& letters, const std::map<char, std::int32_t>& at) {
  Index out;
  for (const char c : letters) out.push_back(at.at(c));
  return out;
}

void add_einsum(OnnxModel& model, Random& random) {
  struct Form {
    std::string a, b, y;
  };
  const Form form = random.pick<Form>({{"ij", "jk", "ik"},
                                       {"bij", "bjk", "bik"},
                                       {"ij", "kj", "jik"},
                                       {"ii", "i", ""},
                                       {"abc", "cb", "a"},
                                       {"i", "j", "ij"}});
  std::map<char, std::int32_t> lengths, position;
  std::string letters = form.y;
  for (const char c : form.a + form.b) {
    lengths.emplace(c, random.size(1, 5));
    if (letters.find(c) == std::string::npos) letters += c;
  }
  const TensorData a = floats(random, picked(form.a, lengths)), b = floats(random, picked(form.b, lengths));
  TensorData y = zeros(picked(form.y, lengths));
  std::vector<double> sums(y.elements());
  for_each_index(picked(letters, lengths), [&](const Index& i) {
    for (std::size_t k = 0; k < letters.size(); ++k) position[letters[k]] = i[k];
    sums[place(y.shape, picked(form.y, position))] += at(a, picked(form.a, position)) * at(b, picked(form.b, position));
  });
  for (std::size_t i = 0; i < sums.size(); ++i) y.floats[i] = static_cast<float>(sums[i]);
  const std::string equation = form.a + "," + form.b + "->" + form.y;
  set(model.node("Einsum", {model.input(a), model.input(b)}, {model.output(y, kFloats)}), "equation", equation.c_str());
}

}  // namespace

void make_onnx_transforms(OnnxModel& model, Random& random, std::size_t index) {
  struct Row {
    const char* op;
    void (*add)(OnnxModel&, Random&);
  };
  static constexpr Row kRows[] = {
      {"DFT", add_dft}, {"Det", add_det}, {"Einsum", add_einsum}, {"Inverse", add_inverse}, {"STFT", add_stft}};
  const Row& row = kRows[index % std::size(kRows)];
  model.add_text(row.op);
  row.add(model, random);
}

}  // namespace byoc::test
