/* Extension "byoc.moving-constants/1" of a plug-in (byoc_plugin_t::extension): its C sources can do with constants that
 * have no address before the program runs, as `byoc export --weights-blob` makes them.
 *
 * A constant's name in the internal header is then an expression, with the same type, that is good inside functions
 * alone: no initialiser of a static variable may have it, and no object or bitcode that the plug-in hands over can
 * know it. */
#ifndef BYOC_ABI_EXT_MOVING_CONSTANTS_H
#define BYOC_ABI_EXT_MOVING_CONSTANTS_H

#include "byoc/abi/entry.h"

#define BYOC_MOVING_CONSTANTS "byoc.moving-constants/1"

typedef struct byoc_moving_constants {
  uint32_t struct_size;
  uint32_t reserved0;
  /* Called before each compile(): whether the constants that it hands over will have no address (1) or will (0). A
   * codegen that was never told so has constants with addresses. Thread and failure as of compile(). */
  byoc_status_t (*move)(byoc_codegen_t* codegen, uint32_t moves);
} byoc_moving_constants_t;

#endif
