/* The whole plug-in ABI in one include. C++ authors may prefer byoc/plugin.hpp, which stands on it. */
#ifndef BYOC_ABI_ABI_H
#define BYOC_ABI_ABI_H

#include "byoc/abi/artifact.h"
#include "byoc/abi/base.h"
#include "byoc/abi/compile.h"
#include "byoc/abi/entry.h"
#include "byoc/abi/graph.h"
#include "byoc/abi/host.h"
#include "byoc/abi/option.h"
#include "byoc/abi/pattern.h"
#include "byoc/abi/step.h"
#include "byoc/abi/target.h"
#include "byoc/abi/verdict.h"

#endif
