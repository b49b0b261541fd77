#include "byoc_mac_f32.h"

#if BYOC_THUMB_FPU
#include "byoc_block_f32_thumb.h"
#else
#include "byoc_block_f32.h"
#endif
#include "byoc_columns_f32.h"
#include "byoc_conv_loops_f32.h"
