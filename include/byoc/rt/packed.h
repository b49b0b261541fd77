/* The functions that a graph executor calls, as TVM 0.15 has them: facts of that ABI, which does not change any more,
 * by names of our own. C99, freestanding. On a 64-bit machine a tensor has 48 bytes, a value 8. */
#ifndef BYOC_RT_PACKED_H
#define BYOC_RT_PACKED_H

#include <stdint.h>

#include "byoc/rt/dlpack.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tensors are those of byoc/rt/dlpack.h. What that ABI has otherwise: a code for handles, which are no elements, and a
 * bool is a BYOC_DL_UINT with 1 bit, in a byte of its own. */
#define BYOC_PACKED_HANDLE 3u

typedef union byoc_packed_value {
  int64_t v_int;
  double v_float;
  void* v_handle;
  const char* v_str;
} byoc_packed_value_t;

/* The kind of an argument. */
#define BYOC_PACKED_ARG_INT 0
#define BYOC_PACKED_ARG_HANDLE 3
#define BYOC_PACKED_ARG_NULL 4
#define BYOC_PACKED_ARG_TENSOR 7          /* v_handle is a byoc_dl_tensor_t* */
#define BYOC_PACKED_ARG_COUNTED_TENSOR 13 /* the same, of a tensor that others hold as well */

/* Returns 0 for success. `resource` is NULL. */
typedef int32_t (*byoc_packed_function_t)(byoc_packed_value_t* args, int32_t* arg_codes, int32_t arg_count,
                                          byoc_packed_value_t* result, int32_t* result_code, void* resource);

#ifdef __cplusplus
}
#endif

#endif
