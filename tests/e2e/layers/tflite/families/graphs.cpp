// Graphs that are unusual but right: what is input, output, constant and intermediate at once.
#include <algorithm>

#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/places.hpp"

namespace byoc::test {
namespace {

using Code = BuiltinOperator;

TensorData random_x(Random& random) {
  return movable_data(random, TensorType::INT8, {random.size(1, 4), random.size(1, 6)});
}

TensorData relu_of(TensorData x) {
  for (std::int64_t& v : x.ints) v = std::max(v, x.zero_point());
  return x;
}

TensorData reshaped(TensorData x) {
  x.shape = {static_cast<std::int32_t>(x.elements())};
  return x;
}

void reshape(TfliteModel& model, std::int32_t from, std::int32_t to, const Shape& shape) {
  model.add(Code::RESHAPE, {from, integers(model, shape)}, {to}, schema::ReshapeOptionsT());
}

// An input that is an output, and read.
void input_as_output(TfliteModel& model, Random& random) {
  const TensorData x = random_x(random);
  const auto in = model.input(x);
  model.give(in, x);
  model.add(Code::RELU, {in}, {model.output(relu_of(x))});
}

// An output twice, once more as a view, and read by another operator.
void repeated_output(TfliteModel& model, Random& random) {
  const TensorData x = random_x(random), y = relu_of(x);
  const auto in = model.input(x), out = model.output(y);
  model.add(Code::RELU, {in}, {out});
  model.give(out, y);
  reshape(model, out, model.output(reshaped(y)), reshaped(y).shape);
  TensorData both = y;
  both.shape[0] *= 2;
  both.ints.insert(both.ints.end(), y.ints.begin(), y.ints.end());
  schema::ConcatenationOptionsT options;
  model.add(Code::CONCATENATION, {out, out}, {model.output(both)}, options);
}

// Views of an input and of a view, all of them outputs.
void views(TfliteModel& model, Random& random) {
  const TensorData x = random_x(random), flat = reshaped(x);
  const auto in = model.input(x), first = model.output(flat);
  reshape(model, in, first, flat.shape);
  TensorData tall = flat;
  tall.shape.push_back(1);
  reshape(model, first, model.output(tall), tall.shape);
}

// Constants that are outputs, share a buffer under two types of shape, and are read.
void constants(TfliteModel& model, Random& random) {
  const TensorData x = random_x(random), flat = reshaped(x);
  const auto constant = model.constant(x), same = model.constant(flat);
  auto& writer = model.writer;
  writer.tensor(static_cast<std::size_t>(same)).buffer = writer.tensor(static_cast<std::size_t>(constant)).buffer;
  model.give(constant, x);
  model.give(same, flat);
  model.add(Code::RELU, {constant}, {model.output(relu_of(x))});
  model.add(Code::RELU, {same}, {model.output(relu_of(flat))});
}

// Inputs that nobody reads, but for their shape.
void unused_input(TfliteModel& model, Random& random) {
  const TensorData x = random_x(random);
  const auto in = model.input(x);
  (void)model.input(random_x(random));
  schema::ShapeOptionsT options;
  options.out_type = TensorType::INT32;
  model.add(Code::SHAPE, {in}, {model.output({TensorType::INT32, {2}, {}, {x.shape[0], x.shape[1]}, {}})}, options);
}

// No names, and one name for all.
void names(TfliteModel& model, Random& random) {
  const TensorData x = random_x(random);
  const auto in = model.input(x), between = model.between(x.type, x.shape, x.q), out = model.output(relu_of(x));
  model.add(Code::RELU, {in}, {between});
  model.add(Code::RELU, {between}, {out});
  const std::string name = random.pick({"", "t", "int", "*/ \"\\\n"});
  for (const auto t : {in, between, out}) model.writer.tensor(static_cast<std::size_t>(t)).name = name;
}

// Results that nobody reads beside one that is read.
void unread_results(TfliteModel& model, Random& random) {
  TensorData x = movable_data(random, TensorType::INT8, {3, random.size(1, 5)});
  const Shape row = {x.shape[1]};
  const TensorData y = moved(x, row, [](const Index& i) { return Index{1, i[0]}; });
  schema::UnpackOptionsT options;
  options.num = 3;
  model.add(Code::UNPACK, {model.input(x)},
            {model.between(x.type, row, x.q), model.output(y), model.between(x.type, row, x.q)}, options);
}

// The shape of one tensor, computed in the graph, shapes another.
void computed_shape(TfliteModel& model, Random& random) {
  const TensorData x = random_x(random), flat = reshaped(x);
  const auto in = model.input(flat), like = model.input(x);
  const auto shape = model.between(TensorType::INT32, {2});
  schema::ShapeOptionsT options;
  options.out_type = TensorType::INT32;
  model.add(Code::SHAPE, {like}, {shape}, options);
  model.add(Code::RESHAPE, {in, shape}, {model.output(x)});
}

constexpr void (*kGraphVariants[])(TfliteModel&, Random&) = {
    input_as_output, repeated_output, views, constants, unused_input, names, unread_results, computed_shape};

}  // namespace

void make_graphs(TfliteModel& model, Random& random, std::size_t index) {
  model.add_text("variant " + std::to_string(index % std::size(kGraphVariants)));
  kGraphVariants[index % std::size(kGraphVariants)](model, random);
}

}  // namespace byoc::test
