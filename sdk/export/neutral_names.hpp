// An export without the names that the model's layers have, which say much about a network.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sdk/export/export.hpp"
#include "sdk/model/prepare/prepare.hpp"

namespace byoc {

// A model whose nodes are called "n00000", "n00001" ... and whose values "v00000" ..., those of the graphs inside of
// nodes too, and whose open dims "d00000" .... Its inputs and outputs, and the dims of these, keep their names: they
// are the interface of what is made of it. Nodes of one source node have one name.
class NeutralNames {
 public:
  // `name` takes the place of the graph's own.
  NeutralNames(const ir::Graph& graph, const std::string& name);

  [[nodiscard]] std::shared_ptr<const ir::Graph> graph() const { return graph_; }
  // The request with neutral names in the options that refer to nodes by name.
  [[nodiscard]] ExportRequest renamed(ExportRequest request) const;
  // A diagnostic about the renamed model in the words of the user's.
  [[nodiscard]] Diagnostic in_own_words(Diagnostic d) const;
  // {"schema": 1, "nodes": {"n00000": "conv1/Relu", ...}, "values": {...}, "dims": {...}}, the last where there are
  // some
  [[nodiscard]] std::string map_text() const;

 private:
  void take(ir::Graph& graph, bool is_body);
  void take_dims(ir::Graph& graph, bool is_body);

  std::shared_ptr<ir::Graph> graph_;
  std::map<std::string, std::string> nodes_, values_, dims_;  // neutral -> own
  std::map<SourceNode, std::string> known_nodes_;             // what lifting made of a node is found by its name
  std::map<std::string, std::string> known_values_;
  std::map<std::string, std::string> known_dims_;  // own -> neutral; or own, of those that keep theirs
  std::size_t next_dim_ = 0;
  std::vector<ir::Node> own_;  // as they were, in the order of their neutral names
};

}  // namespace byoc
