// An export without the names that the model's layers have, which say much about a network.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sdk/pipeline/export.hpp"

namespace byoc {

// A model whose nodes are called "n00000", "n00001" ... and whose values "v00000" ..., those of the graphs inside of
// nodes too. Its inputs and outputs keep their names: they are the interface of what is made of it.
class NeutralNames {
 public:
  // `name` takes the place of the graph's own.
  NeutralNames(const ir::Graph& graph, const std::string& name);

  [[nodiscard]] std::shared_ptr<const ir::Graph> graph() const { return graph_; }
  // What the options say of nodes by name is said of the renamed ones.
  void rename(ExportOptions& options) const;
  // A diagnostic about the renamed model in the words of the user's.
  [[nodiscard]] Diagnostic in_own_words(Diagnostic d) const;
  // {"schema": 1, "nodes": {"n00000": "conv1/Relu", ...}, "values": {...}}
  [[nodiscard]] std::string map_text() const;

 private:
  void take(ir::Graph& graph, bool is_body);

  std::shared_ptr<ir::Graph> graph_;
  std::map<std::string, std::string> nodes_, values_;  // neutral -> own
  std::vector<ir::Node> own_;                          // as they were, in the order of their neutral names
};

}  // namespace byoc
