/* The entry of a plug-in: one exported function, from which everything else is reached. */
#ifndef BYOC_ABI_ENTRY_H
#define BYOC_ABI_ENTRY_H

#include "byoc/abi/base.h"
#include "byoc/abi/compile.h"
#include "byoc/abi/host.h"
#include "byoc/abi/option.h"
#include "byoc/abi/pattern.h"
#include "byoc/abi/verdict.h"

/* The host's description of itself. */
typedef struct byoc_query {
  uint32_t struct_size;
  uint32_t abi_major;         /* BYOC_ABI_MAJOR of the host */
  uint32_t abi_minor;         /* newest minor that the host speaks */
  uint32_t min_plugin_minor;  /* oldest minor of a plug-in that the host still serves */
  byoc_string_t host_version; /* for people: "byoc 0.1.0" */
} byoc_query_t;

#define BYOC_CAP_DETERMINISTIC 1u /* same request, same bytes */
#define BYOC_CAP_CANCELLABLE 2u   /* asks byoc_host_t::cancelled */
#define BYOC_CAP_REENTRANT 4u     /* two codegens of this plug-in may be called at the same time */
#define BYOC_CAP_MEMORY_BUDGET 8u /* can do with less: is asked again with a budget when the plan does not fit */
/* Wraps a compiler that rounds its own way: regions whose rounding it cannot follow are offered only if the user allows
 * it; see BYOC_LSB. */
#define BYOC_CAP_OTHER_ROUNDING 16u
#define BYOC_CAP_NETWORK 32u /* needs the network to compile */
/* Its regions may be rewritten by the host after it claimed their nodes, exactly and with its consent:
 * it is asked for verdicts again, and what it refuses then is not done. Values that cross a border of a region keep
 * their shape; those inside may lose channels. Without it regions are the model's own. */
#define BYOC_CAP_REWRITES 64u
/* Compiles nodes whose operands have dims that are known only at run time (byoc_region_t::symbols),
 * each in a region of its own, as one step without an instance and private values. */
#define BYOC_CAP_OPEN_DIMS 128u

/* The role of a codegen. */
#define BYOC_ROLE_VENDOR 0u    /* some nodes: it comes first, and what it does not take goes to others */
#define BYOC_ROLE_REFERENCE 1u /* everything that it can: it takes what vendors leave, unless the user prefers it */

/* An instance of the plug-in's codegen; the plug-in's own type. */
typedef struct byoc_codegen byoc_codegen_t;

typedef struct byoc_create_info {
  uint32_t struct_size;
  uint32_t option_count;
  const byoc_host_t* host;                   /* lives until destroy() has returned */
  const byoc_target_t* target;               /* lives as long */
  const byoc_option_value_t* const* options; /* one for each declared option, in their order */
} byoc_create_info_t;

/* The plug-in. In static storage, the same every time. The members up to min_host_minor have the same place in every
 * version of the ABI. */
typedef struct byoc_plugin {
  uint32_t struct_size;
  uint32_t abi_major;      /* BYOC_ABI_MAJOR of the headers it was built with */
  uint32_t abi_minor;      /* BYOC_ABI_MINOR of them */
  uint32_t min_host_minor; /* oldest host it can work with: the newest member it cannot do without */

  byoc_string_t id;   /* reverse domain, lower case: "com.acme.npu"; also the prefix of its options */
  byoc_string_t name; /* for people: "Acme NPU compiler" */
  byoc_string_t vendor;
  byoc_string_t version;  /* of the plug-in: "2.1.0" */
  byoc_string_t build_id; /* tells two builds of one version apart; may be "" */
  byoc_string_t license;  /* SPDX identifier of the code it emits */
  uint64_t caps;          /* BYOC_CAP_... */

  const byoc_option_t* const* options;
  const byoc_pattern_t* const* patterns;
  uint32_t option_count;
  uint32_t pattern_count;
  uint32_t operators_version; /* newest version of domain "byoc" that it knows; newer nodes are not offered to it */
  uint32_t reserved0;

  /* Makes a codegen for one export. Failure: tell diagnostics through info->host, leave *codegen NULL. */
  byoc_status_t (*create)(const byoc_create_info_t* info, byoc_codegen_t** codegen);

  /* Ends it. Called exactly once for each codegen that create() made. */
  void (*destroy)(byoc_codegen_t* codegen);

  /* Tells a verdict on every node of request->model, and groups. Pure: the same answers every time. */
  byoc_status_t (*verdicts)(byoc_codegen_t* codegen, const byoc_verdict_request_t* request);

  /* Compiles its regions. May be called several times, each time for a fresh start (request->attempt). */
  byoc_status_t (*compile)(byoc_codegen_t* codegen, const byoc_compile_request_t* request);

  /* A table of an extension, by id, as byoc_host_t::extension; static storage. NULL, or returns NULL: not there. */
  const void* (*extension)(const byoc_string_t* id);

  /* Replaces constants that its regions are bound to (converted, pruned, requantised, packed), before
   * each compile() and before memory is planned. Pure: the same request, the same constants. NULL: it replaces none. */
  byoc_status_t (*update_constants)(byoc_codegen_t* codegen, const byoc_update_request_t* request);

  uint32_t role; /* BYOC_ROLE_... */
  uint32_t reserved1;
} byoc_plugin_t;

/* The only symbol that a plug-in exports, byoc_plugin_query_v1. Pure: no state that can be observed, callable from any
 * thread, any number of times, before anything else. It returns the table to hosts that are too old or too new as well:
 * the host compares the versions and says both; NULL only if abi_major is not the plug-in's. A plug-in that is linked
 * into the host's program has a function of this type under a name of its own, which is registered by a call. */
typedef const byoc_plugin_t* (*byoc_plugin_query_fn)(const byoc_query_t* query);

#define BYOC_PLUGIN_QUERY_SYMBOL "byoc_plugin_query_v1"

#if defined(__GNUC__)
#define BYOC_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define BYOC_PLUGIN_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif
/* Defined by a plug-in. */
BYOC_PLUGIN_EXPORT const byoc_plugin_t* byoc_plugin_query_v1(const byoc_query_t* query);
#ifdef __cplusplus
}
#endif

#endif
