// Activations, requantisations, reshapes, pads; the stage as such; all of it over random graphs.
#include "tests/unit/optimise/random_layers.hpp"

namespace byoc::test {
namespace {

using Layers = QuantisedLayers;
using Integers = QuantisedLayers::Integers;
using Dims = QuantisedLayers::Dims;

// conv -> `clamp` of the given type.
struct Clamped : Layers {
  ir::ValueId sum = 0, y = 0;
  Clamped(const std::string& op, std::vector<float> limits, const std::string& activation = "none",
          Requant requant = Requant::tflite, float scale = 0.05F, float other_scale = 0)
      : Layers(5, requant) {
    const ir::ValueId x = input(type(DType::i8, {1, 3, 4, 2}, 0.25F, -3));
    sum = conv(x, random_integers(6, -90, 90), random_integers(3, -90, 90), scale, -20, {}, 1, activation);
    std::vector<ir::ValueId> operands{sum};
    for (const float limit : limits) operands.push_back(bounds(limit));
    y = node(op, operands, type(DType::i8, dims(sum), other_scale == 0 ? scale : other_scale, -20));
    output(y);
  }
};

TEST(FoldActivations, clampsBecomeTheLayersOwn) {
  for (const Requant requant : {Requant::tflite, Requant::onnx})
    for (const auto& [op, limits, before, after] :
         {std::tuple<std::string, std::vector<float>, std::string, std::string>{"Relu", {}, "none", "relu"},
          {"Clip", {0, 6}, "none", "relu6"},
          {"Clip", {-1, 1}, "none", "relu_n1_to_1"},
          {"Clip", {0, 6}, "relu", "relu6"},
          {"Relu", {}, "relu6", "relu6"},
          {"Relu", {}, "relu", "relu"},
          {"Clip", {-100, 100}, "relu", "relu"}}) {
      Clamped g(op, limits, before, requant);
      Willing all;
      const Rewritten r(g.graph, {&all});
      EXPECT_EQ(r.count("activations"), 1u) << op;
      EXPECT_EQ(r.now.graph->nodes[0].text("activation", "none"), after);
      EXPECT_EQ(r.now.partition.regions.at(0).bound.nodes, (std::vector<ir::NodeId>{0}));
      EXPECT_EQ(r.moved().fused.at(g.sum), g.y);
      EXPECT_EQ(r.moved().absorbed.at(1), 0u);
      EXPECT_EQ(difference(g, r.now), "");
    }
}

TEST(FoldActivations, othersStay) {
  Willing all;
  EXPECT_EQ(Rewritten(Clamped("Clip", {0, 3}).graph, {&all}).count("activations"), 0u);  // no activation's bounds
  EXPECT_EQ(Rewritten(Clamped("Clip", {0, 6}, "relu_n1_to_1").graph, {&all}).count("activations"), 0u);  // [0, 1]
  EXPECT_EQ(Rewritten(Clamped("Relu", {}, "none", Requant::tflite, 0.05F, 0.1F).graph, {&all}).count("activations"),
            0u);  // it requantises
  Clamped given_out("Relu", {});
  given_out.output(given_out.sum);
  EXPECT_EQ(Rewritten(given_out.graph, {&all}).count("activations"), 0u);
  Clamped read_twice("Relu", {});
  read_twice.output(read_twice.node("Abs", {read_twice.sum}, read_twice.graph.values[read_twice.sum].type));
  EXPECT_EQ(Rewritten(read_twice.graph, {&all}).count("activations"), 0u);
  // What the codegen does not have as a fused activation stays as well.
  all.claims = [](const codegen::Region&, const codegen::Node& n) { return n.text("activation", "none") == "none"; };
  const Rewritten refused(Clamped("Relu", {}).graph, {&all});
  EXPECT_EQ(refused.count("activations"), 0u);
  EXPECT_EQ(refused.now.graph->nodes[0].text("activation", "none"), "none");
}

// x -> Quantize to each type in turn -> Abs.
struct Chain : Layers {
  std::vector<ir::ValueId> values;
  explicit Chain(const std::vector<ir::TensorType>& types) {
    values = {input(types[0])};
    for (std::size_t i = 1; i < types.size(); ++i)
      values.push_back(
          node(types[i].dtype == DType::f32 ? "byoc.Dequantize" : "byoc.Quantize", {values.back()}, types[i]));
    output(node("Abs", {values.back()}, types.back()));
  }
};

TEST(JoinQuantise, whatCancelsGoes) {
  const ir::TensorType a = Layers::type(DType::i8, {4, 70}, 0.25F, 3),
                       fine = Layers::type(DType::i16, {4, 70}, 0.125F, 0), real = Layers::type(DType::f32, {4, 70});
  for (const ir::TensorType& between : {fine, real}) {
    Chain g({a, between, a});
    Willing all;
    const Rewritten r(g.graph, {&all});
    EXPECT_EQ(r.count("quantise"), 1u);
    EXPECT_EQ(r.now.partition.regions.at(0).bound.nodes, (std::vector<ir::NodeId>{2}));
    EXPECT_EQ(r.now.graph->nodes[2].inputs[0], g.values[0]);
    EXPECT_EQ(r.moved().aliases.at(g.values[2]), g.values[0]);
    EXPECT_EQ(difference(g, r.now), "");
  }
}

TEST(JoinQuantise, twoBecomeOneWhereThatIsTheSame) {
  const ir::TensorType a = Layers::type(DType::i8, {4, 70}, 0.25F, 3),
                       b = Layers::type(DType::i16, {4, 70}, 0.0625F, 0),
                       fine = Layers::type(DType::i16, {4, 70}, 0.125F, 0), real = Layers::type(DType::f32, {4, 70});
  Willing all;
  for (const ir::TensorType& between : {fine, real}) {
    Chain g({a, between, b});
    const Rewritten r(g.graph, {&all});
    EXPECT_EQ(r.count("quantise"), 1u);
    EXPECT_EQ(r.now.graph->nodes[1].inputs[0], g.values[0]);
    EXPECT_EQ(difference(g, r.now), "");
  }
  // Rounded to steps of 0.5, and to 0.25 again.
  const ir::TensorType half = Layers::type(DType::i8, {4, 70}, 0.5F, 1);
  Chain coarse({a, half, a});
  EXPECT_EQ(Rewritten(coarse.graph, {&all}).count("quantise"), 0u);
  // TFLite's factor 1/2 rounds -1/2 to 0, its factors 2 and 1/4 to -1.
  Chain halves({a, fine, half});
  EXPECT_EQ(Rewritten(halves.graph, {&all}).count("quantise"), 0u);
  // It saturates at another place.
  Chain narrow({a, Layers::type(DType::i8, {4, 70}, 0.125F, 0), a});
  EXPECT_EQ(Rewritten(narrow.graph, {&all}).count("quantise"), 0u);
  // The value between is given out.
  Chain given_out({a, fine, b});
  given_out.output(given_out.values[1]);
  EXPECT_EQ(Rewritten(given_out.graph, {&all}).count("quantise"), 0u);
}

TEST(SkipReshapes, denseLayersReadOverThem) {
  Layers g;
  const ir::ValueId x = g.input(Layers::type(DType::i8, {1, 2, 3, 4}, 0.25F, 3));
  const ir::ValueId flat = g.node("Reshape", {x, g.shape({1, 24})}, Layers::type(DType::i8, {1, 24}, 0.25F, 3));
  g.output(g.dense(flat, g.random_integers(48, -90, 90), {}, 2, 9.0F, 1));
  Willing all;
  const Rewritten r(g.graph, {&all});
  EXPECT_EQ(r.count("reshapes"), 1u);
  EXPECT_EQ(r.now.graph->nodes[1].inputs[0], x);
  EXPECT_EQ(r.moved().aliases.at(flat), x);
  EXPECT_EQ(difference(g, r.now), "");
  g.graph.nodes[1].attributes["keep_num_dims"] = std::int64_t{1};
  EXPECT_EQ(Rewritten(g.graph, {&all}).count("reshapes"), 0u);
  g.graph.nodes[1].attributes.clear();
  g.output(flat);
  EXPECT_EQ(Rewritten(g.graph, {&all}).count("reshapes"), 0u);
}

TEST(SkipReshapes, whatMovesNothingGoes) {
  Layers g;
  const ir::TensorType t = Layers::type(DType::i8, {1, 24}, 0.25F, 3);
  const ir::ValueId x = g.input(t);
  const ir::ValueId y = g.node("Reshape", {x, g.shape({1, 24})}, t);
  g.output(g.node("Abs", {y}, t));
  Willing all;
  const Rewritten r(g.graph, {&all});
  EXPECT_EQ(r.count("reshapes"), 1u);
  EXPECT_EQ(r.now.graph->nodes[1].inputs[0], x);
  EXPECT_EQ(difference(g, r.now), "");
}

TEST(SkipReshapes, anotherReshapeThatKeepsADimStays) {
  Layers g;
  const ir::ValueId x = g.input(Layers::type(DType::i8, {4, 6}, 0.25F, 3));
  const ir::ValueId y = g.node("Reshape", {x, g.shape({2, 12})}, Layers::type(DType::i8, {2, 12}, 0.25F, 3));
  g.output(g.node("Reshape", {y, g.shape({0, 3, 4})}, Layers::type(DType::i8, {2, 3, 4}, 0.25F, 3)));
  Willing all;
  EXPECT_EQ(Rewritten(g.graph, {&all}).count("reshapes"), 0u);
  g.graph.nodes[1].inputs[1] = g.shape({2, 3, 4});
  const Rewritten r(g.graph, {&all});
  EXPECT_EQ(r.count("reshapes"), 1u);
  EXPECT_EQ(difference(g, r.now), "");
}

TEST(Stage, eachRewriteCanBeSwitchedOff) {
  Clamped g("Relu", {});
  Willing all;
  EXPECT_EQ(Rewritten(g.graph, {&all}, {.off = {"activations"}}).count("activations"), 0u);
  EXPECT_EQ(Rewritten(g.graph, {&all}, {.off = {"pads", "channels"}}).count("activations"), 1u);
  const Rewritten none(g.graph, {&all}, {.off = {"all"}});
  EXPECT_TRUE(none.now.summary.empty());
  EXPECT_EQ(none.now.partition.regions.at(0).bound.nodes.size(), 2u);
}

TEST(Stage, anUnknownNameIsAnError) {
  Clamped g("Relu", {});
  Willing all;
  codegen::Codegen* const codegens[] = {&all};
  Diagnostics diags;
  const auto placed = make_partition(g.graph, codegens, {}, {}, diags);
  ASSERT_TRUE(placed);
  EXPECT_FALSE(optimise::rewrite(g.graph, *placed, codegens, {}, {.off = {"pads", "relus"}}, diags));
  EXPECT_EQ(text_of(diags),
            "error: 'no-optimise': there is no such rewrite (found 'relus', expected pads, activations, quantise, "
            "reshapes, channels or all)\n");
}

// A codegen that answers for fewer nodes than it is asked for the second time.
class Forgetful final : public codegen::Codegen {
 public:
  std::string_view id() const override { return "forgetful"; }
  std::string_view version() const override { return "1"; }
  bool accepts_rewrites() const override { return true; }
  std::vector<codegen::Verdict> verdicts(const codegen::Region& r, const TargetSpec&) override {
    codegen::Verdict yes;
    yes.claimed = true;
    return std::vector<codegen::Verdict>(r.nodes.size() - asked_++, yes);
  }
  bool compile(const codegen::Request&, codegen::Host&) override { return true; }

 private:
  std::size_t asked_ = 0;
};

TEST(Stage, everyNodeNeedsAVerdictAgain) {
  Clamped g("Relu", {});
  Forgetful forgetful;
  codegen::Codegen* const codegens[] = {&forgetful};
  Diagnostics diags;
  const auto placed = make_partition(g.graph, codegens, {}, {}, diags);
  ASSERT_TRUE(placed);
  EXPECT_FALSE(optimise::rewrite(g.graph, *placed, codegens, {}, {}, diags));
  EXPECT_EQ(text_of(diags),
            "error: 'forgetful': the codegen does not give one verdict for each node (found 0, expected 1)\n");
}

// The bodies of control nodes are rewritten like the graph around them.
TEST(Stage, bodiesAreRewrittenToo) {
  Clamped inner("Relu", {});
  Layers g;
  const ir::ValueId condition = g.input(Layers::type(DType::boolean, {}));
  const ir::ValueId x = g.input(inner.graph.values[inner.graph.inputs[0]].type);
  const auto body = std::make_shared<ir::Graph>(inner.graph);
  g.output(g.node("If", {condition, x}, inner.graph.values[inner.y].type,
                  {{"then_branch", body}, {"else_branch", std::make_shared<ir::Graph>(inner.graph)}}));
  Willing all;
  const Rewritten r(g.graph, {&all});
  EXPECT_EQ(r.count("activations"), 2u);
  EXPECT_EQ(body->nodes[0].text("activation", "none"), "none");  // the original is as it was
  for (const auto& now : ir::bodies(r.now.graph->nodes[0])) {
    EXPECT_EQ(now->nodes[0].text("activation", "none"), "relu");
    EXPECT_EQ(r.now.partition.bodies.count(now.get()), 1u);
    EXPECT_EQ(r.now.moved.at(now.get()).absorbed.size(), 1u);
  }
  for (const PlacedRegion& region : r.now.partition.regions)
    EXPECT_EQ(region.bound.nodes, (std::vector<ir::NodeId>{0}));
}

TEST(RandomGraphs, haveTheSameValuesAfterwards) {
  std::map<std::string, std::uint64_t> counts;
  for (unsigned seed = 0; seed < 400; ++seed) {
    RandomLayers layers(seed);
    Willing all;
    const Rewritten r(layers.graph, {&all});
    ASSERT_EQ(difference(layers, r.now), "") << "seed " << seed;
    for (const RewriteSummary& s : r.now.summary) counts[s.name] += s.count;
  }
  for (const auto& [name, least] : std::map<std::string, std::uint64_t>{
           {"pads", 20}, {"activations", 20}, {"quantise", 10}, {"reshapes", 50}, {"channels", 1000}})
    EXPECT_GE(counts[name], least) << name;
}

}  // namespace
}  // namespace byoc::test
