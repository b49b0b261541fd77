// BYOC_API: what libbyoc gives to programs.
#pragma once

#if defined(__GNUC__)
#define BYOC_API __attribute__((visibility("default")))
#else
#define BYOC_API
#endif
