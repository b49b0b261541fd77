// MediaPipe's operators on landmarks, version 2 of each: what its face mesh with attention has.
#include <algorithm>

#include "byoc/flexbuffer.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {
namespace {

// Small tensors [1, rows, columns] and what is computed of them.
class Small {
 public:
  explicit Small(OperatorImport& op) : op_(op) {}

  ir::ValueId one(float v) {
    const ir::ValueId scalar = op_.add_reals({v});
    const ir::ValueId out = op_.add_tensor(DType::f32, {1, 1, 1});
    op_.reshape(scalar, out);
    return out;
  }
  ir::ValueId unary(const char* function, ir::ValueId a) {
    const ir::ValueId out = op_.add_tensor(a, op_.dims(a));
    op_.node(function, {a}, {out});
    return out;
  }
  ir::ValueId binary(const char* function, ir::ValueId a, ir::ValueId b) {
    std::vector<ir::Dim> dims = op_.dims(a);
    for (std::size_t d = 0; d < dims.size(); ++d) dims[d] = std::max(dims[d], op_.dims(b)[d]);
    const ir::ValueId out = op_.add_tensor(a, dims);
    op_.node(function, {a, b}, {out});
    return out;
  }
  ir::ValueId scaled(ir::ValueId a, float factor) { return binary("Mul", a, one(factor)); }
  ir::ValueId angle(ir::ValueId y, ir::ValueId x) {
    const ir::ValueId out = op_.add_tensor(x, op_.dims(x));
    op_.byoc_node("Atan2", {y, x}, {out});
    return out;
  }
  // Rows [row, row + rows) and columns alike.
  ir::ValueId part(ir::ValueId a, std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) {
    const ir::ValueId out = op_.add_tensor(a, {1, rows, columns});
    op_.node("Slice",
             {a, op_.add_integers({row, column}), op_.add_integers({row + rows, column + columns}),
              op_.add_integers({1, 2})},
             {out});
    return out;
  }
  // The largest or smallest of all rows.
  ir::ValueId extreme(const char* reduction, ir::ValueId a) {
    const ir::ValueId out = op_.add_tensor(a, {1, 1, op_.dims(a)[2]});
    op_.node(reduction, {a, op_.add_integers({1})}, {out}).attributes["keepdims"] = std::int64_t{1};
    return out;
  }
  ir::ValueId rows(ir::ValueId a, const std::vector<std::int64_t>& which) {
    const ir::ValueId out = op_.add_tensor(a, {1, static_cast<ir::Dim>(which.size()), op_.dims(a)[2]});
    op_.node("Gather", {a, op_.add_integers(which)}, {out}).attributes["axis"] = std::int64_t{1};
    return out;
  }

 private:
  OperatorImport& op_;
};

struct Turned {
  ir::ValueId x, y;
};

// (x, y) turned by an angle of this cosine and sine.
Turned turned(Small& s, ir::ValueId x, ir::ValueId y, ir::ValueId cosine, ir::ValueId sine) {
  return {s.binary("Sub", s.binary("Mul", x, cosine), s.binary("Mul", y, sine)),
          s.binary("Add", s.binary("Mul", x, sine), s.binary("Mul", y, cosine))};
}

Result<std::vector<std::int64_t>> subset_of(OperatorImport& op, ir::Dim landmarks) {
  const FlexValue list = FlexValue::root(op.raw_options()).find("subset_idxs");
  if (list.size() == 0) return op.refuse("the options have no list 'subset_idxs'");
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto one = list[i].integer();
    if (!one || *one < 0 || *one >= landmarks)
      return op.refuse("option 'subset_idxs' is out of range", one ? std::to_string(*one) : "no number",
                       "0 to " + std::to_string(landmarks - 1));
    out.push_back(*one);
  }
  if (out.size() % 2 == 0) return out;
  return op.refuse("option 'subset_idxs' has no pairs", std::to_string(out.size()) + " numbers", "an even number");
}

Result<float> positive_option(OperatorImport& op, const char* name) {
  const auto found = op.real_option(name);
  if (!found || *found > 0) return found;
  return op.refuse("option '" + std::string(name) + "' is out of range", std::to_string(*found), "above 0");
}

}  // namespace

// x [1, landmarks, 3] -> the matrix [1, 4, 4] that places an image of the output's size over the box around a subset of
// the landmarks, turned so that the line from one landmark to another has the angle that is wanted.
Result<void> import_landmarks_to_transform_matrix(OperatorImport& op) {
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_dtype(x, {DType::f32}) || !op.expect_dtype(y, {DType::f32}) || !op.expect_rank(x, 3)) return failure;
  const ir::Dim landmarks = op.dims(x)[1];
  if (!op.expect_dims(x, {1, landmarks, 3}) || !op.give_dims(y, {1, 4, 4})) return failure;
  const auto left = op.option("left_rotation_idx", 0, landmarks - 1),
             right = op.option("right_rotation_idx", 0, landmarks - 1);
  const auto height = op.option("output_height", 1, INT32_MAX), width = op.option("output_width", 1, INT32_MAX);
  const auto scale_x = positive_option(op, "scale_x"), scale_y = positive_option(op, "scale_y");
  const auto subset = subset_of(op, landmarks);
  if (!left || !right || !height || !width || !scale_x || !scale_y || !subset) return failure;
  const bool turns = op.has_option("target_rotation_radians");
  const auto target = turns ? op.real_option("target_rotation_radians") : Result<float>(0.0F);
  if (!target) return failure;
  Small s(op);
  const ir::ValueId across = s.binary("Sub", s.part(x, *right, 1, 0, 2), s.part(x, *left, 1, 0, 2));
  const ir::ValueId angle =
      s.binary("Sub", s.one(*target), s.angle(s.part(across, 0, 1, 1, 1), s.part(across, 0, 1, 0, 1)));
  const ir::ValueId cosine = s.unary("Cos", angle), sine = s.unary("Sin", angle), back = s.unary("Neg", sine);
  const ir::ValueId points = s.rows(x, *subset);
  const auto count = static_cast<std::int64_t>(subset->size());
  const Turned at = turned(s, s.part(points, 0, count, 0, 1), s.part(points, 0, count, 1, 1), cosine, sine);
  const ir::ValueId most_x = s.extreme("ReduceMax", at.x), least_x = s.extreme("ReduceMin", at.x),
                    most_y = s.extreme("ReduceMax", at.y), least_y = s.extreme("ReduceMin", at.y);
  const Turned centre = turned(s, s.scaled(s.binary("Add", least_x, most_x), 0.5F),
                               s.scaled(s.binary("Add", least_y, most_y), 0.5F), cosine, back);
  const auto w = static_cast<float>(*width), h = static_cast<float>(*height);
  const ir::ValueId step_x = s.scaled(s.binary("Sub", most_x, least_x), *scale_x / w),
                    step_y = s.scaled(s.binary("Sub", most_y, least_y), *scale_y / h);
  const ir::ValueId xx = s.binary("Mul", cosine, step_x), xy = s.binary("Mul", sine, step_y),
                    yx = s.binary("Mul", back, step_x), yy = s.binary("Mul", cosine, step_y);
  const auto shift = [&](ir::ValueId a, ir::ValueId b, ir::ValueId to) {
    return s.binary("Add", s.binary("Add", s.scaled(a, -w / 2), s.scaled(b, -h / 2)), to);
  };
  const ir::ValueId nothing = s.one(0), rest = op.add_tensor(DType::f32, {1, 2, 4});
  op.reshape(op.add_reals({0, 0, 1, 0, 0, 0, 0, 1}), rest);
  const ir::ValueId first = op.joined({xx, xy, nothing, shift(xx, xy, centre.x)}, 2),
                    second = op.joined({yx, yy, nothing, shift(yx, yy, centre.y)}, 2);
  op.node("Concat", {first, second, rest}).attributes["axis"] = std::int64_t{1};
  return {};
}

// x [1, landmarks, 2 or 3], a matrix [1, 4, 4] -> x with its first two numbers moved by the first two rows of the
// matrix
Result<void> import_transform_landmarks(OperatorImport& op) {
  const ir::ValueId x = op.input(0), matrix = op.input(1), y = op.output();
  for (const ir::ValueId v : {x, matrix, y})
    if (!op.expect_dtype(v, {DType::f32})) return failure;
  if (!op.expect_rank(x, 3) || !op.expect_dims(matrix, {1, 4, 4})) return failure;
  const ir::Dim landmarks = op.dims(x)[1], numbers = op.dims(x)[2];
  if (!op.expect_dims(x, {1, landmarks, numbers}) || !op.give_dims(y, op.dims(x))) return failure;
  if (numbers != 2 && numbers != 3)
    return op.refuse("unsupported shape of " + op.describe(x), std::to_string(numbers) + " numbers", "2 or 3");
  Small s(op);
  const ir::ValueId turn = op.add_tensor(x, {1, 2, 2}), shift = op.add_tensor(x, {1, 1, 2}),
                    product = op.add_tensor(x, {1, landmarks, 2});
  op.transpose(s.part(matrix, 0, 2, 0, 2), turn, {0, 2, 1});
  op.reshape(s.part(matrix, 0, 2, 3, 1), shift);
  op.node("MatMul", {s.part(x, 0, landmarks, 0, 2), turn}, {product});
  if (numbers == 2) {
    op.node("Add", {product, shift});
    return {};
  }
  op.node("Concat", {s.binary("Add", product, shift), s.part(x, 0, landmarks, 2, 1)}).attributes["axis"] =
      std::int64_t{2};
  return {};
}

// x [1, height, width, channels], a matrix [1, 4, 4] -> [1, output_height, output_width, channels]
Result<void> import_transform_tensor_bilinear(OperatorImport& op) {
  const ir::ValueId x = op.input(0), matrix = op.input(1), y = op.output();
  for (const ir::ValueId v : {x, matrix, y})
    if (!op.expect_dtype(v, {DType::f32})) return failure;
  const auto height = op.option("output_height", 1, INT32_MAX), width = op.option("output_width", 1, INT32_MAX);
  if (!height || !width || !op.expect_rank(x, 4) || !op.expect_dims(matrix, {1, 4, 4})) return failure;
  const std::vector<ir::Dim> from = op.dims(x);
  if (from[3] > INT32_MAX / *height / *width)
    return op.refuse("the result is too large", std::to_string(*height) + " by " + std::to_string(*width),
                     "fewer than 2^31 elements");
  if (!op.expect_dims(x, {1, from[1], from[2], from[3]}) || !op.give_dims(y, {1, *height, *width, from[3]}))
    return failure;
  ir::Node& node = op.byoc_node("AffineSample", {x, matrix});
  node.attributes["output_height"] = *height;
  node.attributes["output_width"] = *width;
  return {};
}

}  // namespace byoc::tflite
