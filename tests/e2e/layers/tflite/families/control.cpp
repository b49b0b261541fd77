// IF and WHILE.
#include <algorithm>
#include <cmath>

#include "tests/e2e/layers/broadcasting.hpp"
#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/fixed_point.hpp"

namespace byoc::test {
namespace {

using Code = BuiltinOperator;
using enum TensorType;

// Sums in the scale of twice the larger one, with bits to spare.
std::int64_t quantised_sum(const TensorData& a, const TensorData& b, std::size_t i) {
  const int left = a.type == INT16 ? 15 : 20;
  const double sa = static_cast<double>(a.scale()), sb = static_cast<double>(b.scale()), twice = 2 * std::max(sa, sb);
  const auto scaled = [&](const TensorData& t, double scale) {
    return requantise((t.ints[i] - t.zero_point()) * (std::int64_t{1} << left), fixed_factor(scale / twice));
  };
  const double back = twice / std::ldexp(sa, left);
  return clamp_to(a.type, requantise(scaled(a, sa) + scaled(b, sb), fixed_factor(back)) + a.zero_point());
}

// What ADD or MAXIMUM of two tensors of one shape makes, in the quantisation of the first.
TensorData combined(Code code, const TensorData& a, const TensorData& b) {
  TensorData y = a;
  for (std::size_t i = 0; i < y.floats.size(); ++i)
    y.floats[i] = code == Code::ADD ? a.floats[i] + b.floats[i] : std::max(a.floats[i], b.floats[i]);
  for (std::size_t i = 0; i < y.ints.size(); ++i)
    y.ints[i] = code == Code::ADD ? quantised_sum(a, b, i) : std::max(a.ints[i], b.ints[i]);
  return y;
}

void add_combined(TfliteModel& model, Code code, std::int32_t a, std::int32_t b, std::int32_t y) {
  if (code == Code::ADD)
    model.add(code, {a, b}, {y}, schema::AddOptionsT());
  else
    model.add(code, {a, b}, {y});
}

// Two tensors of one type and shape; the quantisation of each is its own.
struct ControlOperands {
  TensorData a, b;
};
ControlOperands random_operands(Random& random) {
  const TensorType type = random.pick({INT8, INT8, INT16, FLOAT32});
  const Shape shape{random.size(1, 4), random.size(1, 6)};
  TensorData a = random_data(random, type, shape, random_quantisation(random, type, 0.01, 0.1));
  return {a, random_data(random, type, shape, random_quantisation(random, type, 0.01, 0.1))};
}

std::int32_t tensor_between(TfliteModel& model, const TensorData& like) {
  return model.between(like.type, like.shape, like.q);
}
TensorData scalar(TensorType type, std::int64_t value) { return {type, {}, {}, {value}, {}}; }

// A subgraph [a, b] -> [combination]; back in the graph that was selected.
std::int32_t branch(TfliteModel& model, Code code, const ControlOperands& o, std::size_t home) {
  const auto index = static_cast<std::int32_t>(model.writer.begin_subgraph(schema::EnumNameBuiltinOperator(code)));
  const std::int32_t a = tensor_between(model, o.a), b = tensor_between(model, o.b), y = tensor_between(model, o.a);
  add_combined(model, code, a, b, y);
  model.writer.boundary({a, b}, {y});
  model.writer.select(home);
  return index;
}

// y = condition ? a + b : max(a, b), in subgraph `home`.
void add_if(TfliteModel& model, const ControlOperands& o, std::int32_t condition, std::int32_t a, std::int32_t b,
            std::int32_t y, std::size_t home) {
  schema::IfOptionsT options;
  options.then_subgraph_index = branch(model, Code::ADD, o, home);
  options.else_subgraph_index = branch(model, Code::MAXIMUM, o, home);
  model.add(Code::IF, {condition, a, b}, {y}, options);
}

void branches(TfliteModel& model, Random& random) {
  const ControlOperands o = random_operands(random);
  const bool condition = random.chance(50);
  const TensorData truth = scalar(BOOL, condition);
  const std::int32_t is = random.chance(20) ? model.constant(truth) : model.input(truth);
  add_if(model, o, is, model.input(o.a), model.input(o.b),
         model.output(combined(condition ? Code::ADD : Code::MAXIMUM, o.a, o.b)), 0);
}

// Rounds of [i, limit, a, b] -> [i + 1, limit, a combined with b, b] while i < limit. In round `turn`, if there is one,
// an IF adds, in the others it takes the larger.
struct Loop {
  std::int32_t start = 0, limit = 0, turn = -1;
};

std::int32_t condition_graph(TfliteModel& model, const ControlOperands& o) {
  const auto index = static_cast<std::int32_t>(model.writer.begin_subgraph("condition"));
  const std::int32_t i = model.between(INT32, {}), limit = model.between(INT32, {});
  const std::int32_t a = tensor_between(model, o.a), b = tensor_between(model, o.b), less = model.between(BOOL, {});
  model.add(Code::LESS, {i, limit}, {less});
  model.writer.boundary({i, limit, a, b}, {less});
  model.writer.select(0);
  return index;
}

std::int32_t body_graph(TfliteModel& model, const ControlOperands& o, const Loop& loop) {
  const std::size_t home = model.writer.begin_subgraph("body");
  const std::int32_t i = model.between(INT32, {}), limit = model.between(INT32, {});
  const std::int32_t a = tensor_between(model, o.a), b = tensor_between(model, o.b), y = tensor_between(model, o.a);
  const std::int32_t next = model.between(INT32, {});
  model.add(Code::ADD, {i, model.constant(scalar(INT32, 1))}, {next}, schema::AddOptionsT());
  if (loop.turn < 0) {
    add_combined(model, Code::ADD, a, b, y);
  } else {
    const std::int32_t is = model.between(BOOL, {});
    model.add(Code::EQUAL, {i, model.constant(scalar(INT32, loop.turn))}, {is});
    add_if(model, o, is, a, b, y, home);
  }
  model.writer.boundary({i, limit, a, b}, {next, limit, y, b});
  model.writer.select(0);
  return static_cast<std::int32_t>(home);
}

TensorData rounds(const ControlOperands& o, const Loop& loop) {
  TensorData a = o.a;
  for (std::int32_t i = loop.start; i < loop.limit; ++i)
    a = combined(loop.turn < 0 || i == loop.turn ? Code::ADD : Code::MAXIMUM, a, o.b);
  return a;
}

// The outputs of a WHILE of those rounds on `a`.
void add_while(TfliteModel& model, Random& random, const ControlOperands& o, const Loop& loop, std::int32_t a,
               std::int32_t result) {
  schema::WhileOptionsT options;
  options.cond_subgraph_index = condition_graph(model, o);
  options.body_subgraph_index = body_graph(model, o, loop);
  const TensorData start = scalar(INT32, loop.start), limit = scalar(INT32, loop.limit);
  const std::int32_t i = random.chance(50) ? model.constant(start) : model.input(start);
  const std::int32_t last = random.chance(20) ? model.constant(limit) : model.input(limit);
  const std::int32_t counted = model.output(scalar(INT32, std::max(loop.start, loop.limit)));
  model.add(Code::WHILE, {i, last, a, model.input(o.b)},
            {counted, model.between(INT32, {}), result, tensor_between(model, o.b)}, options);
}

Loop random_loop(Random& random, bool turns) {
  Loop loop{random.size(-1, 2), random.size(0, 4), -1};
  if (turns) loop.turn = random.size(0, 3);
  return loop;
}

void loops(TfliteModel& model, Random& random, bool turns) {
  const ControlOperands o = random_operands(random);
  const Loop loop = random_loop(random, turns);
  model.add_text(std::to_string(loop.start) + " to " + std::to_string(loop.limit));
  const std::int32_t a = model.input(o.a);
  add_while(model, random, o, loop, a, model.output(rounds(o, loop)));
}

// The loop starts with what a variable holds, and leaves its result there.
void stateful(TfliteModel& model, Random& random) {
  ControlOperands o = random_operands(random);
  std::fill(o.a.ints.begin(), o.a.ints.end(), o.a.zero_point());
  std::fill(o.a.floats.begin(), o.a.floats.end(), 0.0f);
  const Loop loop = random_loop(random, false);
  const std::int32_t handle = model.between(RESOURCE, {}), before = tensor_between(model, o.a);
  schema::VarHandleOptionsT options;
  options.shared_name = "loop" + std::to_string(model.texts().size());
  model.add(Code::VAR_HANDLE, {}, {handle}, options);
  model.add(Code::READ_VARIABLE, {handle}, {before});
  const std::int32_t result = model.output(rounds(o, loop));
  add_while(model, random, o, loop, before, result);
  model.add(Code::ASSIGN_VARIABLE, {handle, result}, {});
}

struct ControlVariant {
  const char* name;
  void (*make)(TfliteModel&, Random&);
};
constexpr ControlVariant kControlVariants[] = {
    {"IF", branches},
    {"WHILE", [](TfliteModel& s, Random& r) { loops(s, r, false); }},
    {"WHILE with IF", [](TfliteModel& s, Random& r) { loops(s, r, true); }},
    {"WHILE on a variable", stateful},
};

}  // namespace

void make_control(TfliteModel& model, Random& random, std::size_t index) {
  const ControlVariant& v = kControlVariants[index % std::size(kControlVariants)];
  model.add_text(v.name);
  v.make(model, random);
}

}  // namespace byoc::test
