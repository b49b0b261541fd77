/* Draft extension "byoc.draft.constants-updater/1": a codegen replaces constants that its regions are bound to, before
 * memory is planned (weights converted, pruned or re-quantised offline).
 *
 * Draft: it may change or go with any release, and then has another id. Offered by the plug-in
 * (byoc_plugin_t::extension); a host that does not know it never asks. */
#ifndef BYOC_ABI_EXT_DRAFT_CONSTANTS_UPDATER_H
#define BYOC_ABI_EXT_DRAFT_CONSTANTS_UPDATER_H

#include "byoc/abi/entry.h"

#define BYOC_EXT_CONSTANTS_UPDATER "byoc.draft.constants-updater/1"

/* Takes the new bytes of a constant; its type stays. BYOC_INVALID_ARGUMENT: no constant, or not of its size. */
typedef byoc_status_t (*byoc_replace_constant_fn)(void* user, uint32_t region, uint32_t value, const void* bytes,
                                                  uint64_t size);

typedef struct byoc_constants_updater {
  uint32_t struct_size;
  uint32_t reserved0;
  /* After partitioning and before compile(), with the same regions. Thread, lifetime and failure as of compile(). */
  byoc_status_t (*update)(byoc_codegen_t* codegen, const byoc_region_t* const* regions, uint32_t region_count,
                          byoc_replace_constant_fn replace, void* user);
} byoc_constants_updater_t;

#endif
