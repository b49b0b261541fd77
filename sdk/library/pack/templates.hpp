// The templates of this folder. Internal to it.
#pragma once

#include "sdk/base/support/template.hpp"

namespace byoc {

EmbeddedFiles pack_templates();
EmbeddedFiles licence_files();  // byoc's LICENSE  // embedded by the build

}  // namespace byoc
