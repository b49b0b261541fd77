// The templates of this folder. Internal to it.
#pragma once

#include "sdk/base/support/template.hpp"

namespace byoc {

EmbeddedFiles pack_templates();  // embedded by the build

}  // namespace byoc
