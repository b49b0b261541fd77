/* Options of a plug-in, declared as data. The host reads `--plugin-option <plug-in id>.<name>=<value>`, checks it
 * against the declaration, lists it with its help, and records it in the manifest. An unknown name is an error. */
#ifndef BYOC_ABI_OPTION_H
#define BYOC_ABI_OPTION_H

#include "byoc/abi/base.h"

#define BYOC_OPTION_BOOL 1u    /* "true" or "false"; integer is 1 or 0 */
#define BYOC_OPTION_INTEGER 2u /* decimal, or hexadecimal with 0x */
#define BYOC_OPTION_REAL 3u
#define BYOC_OPTION_TEXT 4u   /* any text */
#define BYOC_OPTION_CHOICE 5u /* one of `choices` */

/* Declared by the plug-in, in static storage. */
typedef struct byoc_option {
  uint32_t struct_size;
  uint32_t type;               /* BYOC_OPTION_... */
  byoc_string_t name;          /* lower-case letters, digits and '-' */
  byoc_string_t help;          /* one line for people: what it does, unit */
  byoc_string_t default_value; /* as a user would write it */
  const byoc_string_t* choices;
  uint32_t choice_count;
  uint32_t reserved0;
} byoc_option_t;

/* A checked value; every declared option has one, given by the user or its default. Filled in by the host. */
typedef struct byoc_option_value {
  uint32_t struct_size;
  uint32_t type;
  byoc_string_t name;
  byoc_string_t text; /* as it was given: all types */
  int64_t integer;    /* bool, integer */
  double real;        /* integer, real */
} byoc_option_value_t;

#endif
