#include "sdk/model/import/onnx/operators/tree_tables.hpp"

#include <cstring>

namespace byoc::onnx_import {
namespace {

class TreeTables {
  using Integers = std::vector<std::int64_t>;

 public:
  TreeTables(Normaliser& e, Composition& c, const ir::Node& node, const TreeSource& source)
      : e_(e), c_(c), node_(node), source_(source) {}

  Result<ir::ValueId> emit(ir::ValueId x) {
    for (const std::int64_t t : source_.targets)
      if (t < 0 || t >= source_.width)
        return c_.refuse("a leaf has no target", std::to_string(t), "less than " + std::to_string(source_.width));
    Integers roots;
    for (const auto& [root, leaf] : source_.roots) {
      const auto at = copied(root, leaf);
      if (!at) return failure;
      roots.push_back(*at);
    }
    const auto length = [](const auto& v) { return static_cast<ir::Dim>(v.size()); };
    ir::Node trees;
    trees.domain = "byoc";
    trees.op = "TreeEnsemble";
    trees.name = node_.name;
    trees.position = node_.position;
    trees.inputs = {x,
                    reals(splits_),
                    table(nodes_, {length(splits_), 4}),
                    table(roots, {length(roots)}),
                    table(source_.first, {length(source_.first)}),
                    table(source_.targets, {length(source_.targets)}),
                    reals(source_.weights)};
    trees.outputs = {e_.temporary()};
    trees.attributes = {{"aggregate", source_.aggregate}, {"n_targets", source_.width}};
    const ir::ValueId y = trees.outputs[0];
    e_.emit(std::move(trees));
    return y;
  }

 private:
  // The place of a node and of what is below it, in our tables; of a leaf, -1 less its number. Several may share one.
  Result<std::int64_t> copied(std::int64_t id, bool leaf) {
    const std::size_t end = leaf ? source_.first.size() - 1 : source_.nodes();
    if (id < 0 || static_cast<std::size_t>(id) >= end)
      return c_.refuse(leaf ? "there is no such leaf" : "there is no such node", std::to_string(id));
    if (leaf) return -1 - id;
    const auto n = static_cast<std::size_t>(id);
    const auto [known, fresh] = places_.try_emplace(id, kOpen);
    if (!fresh && known->second == kOpen) return c_.refuse("the nodes of a tree form a circle", std::to_string(id));
    if (!fresh) return known->second;
    if (++depth_ > kMostDeep) return c_.refuse("a tree is too deep", {}, std::to_string(kMostDeep) + " nodes");
    const auto yes = copied(source_.children[0][n], source_.is_leaf[0][n] != 0);
    const auto no = yes ? copied(source_.children[1][n], source_.is_leaf[1][n] != 0) : Result<std::int64_t>(failure);
    --depth_;
    if (!yes || !no) return failure;
    const std::int64_t nan = source_.nan_is_true[n] != 0 ? kTreeNanIsTrue : 0;
    std::int64_t place = *no;
    if (source_.modes[n] != kTreeMember) {
      place = added(source_.features[n], source_.modes[n] + nan, source_.splits[n], *yes, *no);
    } else {
      for (std::size_t m = source_.members[n].size(); m-- > 0;)
        place = added(source_.features[n], kTreeEqual + nan, source_.members[n][m], *yes, place);
    }
    return places_[id] = place;
  }

  std::int64_t added(std::int64_t feature, std::int64_t mode, double split, std::int64_t yes, std::int64_t no) {
    nodes_.insert(nodes_.end(), {feature, mode, yes, no});
    splits_.push_back(split);
    return static_cast<std::int64_t>(splits_.size()) - 1;
  }

  template <class T>
  ir::ValueId constant(const std::vector<T>& elements, DType dtype, std::vector<ir::Dim> dims) {
    std::vector<std::byte> bytes(elements.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), elements.data(), bytes.size());
    return e_.graph.add_constant({}, {dtype, std::move(dims), std::nullopt}, Blob::own(std::move(bytes)));
  }
  ir::ValueId table(const Integers& v, std::vector<ir::Dim> dims) {
    std::vector<std::int32_t> narrow;
    for (const std::int64_t n : v) narrow.push_back(static_cast<std::int32_t>(n));
    return constant(narrow, DType::i32, std::move(dims));
  }
  ir::ValueId reals(const std::vector<double>& v) {
    const std::vector<ir::Dim> dims{static_cast<ir::Dim>(v.size())};
    if (source_.dtype == DType::f64) return constant(v, DType::f64, dims);
    std::vector<float> single;
    for (const double n : v) single.push_back(static_cast<float>(n));
    return constant(single, DType::f32, dims);
  }

  static constexpr std::int64_t kOpen = std::numeric_limits<std::int64_t>::max();
  static constexpr int kMostDeep = 1000;
  Normaliser& e_;
  Composition& c_;
  const ir::Node& node_;
  const TreeSource& source_;
  Integers nodes_;
  std::vector<double> splits_;
  std::map<std::int64_t, std::int64_t> places_;
  int depth_ = 0;
};

}  // namespace

Result<Composition::Value> emit_trees(Normaliser& e, Composition& c, const ir::Node& node, const TreeSource& source,
                                      Composition::Value x) {
  return TreeTables(e, c, node, source).emit(x);
}

Result<std::vector<double>> tensor_numbers(Composition& c, const ir::Node& node, const char* attribute) {
  std::vector<double> out;
  const auto* tensor = node.find<ir::Tensor>(attribute);
  if (tensor == nullptr) return out;
  const auto read = [&]<class T>(T v) {
    for (std::size_t i = 0; i < tensor->bytes.size() / sizeof(T); ++i) {
      std::memcpy(&v, tensor->bytes.data() + i * sizeof v, sizeof v);
      out.push_back(static_cast<double>(v));
    }
  };
  switch (tensor->type.dtype) {
    case DType::f32: read(float{}); break;
    case DType::f64: read(double{}); break;
    case DType::u8: read(std::uint8_t{}); break;
    default:
      return c.refuse(std::string("attribute ") + attribute + " has an element type that is not supported",
                      std::string(to_string(tensor->type.dtype)), "f32 or f64");
  }
  return out;
}

}  // namespace byoc::onnx_import
