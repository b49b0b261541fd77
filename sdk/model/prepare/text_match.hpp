// RegexFullMatch on strings that are rows of bytes. Internal to this folder.
#pragma once

#include <string_view>

#include "sdk/model/prepare/node_writer.hpp"

namespace byoc {

// The matches of the strings: bool of `dims`, for cells of u8[dims, size]. The automaton takes a step for each byte,
// for all strings at once. kNoValue if no automaton can be made of the pattern.
ir::ValueId match_cells(NodeWriter&, ir::Graph&, const ir::Node& like, ir::ValueId cells,
                        const std::vector<ir::Dim>& dims, std::string_view pattern);

}  // namespace byoc
