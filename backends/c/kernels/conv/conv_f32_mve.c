#include "byoc_block_f32_mve.h"
#include "byoc_columns_f32_mve.h"
#include "byoc_conv_loops_f32.h"
