// Graphs that are unusual but right: what is input, output, constant and intermediate at once.
#include <algorithm>

#include "tests/e2e/tflite/families.hpp"
#include "tests/e2e/tflite/places.hpp"

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

void reshape(Sweep& sweep, std::int32_t from, std::int32_t to, const Shape& shape) {
  sweep.add(Code::RESHAPE, {from, integers(sweep, shape)}, {to}, schema::ReshapeOptionsT());
}

// An input that is an output, and read.
void input_as_output(Sweep& sweep, Random& random) {
  const TensorData x = random_x(random);
  const auto in = sweep.input(x);
  sweep.give(in, x);
  sweep.add(Code::RELU, {in}, {sweep.output(relu_of(x))});
}

// An output twice, once more as a view, and read by another operator.
void repeated_output(Sweep& sweep, Random& random) {
  const TensorData x = random_x(random), y = relu_of(x);
  const auto in = sweep.input(x), out = sweep.output(y);
  sweep.add(Code::RELU, {in}, {out});
  sweep.give(out, y);
  reshape(sweep, out, sweep.output(reshaped(y)), reshaped(y).shape);
  TensorData both = y;
  both.shape[0] *= 2;
  both.ints.insert(both.ints.end(), y.ints.begin(), y.ints.end());
  schema::ConcatenationOptionsT options;
  sweep.add(Code::CONCATENATION, {out, out}, {sweep.output(both)}, options);
}

// Views of an input and of a view, all of them outputs.
void views(Sweep& sweep, Random& random) {
  const TensorData x = random_x(random), flat = reshaped(x);
  const auto in = sweep.input(x), first = sweep.output(flat);
  reshape(sweep, in, first, flat.shape);
  TensorData tall = flat;
  tall.shape.push_back(1);
  reshape(sweep, first, sweep.output(tall), tall.shape);
}

// Constants that are outputs, share a buffer under two types of shape, and are read.
void constants(Sweep& sweep, Random& random) {
  const TensorData x = random_x(random), flat = reshaped(x);
  const auto constant = sweep.constant(x), same = sweep.constant(flat);
  auto& writer = sweep.writer;
  writer.tensor(static_cast<std::size_t>(same)).buffer = writer.tensor(static_cast<std::size_t>(constant)).buffer;
  sweep.give(constant, x);
  sweep.give(same, flat);
  sweep.add(Code::RELU, {constant}, {sweep.output(relu_of(x))});
  sweep.add(Code::RELU, {same}, {sweep.output(relu_of(flat))});
}

// Inputs that nobody reads, but for their shape.
void unused_input(Sweep& sweep, Random& random) {
  const TensorData x = random_x(random);
  const auto in = sweep.input(x);
  (void)sweep.input(random_x(random));
  schema::ShapeOptionsT options;
  options.out_type = TensorType::INT32;
  sweep.add(Code::SHAPE, {in}, {sweep.output({TensorType::INT32, {2}, {}, {x.shape[0], x.shape[1]}, {}})}, options);
}

// No names, and one name for all.
void names(Sweep& sweep, Random& random) {
  const TensorData x = random_x(random);
  const auto in = sweep.input(x), between = sweep.between(x.type, x.shape, x.q), out = sweep.output(relu_of(x));
  sweep.add(Code::RELU, {in}, {between});
  sweep.add(Code::RELU, {between}, {out});
  const std::string name = random.pick({"", "t", "int", "*/ \"\\\n"});
  for (const auto t : {in, between, out}) sweep.writer.tensor(static_cast<std::size_t>(t)).name = name;
}

// Results that nobody reads beside one that is read.
void unread_results(Sweep& sweep, Random& random) {
  TensorData x = movable_data(random, TensorType::INT8, {3, random.size(1, 5)});
  const Shape row = {x.shape[1]};
  const TensorData y = moved(x, row, [](const Index& i) { return Index{1, i[0]}; });
  schema::UnpackOptionsT options;
  options.num = 3;
  sweep.add(Code::UNPACK, {sweep.input(x)},
            {sweep.between(x.type, row, x.q), sweep.output(y), sweep.between(x.type, row, x.q)}, options);
}

// The shape of one tensor, computed in the graph, shapes another.
void computed_shape(Sweep& sweep, Random& random) {
  const TensorData x = random_x(random), flat = reshaped(x);
  const auto in = sweep.input(flat), like = sweep.input(x);
  const auto shape = sweep.between(TensorType::INT32, {2});
  schema::ShapeOptionsT options;
  options.out_type = TensorType::INT32;
  sweep.add(Code::SHAPE, {like}, {shape}, options);
  sweep.add(Code::RESHAPE, {in, shape}, {sweep.output(x)});
}

constexpr void (*kVariants[])(Sweep&, Random&) = {input_as_output, repeated_output, views,          constants,
                                                  unused_input,    names,           unread_results, computed_shape};

}  // namespace

void make_graphs(Sweep& sweep, Random& random, std::size_t index) {
  sweep.add_text("variant " + std::to_string(index % std::size(kVariants)));
  kVariants[index % std::size(kVariants)](sweep, random);
}

}  // namespace byoc::test
