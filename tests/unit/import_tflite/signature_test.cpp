// Signatures: which subgraph they choose, and what its inputs and outputs are called then.
#include <gmock/gmock.h>

#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using testing::HasSubstr;

void add_signature(TfliteWriter& w, const char* key, std::uint32_t subgraph, std::uint32_t input,
                   std::uint32_t output) {
  auto s = std::make_unique<schema::SignatureDefT>();
  s->signature_key = key;
  s->subgraph_index = subgraph;
  for (const auto& [list, name, index] : {std::tuple{&s->inputs, "audio", input}, {&s->outputs, "score", output}}) {
    list->push_back(std::make_unique<schema::TensorMapT>());
    list->back()->name = name;
    list->back()->tensor_index = index;
  }
  w.model.signature_defs.push_back(std::move(s));
}

// Two subgraphs of one node: the first doubles, the second squares.
TfliteWriter two_subgraphs() {
  TfliteWriter w;
  for (const bool first : {true, false}) {
    if (!first) w.begin_subgraph("second");
    const auto x = w.add(first ? "serving_x:0" : "other_x:0", kF32, {2});
    const auto y = w.add(first ? "Identity" : "Identity_1", kF32, {2});
    if (first)
      w.add_operator(BuiltinOperator::ADD, {x, x}, {y}, schema::AddOptionsT{});
    else
      w.add_operator(BuiltinOperator::MUL, {x, x}, {y}, schema::MulOptionsT{});
    w.boundary({x}, {y});
  }
  add_signature(w, "double", 0, 0, 1);
  add_signature(w, "square", 1, 0, 1);
  return w;
}

// The text of the graph, or all errors.
std::string imported_by(const TfliteWriter& w, const std::string& signature, std::string* warnings = nullptr) {
  const Folder folder;
  write_file(folder.file("signed.tflite"), w.bytes());
  Diagnostics diags;
  const auto g = import_tflite(folder.file("signed.tflite"), diags, signature);
  std::string said;
  for (const Diagnostic& d : diags.all()) said += to_string(d) + "\n";
  if (warnings != nullptr) *warnings = said;
  return g ? ir::print(*g) : said;
}

TEST(TfliteSignatures, chooseASubgraphAndNameWhatGoesInAndOut) {
  std::string said;
  const std::string first = imported_by(two_subgraphs(), "double", &said);
  EXPECT_THAT(first, HasSubstr("\"audio\" : f32[2]"));
  EXPECT_THAT(first, HasSubstr("\"score\" : f32[2] #1 = Add"));
  EXPECT_EQ(said, "");
  EXPECT_THAT(imported_by(two_subgraphs(), "square"), HasSubstr("\"score\" : f32[2] #1 = Mul"));
}

TEST(TfliteSignatures, withoutAChoiceItIsTheFirstSubgraphWithAWarning) {
  std::string said;
  EXPECT_THAT(imported_by(two_subgraphs(), "", &said), HasSubstr("\"Identity\" : f32[2] #1 = Add"));
  EXPECT_THAT(said,
              HasSubstr("has several signatures: its first subgraph is read (found 'double', 'square', expected one "
                        "of them chosen with --signature)"));
  TfliteWriter one = two_subgraphs();
  one.model.signature_defs.pop_back();
  (void)imported_by(one, "", &said);
  EXPECT_EQ(said, "");
}

TEST(TfliteSignatures, wrongOnesAreNamed) {
  EXPECT_THAT(imported_by(two_subgraphs(), "triple"),
              HasSubstr("'--signature': the model has no signature of this name (found 'triple', expected 'double', "
                        "'square')"));
  TfliteWriter none = two_subgraphs();
  none.model.signature_defs.clear();
  EXPECT_THAT(imported_by(none, "double"), HasSubstr("the model has no signatures (found 'double'"));
  TfliteWriter far = two_subgraphs();
  add_signature(far, "far", 2, 0, 1);
  EXPECT_THAT(imported_by(far, "far"),
              HasSubstr("'signature 'far'': subgraph out of range (found 2, expected less than 2)"));
  TfliteWriter others = two_subgraphs();
  add_signature(others, "others", 1, 0, 7);
  EXPECT_THAT(imported_by(others, "others"),
              HasSubstr("names other tensors than the inputs and outputs of its subgraph"));
}

}  // namespace
}  // namespace byoc::test
