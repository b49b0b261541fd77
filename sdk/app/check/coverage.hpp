// The operators that a plug-in claims, and those that have been run: by operator, element type and form.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sdk/app/check/findings.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc::check {

// The operator ("Conv i8") and the forms of a node: "dilations above 1", "no input 2", "input 1 per channel",
// "activation relu6". Any attribute is a form; for lists whether they are even, for numbers whether they are 0, 1 or
// more.
struct Forms {
  std::string op;
  std::vector<std::string> forms;  // "" first: the operator itself
};
[[nodiscard]] Forms forms_of(const ir::Graph& graph, const ir::Node& node);

class Coverage {
 public:
  struct Count {
    std::uint64_t claimed = 0, ran = 0;  // nodes
  };
  void add_claimed(const ir::Graph& graph, const ir::Node& node) { add(graph, node, &Count::claimed); }
  void add_ran(const ir::Graph& graph, const ir::Node& node) { add(graph, node, &Count::ran); }

  // By operator: the number of claimed and run nodes and forms, and the forms that did not run.
  struct Line {
    std::string op;
    Count nodes, forms;
    std::vector<std::string> missing;
  };
  [[nodiscard]] std::vector<Line> lines() const;

  void pack(Packer& out) const;
  void unpack(Unpacker& in);

 private:
  void add(const ir::Graph& graph, const ir::Node& node, std::uint64_t Count::* which);
  std::map<std::string, std::map<std::string, Count>> counts_;  // by operator and form
};

}  // namespace byoc::check
