/* Between the parts of model @TITLE@; not for its users. */
#ifndef @GUARD@
#define @GUARD@

#include <stdint.h>

@KERNELS@
#ifdef __cplusplus
extern "C" {
#endif

@CONSTANTS@
@STEPS@
#ifdef __cplusplus
}
#endif

#endif
