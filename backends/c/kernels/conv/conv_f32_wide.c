#include "byoc_block_f32_wide.h"
#include "byoc_columns_f32_wide.h"
#include "byoc_conv_loops_f32.h"
