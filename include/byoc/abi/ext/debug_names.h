/* Extension "byoc.debug-names/1" of the host: what a codegen keeps for itself gets names for people.
 *
 *   const byoc_string_t id = BYOC_STRING(BYOC_DEBUG_NAMES);
 *   const byoc_debug_names_t* names = (const byoc_debug_names_t*)host->extension(host, &id);
 *
 * NULL where the host does not have it: byoc_build_t::private_value does the same
 * without a name. */
#ifndef BYOC_ABI_EXT_DEBUG_NAMES_H
#define BYOC_ABI_EXT_DEBUG_NAMES_H

#include "byoc/abi/compile.h"

#define BYOC_DEBUG_NAMES "byoc.debug-names/1"

typedef struct byoc_debug_names {
  uint32_t struct_size;
  uint32_t reserved0;
  /* As byoc_build_t::private_value, and in the same places: `name` is the storage's name in reports and plans. One
   * line for people, at most 200 bytes; it need not be unique. BYOC_INVALID_ARGUMENT if it is not such a line. */
  byoc_status_t (*private_value)(const byoc_build_t* build, const byoc_private_value_t* value,
                                 const byoc_string_t* name, uint32_t* id);
} byoc_debug_names_t;

#endif
