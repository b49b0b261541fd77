// Diagnostics and results are public (include/byoc); what implements them is in this folder.
#pragma once

#include "byoc/diagnostics.hpp"
