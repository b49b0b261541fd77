// CALL_ONCE, VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE.
#include <algorithm>

#include "tests/e2e/layers/broadcasting.hpp"
#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/places.hpp"

namespace byoc::test {
namespace {

using Code = BuiltinOperator;
using enum TensorType;

// A variable of the case, and what it holds.
struct Held {
  std::string name;
  TensorData now;
};

std::int32_t handle(TfliteModel& model, const Held& v) {
  const std::int32_t out = model.between(RESOURCE, {});
  schema::VarHandleOptionsT options;
  options.container = "model";
  options.shared_name = v.name;
  model.add(Code::VAR_HANDLE, {}, {out}, options);
  return out;
}

void assign(TfliteModel& model, Held& v, std::int32_t tensor, const TensorData& value) {
  model.add(Code::ASSIGN_VARIABLE, {handle(model, v), tensor}, {}, schema::AssignVariableOptionsT());
  v.now = value;
}

std::int32_t read(TfliteModel& model, const Held& v, std::int32_t to) {
  model.add(Code::READ_VARIABLE, {handle(model, v)}, {to}, schema::ReadVariableOptionsT());
  return to;
}

// With a first value of its own, or zeros.
Held variable(TfliteModel& model, Random& random, const TensorData& like, const char* which) {
  Held v{"v" + std::to_string(model.texts().size()) + which, like};
  if (random.chance(40)) {
    std::fill(v.now.ints.begin(), v.now.ints.end(), v.now.zero_point());
    std::fill(v.now.floats.begin(), v.now.floats.end(), 0.0f);
    return v;
  }
  const auto subgraph = static_cast<std::int32_t>(model.writer.begin_subgraph("initialise_" + v.name));
  const std::int32_t value = model.constant(v.now);
  assign(model, v, value, v.now);
  model.writer.select(0);
  schema::CallOnceOptionsT options;
  options.init_subgraph_index = subgraph;
  model.add(Code::CALL_ONCE, {}, {}, options);
  return v;
}

TensorData random_like(Random& random, const TensorData& like, Shape shape) {
  TensorData out = movable_data(random, like.type, std::move(shape));
  out.q = like.q;
  return out;
}

// The last rows of all that has come in: what was held and is pushed out of it.
void sliding_window(TfliteModel& model, Random& random, const TensorData& like) {
  Held v = variable(model, random, like, "");
  const std::int32_t rows = like.shape[0], columns = like.shape[1];
  for (int round = random.size(1, 3); round > 0; --round) {
    const TensorData x = random_like(random, like, {random.size(1, 3), columns});
    TensorData all = v.now;
    all.shape[0] += x.shape[0];
    all.ints.insert(all.ints.end(), x.ints.begin(), x.ints.end());
    all.floats.insert(all.floats.end(), x.floats.begin(), x.floats.end());
    const TensorData kept = moved(all, like.shape, [&](const Index& i) { return Index{i[0] + x.shape[0], i[1]}; });
    const std::int32_t before = read(model, v, model.between(like.type, like.shape, like.q));
    const std::int32_t joined = model.output(all), after = model.between(like.type, like.shape, like.q);
    model.add(Code::CONCATENATION, {before, model.input(x)}, {joined}, schema::ConcatenationOptionsT());
    model.add(Code::SLICE, {joined, integers(model, {x.shape[0], 0}), integers(model, {rows, columns})}, {after},
              schema::SliceOptionsT());
    assign(model, v, after, kept);
  }
  if (random.chance(50)) read(model, v, model.output(v.now));
}

// An input of the model becomes the value as it is.
void delay(TfliteModel& model, Random& random, const TensorData& like) {
  Held v = variable(model, random, like, "");
  read(model, v, model.output(v.now));
  const TensorData x = random_like(random, like, like.shape);
  assign(model, v, model.input(x), x);
  if (random.chance(50)) read(model, v, model.output(x));
}

void exchange(TfliteModel& model, Random& random, const TensorData& like) {
  Held a = variable(model, random, like, "a"), b = variable(model, random, random_like(random, like, like.shape), "b");
  const TensorData was_a = a.now, was_b = b.now;
  const std::int32_t from_a = read(model, a, model.output(was_a)), from_b = read(model, b, model.output(was_b));
  assign(model, a, from_b, was_b);
  assign(model, b, from_a, was_a);
}

constexpr void (*kVariableVariants[])(TfliteModel&, Random&, const TensorData&) = {sliding_window, delay,
                                                                                   sliding_window, exchange};

}  // namespace

void make_variables(TfliteModel& model, Random& random, std::size_t index) {
  const TensorType type = movable_type(random);
  const TensorData like = movable_data(random, type, {random.size(1, 4), random.size(1, 5)});
  model.add_text("variant " + std::to_string(index % std::size(kVariableVariants)) + " of " +
                 schema::EnumNameTensorType(type) + " " + text(like.shape));
  kVariableVariants[index % std::size(kVariableVariants)](model, random, like);
}

}  // namespace byoc::test
