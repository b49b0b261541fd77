// The graphs that a plug-in is checked on: random ones of any kind that it is asked about, and those that it claims
// whole, operator by operator, pattern by pattern, and at random.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/codegen.hpp"
#include "sdk/app/check/coverage.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/codegen/codegen/region.hpp"
#include "sdk/model/evaluate/evaluate.hpp"

namespace byoc::check {

struct Case {
  std::string name;  // "Relu, seed 3"
  ir::Graph graph;   // prepared
  std::vector<evaluate::Tensor> inputs;
  // For graphs that are claimed completely:
  struct Part {
    std::vector<ir::NodeId> nodes;
    std::vector<codegen::GrantedGroup> groups;
  };
  std::vector<Part> parts;              // the regions
  std::vector<codegen::Match> matches;  // of the declared patterns in the whole graph

  // The regions as the plug-in gets them. The case must outlive them.
  [[nodiscard]] std::vector<plugin::BoundRegion> bound() const;
  [[nodiscard]] std::vector<codegen::Region> regions() const;
};

struct Corpus {
  std::vector<Case> any;
  std::vector<Case> claimed;
  std::set<std::string> operators;         // that have a graph of their own among `claimed`
  std::size_t refused = 0;                 // operators that have none
  Coverage coverage;                       // what it claims of all of them
  std::vector<std::string> problems = {};  // models of the user's of which there is no graph, and why

  [[nodiscard]] std::string encode() const;
  [[nodiscard]] bool decode(std::string_view text);
};

struct CorpusSize {
  std::uint64_t seed = 1;
  std::size_t any = 30;
  std::size_t shapes = 6;                // graphs of each operator and pattern
  std::size_t graphs = 50;               // random ones
  std::vector<std::string> models = {};  // of the user's: each region that it gets of them
};

// Asks the codegen about a great many nodes.
[[nodiscard]] Corpus make_corpus(codegen::Codegen& codegen, const TargetSpec& target, const CorpusSize& size);

}  // namespace byoc::check
