// Names of nodes in reports, where operators are told apart that cost different things.
#pragma once

#include <string>

#include "sdk/model/ir/graph.hpp"

namespace byoc::ir {

// The operator, "MaxPool"; a convolution whose groups have one input channel each is a "DepthwiseConv".
[[nodiscard]] std::string kind_of(const Graph& graph, const Node& node);

// As Node::describe(), with the kind in the place of the operator: "DepthwiseConv 'layer1/conv' (#3)".
[[nodiscard]] std::string describe_kind(const Graph& graph, const Node& node);

}  // namespace byoc::ir
