/* Root of model @TITLE@: calls the steps in planned order over the planned workspace. */
#include <string.h>

#include "@HEADER@"
#include "@INTERNAL_HEADER@"

#ifdef BYOC_TRACE
#ifdef __cplusplus
extern "C"
#endif
void byoc_trace(int32_t step);
#define TRACE(step) byoc_trace(step)
#else
#define TRACE(step) ((void)0)
#endif
@LIFECYCLE@
int32_t @PREFIX@_run(@INSTANCE_PARAMETER@const @PREFIX@_inputs_t *inputs, const @PREFIX@_outputs_t *outputs,
    void *workspace) {
  uint8_t *const ws = (uint8_t *)workspace;
  int32_t status = 0;
  (void)inputs;
  (void)outputs;
  (void)ws;
  TRACE(-1);
@CALLS@@COPIES@  return status;
}
