/* Functions of the host in every phase. */
#ifndef BYOC_ABI_HOST_H
#define BYOC_ABI_HOST_H

#include "byoc/abi/base.h"
#include "byoc/abi/graph.h"

#define BYOC_NOTE 0u
#define BYOC_WARNING 1u
#define BYOC_ERROR 2u

/* A diagnostic. An error makes the export fail once the plug-in's function has returned. */
typedef struct byoc_diagnostic {
  uint32_t struct_size;
  uint32_t severity;           /* BYOC_NOTE ... */
  const byoc_region_t* region; /* of the current call; NULL: about no node */
  uint32_t node;               /* index into region->nodes, or BYOC_NONE */
  uint32_t code;               /* the plug-in's own stable number for this kind of message; 0: none */
  byoc_string_t message;       /* lower case, no full stop: what is wrong */
  byoc_string_t found;         /* what was there; "" if that says nothing */
  byoc_string_t expected;      /* what would have been right */
  byoc_string_t hint;          /* what the user may do about it */
  byoc_string_t file;          /* a file of the plug-in's own that it is about; "" is the model */
} byoc_diagnostic_t;

#define BYOC_LOG_DEBUG 0u
#define BYOC_LOG_INFO 1u

/* Takes bytes of a stream. Returns BYOC_OK, or a status that ends the stream and is handed through. */
typedef byoc_status_t (*byoc_write_fn)(void* user, const void* bytes, uint64_t size);

/* A table of functions, each called with the table itself. It lives as long as the codegen that was created with it.
 * All functions: any phase, the thread of the current call only; arguments are the caller's and are read before
 * return. */
typedef struct byoc_host byoc_host_t;
struct byoc_host {
  uint32_t struct_size;
  uint32_t abi_minor;    /* what both sides speak: the smaller of the two minors */
  void* context;         /* the host's own */
  byoc_string_t version; /* of the host, for people: "byoc 0.1.0" */

  /* Tells a diagnostic. Never fails; a malformed one is told as an error of the plug-in. */
  void (*diag)(const byoc_host_t* host, const byoc_diagnostic_t* diagnostic);

  /* A line for the log, shown when the user asks for it (BYOC_LOG_...). Never fails. */
  void (*log)(const byoc_host_t* host, uint32_t level, const byoc_string_t* text);

  /* Reports the progress of the current call: done of total in any unit; total 0 if it is not known. Never fails. */
  void (*progress)(const byoc_host_t* host, uint64_t done, uint64_t total, const byoc_string_t* what);

  /* 1 if the user wants to stop. A plug-in that works long asks between pieces of work and returns BYOC_CANCELLED. */
  uint32_t (*cancelled)(const byoc_host_t* host);

  /* A private, empty folder for files of the plug-in's own: absolute path, without a slash at its end. It is the
   * same for the whole life of the codegen, and removed with everything in it after destroy(). *path is the host's
   * and lives as long. BYOC_FAILED if it cannot be made. */
  byoc_status_t (*scratch_directory)(const byoc_host_t* host, byoc_string_t* path);

  /* The identity of a constant of a region of the current call. BYOC_INVALID_ARGUMENT if the value is no constant. */
  byoc_status_t (*identity)(const byoc_host_t* host, const byoc_region_t* region, uint32_t value,
                            byoc_identity_t* identity);

  /* A region of the current call as an ONNX model (ModelProto bytes), written piece by piece to `write` with `user`.
   * Standard ONNX in place, opset 18 or newer: QDQ form, NCHW. Metadata "byoc.requant" is "tflite" or "onnx": whose
   * rounding the results must have. Names of values are unique and stable: "v<index>". Failure: what `write` returned;
   * BYOC_UNSUPPORTED where ONNX cannot say it, or tflite's rounding is asked for without BYOC_CAP_OTHER_ROUNDING. */
  byoc_status_t (*region_as_onnx)(const byoc_host_t* host, const byoc_region_t* region, byoc_write_fn write,
                                  void* user);

  /* A table of an extension, by its id: "byoc.<name>/<version>", or a vendor's own reverse domain. NULL if this host
   * does not have it. Lives as long as the host table. Ids with "draft" in them may change or go with any release. */
  const void* (*extension)(const byoc_host_t* host, const byoc_string_t* id);

  /* A region of the current call as a TFLite model of its own, in one piece, written
   * to `write` with `user`: the operators of the model's file that compute the region's outputs from its inputs, with
   * their versions, options, quantisation and constants as the file has them; those replaced in update_constants as
   * replaced. Inputs and outputs are the region's in their order, but for variable tensors, which are in the model.
   * Tensors have the names of the region's values. Failure: what `write` returned; BYOC_UNSUPPORTED where the region is
   * not of a TFLite file, or its border lies within an operator. */
  byoc_status_t (*region_as_tflite)(const byoc_host_t* host, const byoc_region_t* region, byoc_write_fn write,
                                    void* user);
};

#endif
