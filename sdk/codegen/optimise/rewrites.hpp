// The rewrites. Each looks at the whole graph, changes what it may, and says what that saves. The order is that of
// optimise.cpp. Each has a proof sketch in its file.
#pragma once

#include "sdk/codegen/optimise/editable.hpp"

namespace byoc::optimise {

// Pads of zeros in front of convolutions become the convolutions' own padding.
void fold_pads(Editable& edit, RewriteSummary& summary);

// Clamps of quantised values behind operators that clamp anyway become these operators' activations.
void fold_activations(Editable& edit, RewriteSummary& summary);

// Chains of requantisations that are one requantisation, or none, become that.
void join_quantise(Editable& edit, RewriteSummary& summary);

// Reshapes go where what reads them would read the same elements in the same order.
void skip_reshapes(Editable& edit, RewriteSummary& summary);

// Channels that are the same number in every run, and channels that nobody needs, are not computed.
void drop_channels(Editable& edit, RewriteSummary& summary);

}  // namespace byoc::optimise
