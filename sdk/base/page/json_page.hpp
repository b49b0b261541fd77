// A page of what is JSON already.
#pragma once

#include <string>

#include "sdk/base/page/page.hpp"
#include "sdk/base/support/json.hpp"

namespace byoc::page {

// Puts what a JSON object says onto a page: numbers and texts at its top are its figures, each array of objects is a
// table with the columns that any of them has, and so are all such arrays of one name within these, with the names of
// those that have them; what else there is, is text. Nothing is left out.
void add_json(const Json& object, Page& page);

}  // namespace byoc::page
