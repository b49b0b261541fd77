/* Steps: what the generated root calls. One memory plan covers the steps of all codegens.
 *
 * A step is an external C function int32_t symbol(...), 0 for success. Parameters in this order: void *instance (with
 * BYOC_STEP_INSTANCE), inputs (const T *), outputs (T *), one void * for each workspace, const int32_t *dims (where
 * the region has symbols: the length of each). T is the element's C type: float, double, int8_t ...; bool and 4-bit
 * pairs uint8_t, 16-bit floats uint16_t; void for private values. The host writes the prototypes into
 * byoc_compile_request_t::internal_header. */
#ifndef BYOC_ABI_STEP_H
#define BYOC_ABI_STEP_H

#include "byoc/abi/base.h"

#define BYOC_OPERAND_VALUE 0u   /* id: a value of the region, in the graph's own layout */
#define BYOC_OPERAND_PRIVATE 1u /* id: what byoc_build_t::private_value gave */

/* An operand of a step. No constants: those are symbols of the codegen's own. */
typedef struct byoc_operand {
  uint32_t struct_size;
  uint32_t kind; /* BYOC_OPERAND_... */
  uint32_t id;
  uint32_t layout;        /* reserved: 0, the graph's own */
  uint64_t offset;        /* reserved: 0; bytes into the storage */
  const int64_t* strides; /* reserved: NULL, dense; bytes for each dim */
  uint32_t stride_count;
  uint32_t reserved0;
} byoc_operand_t;

/* Bytes that a step needs while it runs and does not keep. */
typedef struct byoc_workspace {
  uint32_t struct_size;
  uint32_t align; /* bytes, a power of two */
  uint64_t bytes;
  const byoc_string_t* pools; /* RAM pools it may live in, in order of preference; none: the first of the target */
  uint32_t pool_count;
  uint32_t reserved0;
} byoc_workspace_t;

/* outputs[output] may start at the address of inputs[input], or byoc_step_t::overlay_leads before it, if nobody reads
 * that input afterwards. A value that is several inputs of a step is overlaid only if each of them may be. Never
 * changes. */
typedef struct byoc_overlay {
  uint32_t output;
  uint32_t input;
} byoc_overlay_t;

#define BYOC_STEP_INSTANCE 1u /* takes the codegen's instance */
#define BYOC_STEP_ASYNC 2u    /* reserved: `symbol` starts it, `wait` ends it */

typedef struct byoc_step {
  uint32_t struct_size;
  uint32_t workspace_count;
  uint64_t flags;       /* BYOC_STEP_... */
  byoc_string_t symbol; /* from byoc_build_t::claim */
  const byoc_operand_t* const* inputs;
  const byoc_operand_t* const* outputs;
  uint32_t input_count;
  uint32_t output_count;
  const byoc_workspace_t* const* workspaces;
  const byoc_overlay_t* overlays;
  const uint32_t* nodes; /* of the region that it computes, for reports */
  uint32_t overlay_count;
  uint32_t node_count;
  uint64_t macs;        /* multiply-accumulates of one call, for reports; 0: none or not known */
  byoc_string_t kernel; /* for reports: "conv_s8_dsp" */
  byoc_string_t wait;   /* reserved: "" */
  /* For each overlay how many bytes the output starts before the input; NULL: all at its address. */
  const uint64_t* overlay_leads;
  uint64_t instructions; /* for reports: of one call, estimated; 0: not known */
  uint64_t kernel_bytes; /* for reports: of the code of `kernel`, which steps may share, estimated; 0: not known */
  byoc_string_t remark;  /* for reports: a line for people: why this kernel; "": none */
  byoc_string_t failure; /* for people: why a call may return another value than 0; "": the run returns what it does */
} byoc_step_t;

/* Storage of a codegen's own between its steps; planned with everything else. */
typedef struct byoc_private_value {
  uint32_t struct_size;
  uint32_t align; /* bytes, a power of two */
  uint64_t bytes;
  const byoc_string_t* pools; /* as of a workspace */
  uint32_t pool_count;
  uint32_t reserved0;
} byoc_private_value_t;

/* The place of a graph value that is stored privately, for tensor dumps: element (i0, i1, ...) is at byte base +
 * sum(strides[k] * i_k) of the private value. */
typedef struct byoc_private_layout {
  uint32_t struct_size;
  uint32_t private_value;
  uint64_t base;
  const int64_t* strides; /* bytes, one for each dim of the value */
  uint32_t stride_count;
  uint32_t reserved0;
} byoc_private_layout_t;

/* State of a codegen inside the caller's instance: a driver's handle, recurrent state. The functions are C functions
 * int32_t f(void *instance), 0 for success, from byoc_build_t::claim; "" for none. init runs before the first run,
 * reset brings the state back to what init made, deinit ends it. */
typedef struct byoc_instance {
  uint32_t struct_size;
  uint32_t align; /* bytes, a power of two */
  uint64_t bytes;
  byoc_string_t init;
  byoc_string_t reset;
  byoc_string_t deinit;
  const byoc_string_t* pools; /* as of a workspace; the instances of a model are one, in a pool that all of them list */
  uint32_t pool_count;
  uint32_t reserved0;
  /* The device whose handle the program hands over, a C identifier: "ethos_u"; "": none. The codegen's part begins with
   * it, a void *, which is NULL until <model>_set_devices(). */
  byoc_string_t device;
} byoc_instance_t;

#endif
