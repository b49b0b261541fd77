/* The second question: here are your regions, all in one call; hand over artifacts and steps. */
#ifndef BYOC_ABI_COMPILE_H
#define BYOC_ABI_COMPILE_H

#include "byoc/abi/artifact.h"
#include "byoc/abi/base.h"
#include "byoc/abi/graph.h"
#include "byoc/abi/step.h"
#include "byoc/abi/target.h"

/* Never changes. */
typedef struct byoc_arrangement_axis {
  uint64_t extent;
  uint64_t stride; /* elements of the source */
} byoc_arrangement_axis_t;

/* Never changes. */
typedef struct byoc_arrangement_loop {
  uint64_t count;
  uint64_t step; /* along the axis */
  uint32_t axis; /* index into byoc_arrangement_t::axes */
  uint32_t reserved0;
} byoc_arrangement_loop_t;

/* The elements of a constant in another order, as a nest of loops over logical axes, the first loop
 * outermost. In each of its iterations the index along an axis is the sum of counter * step over the loops of that
 * axis. Where every index is less than the extent of its axis, the element is source[offset + sum(index * stride)],
 * elsewhere it is zero. At most 16 axes and 16 loops; 2^40 bytes. */
typedef struct byoc_arrangement {
  uint32_t struct_size;
  uint32_t element_size; /* bytes: 1, 2, 4 or 8 */
  uint64_t offset;       /* elements of the source */
  const byoc_arrangement_axis_t* axes;
  const byoc_arrangement_loop_t* loops;
  uint32_t axis_count;
  uint32_t loop_count;
} byoc_arrangement_t;

/* The receiver of results. Functions: during byoc_plugin_t::compile only, thread of the call only; their arguments
 * are read before they return. `region` is an index into byoc_compile_request_t::regions. A function that fails has
 * reported the reason. */
typedef struct byoc_build byoc_build_t;
struct byoc_build {
  uint32_t struct_size;
  uint32_t reserved0;
  void* context;

  /* A C identifier that nobody else in this export has: "<prefix>_<stem>", made legal and unique. *symbol is the host's
   * and lives until compile returns. */
  byoc_status_t (*claim)(const byoc_build_t* build, const byoc_string_t* stem, byoc_string_t* symbol);

  /* An artifact by streaming: begin gives a handle, write appends, end completes it. An artifact that was begun and
   * not ended when compile returns is an error. Several may be open at a time. BYOC_ARTIFACT_LINK_LIBRARY has no
   * writes. */
  byoc_status_t (*artifact_begin)(const byoc_build_t* build, const byoc_artifact_t* artifact, uint32_t* handle);
  byoc_status_t (*artifact_write)(const byoc_build_t* build, uint32_t handle, const void* bytes, uint64_t size);
  byoc_status_t (*artifact_end)(const byoc_build_t* build, uint32_t handle);

  /* A constant artifact that is bytes [offset, offset + length) of a constant of a region, by reference: it goes from
   * the model's file into the library without a copy. */
  byoc_status_t (*artifact_from_constant)(const byoc_build_t* build, const byoc_artifact_t* artifact, uint32_t region,
                                          uint32_t value, uint64_t offset, uint64_t length);

  /* Storage between steps; *id names it in operands and layouts. */
  byoc_status_t (*private_value)(const byoc_build_t* build, const byoc_private_value_t* value, uint32_t* id);

  /* A call of the root. Steps run in an order that the host chooses among those that respect their operands; every
   * output of every region must be an output of a step, or an alias. */
  byoc_status_t (*step)(const byoc_build_t* build, uint32_t region, const byoc_step_t* step);

  /* `value` is the same bytes as `of` (a reshape): no step, no copy. */
  byoc_status_t (*alias)(const byoc_build_t* build, uint32_t region, uint32_t value, uint32_t of);

  /* The place of an inner value, for tensor dumps. */
  byoc_status_t (*stored_privately)(const byoc_build_t* build, uint32_t region, uint32_t value,
                                    const byoc_private_layout_t* layout);

  /* `value` is never stored: it was computed inside the step that makes `into`. */
  byoc_status_t (*fused)(const byoc_build_t* build, uint32_t region, uint32_t value, uint32_t into);

  /* The codegen's part of the instance; at most once. */
  byoc_status_t (*instance)(const byoc_build_t* build, const byoc_instance_t* instance);

  /* A constant artifact that is an arrangement of a constant of a region, by reference: its bytes
   * are made while they are written, and never held in memory. */
  byoc_status_t (*artifact_arranged)(const byoc_build_t* build, const byoc_artifact_t* artifact, uint32_t region,
                                     uint32_t value, const byoc_arrangement_t* arrangement);
};

/* The replacement of a constant. Copied before the function that it is given to returns. */
typedef struct byoc_constant {
  uint32_t struct_size;
  uint32_t dtype;      /* BYOC_F32 ... */
  const int64_t* dims; /* row-major, none of them open */
  uint32_t rank;
  uint32_t reserved0;
  const byoc_quantisation_t* quantisation; /* NULL: not quantised */
  const void* data;                        /* row-major, little-endian */
  uint64_t data_size;                      /* bytes: as many as dtype and dims make */
} byoc_constant_t;

/* The receiver of replaced constants. Functions: during byoc_plugin_t::update_constants only, thread
 * of the call only. */
typedef struct byoc_updates byoc_updates_t;
struct byoc_updates {
  uint32_t struct_size;
  uint32_t reserved0;
  void* context;

  /* From now on the constant `value` of the region (an index into byoc_update_request_t::regions) is `constant`, for
   * this codegen and this region alone: in what compile() is given, in artifact_from_constant and in identity. What
   * other regions and codegens read stays as it is. The last one given counts. region_as_onnx refuses a region in which
   * a constant has got another dtype or other dims. BYOC_INVALID_ARGUMENT: no constant of that region, or `constant` is
   * none. */
  byoc_status_t (*replace)(const byoc_updates_t* updates, uint32_t region, uint32_t value,
                           const byoc_constant_t* constant);
};

typedef struct byoc_update_request {
  uint32_t struct_size;
  uint32_t region_count;
  const byoc_target_t* target;
  const byoc_region_t* const* regions; /* those that compile() is given next, in that order, as the model has them */
  const byoc_updates_t* updates;
} byoc_update_request_t;

#define BYOC_BALANCED 0u
#define BYOC_SPEED 1u
#define BYOC_SIZE 2u

typedef struct byoc_compile_request {
  uint32_t struct_size;
  uint32_t objective; /* BYOC_BALANCED ... */
  const byoc_target_t* target;
  const byoc_region_t* const* regions;
  uint32_t region_count;
  uint32_t attempt; /* 0; 1, 2 ... when the host asks again because the plan did not fit: everything is handed over
                       anew */
  uint64_t memory_budget;        /* bytes of workspace that the whole model may take; 0: not bounded */
  byoc_string_t prefix;          /* of every public symbol of the model */
  byoc_string_t internal_header; /* C sources #include "this" for prototypes, constants and names of shared kernels */
  const byoc_build_t* build;
} byoc_compile_request_t;

#endif
