# Networks on all kinds of targets, against reference outputs, layer by layer.
if(NOT TARGET byoc)
  return()
endif()

set(golden_script ${CMAKE_CURRENT_LIST_DIR}/golden.py)
# byoc_golden_test(<folder> <model> <target> <toolchain> [option of golden.py...])
function(byoc_golden_test folder model target toolchain)
  set(name e2e.golden.${model}.${target}.${toolchain})
  if("--no-lift" IN_LIST ARGN)
    string(APPEND name .no_lift)
  endif()
  foreach(word lto size speed)
    if("--${word}" IN_LIST ARGN OR word IN_LIST ARGN)
      string(APPEND name .${word})
    endif()
  endforeach()
  if("llvm,c" IN_LIST ARGN)
    string(APPEND name .llvm)
  endif()
  # On hosts the C backend is asked for here; the other one has its own tests.
  if(target STREQUAL host AND NOT "--prefer" IN_LIST ARGN)
    list(APPEND ARGN --prefer c)
  endif()
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${golden_script} $<TARGET_FILE:byoc> ${folder} ${model} ${target}
                                ${toolchain} ${ARGN})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 LABELS "e2e" TIMEOUT 900)
endfunction()

# Floats through the LLVM backend: as wide as this machine's vectors are, and without any.
foreach(network ds_cnn resnet8 autoencoder mobilenet stream lstm unet)
  byoc_golden_test(${BYOC_NETWORKS} ${network}_float.onnx native clang --prefer llvm,c)
endforeach()
foreach(target host aarch64-linux-gnu cortex-m3 cortex-m4f cortex-m55 riscv64gc)
  byoc_golden_test(${BYOC_NETWORKS} ds_cnn_float ${target} clang --inputs 0,3 --prefer llvm,c)
endforeach()
# Its convolutions of int8.
foreach(network ds_cnn resnet8 mobilenet unet)
  byoc_golden_test(${BYOC_NETWORKS} ${network}_int8 native clang --prefer llvm,c)
endforeach()
foreach(target host aarch64-linux-gnu cortex-m4f cortex-m55)
  byoc_golden_test(${BYOC_NETWORKS} ds_cnn_int8 ${target} clang --inputs 0,3 --prefer llvm,c)
endforeach()

# Which nodes go where, and what that costs beside the C backend; by hand for the models of ../shared.
add_test(NAME e2e.golden.llvm_matrix COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/llvm_matrix.py $<TARGET_FILE:byoc>
                                             ${BYOC_NETWORKS} --model autoencoder_int8 --model autoencoder_float
                                             --target x86-64-v2 --target aarch64-linux-gnu --target cortex-m4f)
set_tests_properties(e2e.golden.llvm_matrix PROPERTIES SKIP_RETURN_CODE 77 LABELS "e2e" TIMEOUT 900)

# Every network in every form on this machine, the int8 ones on two boards, the smallest everywhere and in every way.
foreach(network ds_cnn resnet8 autoencoder mobilenet stream lstm unet)
  foreach(form int8 float float.onnx int8_qdq int8_qop)
    byoc_golden_test(${BYOC_NETWORKS} ${network}_${form} host clang)
  endforeach()
  foreach(target cortex-m4f cortex-m55)
    byoc_golden_test(${BYOC_NETWORKS} ${network}_int8 ${target} clang)
  endforeach()
endforeach()
# Convolutions along time, of which there is TFLite alone.
byoc_golden_test(${BYOC_NETWORKS} wake_word_float host clang)
foreach(target host cortex-m3 cortex-m4f cortex-m7 cortex-m33 cortex-m55)
  byoc_golden_test(${BYOC_NETWORKS} wake_word_int8 ${target} clang --optimize speed)
endforeach()
# Packed weights: layer by layer on each path of the kernels, by both toolchains.
foreach(model ds_cnn_int4 ds_cnn_int4_qdq resnet8_int4 autoencoder_int4 ds_cnn_int2 ds_cnn_int2_qdq resnet8_int2_qdq)
  foreach(target host cortex-m4f cortex-m55 cortex-m3)
    byoc_golden_test(${BYOC_NETWORKS} ${model} ${target} clang --inputs 0)
  endforeach()
endforeach()
foreach(target cortex-m4f cortex-m55)
  byoc_golden_test(${BYOC_NETWORKS} ds_cnn_int4 ${target} gnu --inputs 3)
  byoc_golden_test(${BYOC_NETWORKS} ds_cnn_int2_qdq ${target} gnu --inputs 3)
endforeach()
foreach(target cortex-m0plus cortex-m3 cortex-m4 cortex-m7 cortex-m33 riscv32imc riscv64gc aarch64-linux-gnu)
  byoc_golden_test(${BYOC_NETWORKS} ds_cnn_int8 ${target} clang)
endforeach()
foreach(target cortex-m23 cortex-m4-softfp cortex-m52 cortex-m85 riscv32imac riscv32imafc riscv64gcv
               armv7-linux-gnueabihf i386-linux-gnu)
  byoc_golden_test(${BYOC_NETWORKS} ds_cnn_int8 ${target} clang --inputs 0)
  byoc_golden_test(${BYOC_NETWORKS} ds_cnn_float ${target} clang --inputs 0)
endforeach()
foreach(target cortex-m4-softfp riscv64gcv armv7-linux-gnueabihf i386-linux-gnu)
  byoc_golden_test(${BYOC_NETWORKS} ds_cnn_int8 ${target} gnu --inputs 0)
endforeach()
foreach(target cortex-m4f cortex-m55 cortex-m0plus riscv32imc host)
  byoc_golden_test(${BYOC_NETWORKS} ds_cnn_int8 ${target} gnu --inputs 0,3)
endforeach()
foreach(target cortex-m4f cortex-m55)
  byoc_golden_test(${BYOC_NETWORKS} ds_cnn_int8_qdq ${target} clang)
  byoc_golden_test(${BYOC_NETWORKS} ds_cnn_float ${target} clang --inputs 0,3)
  byoc_golden_test(${BYOC_NETWORKS} resnet8_int8 ${target} clang --inputs 0,3 --lto)
  foreach(optimize size speed)
    byoc_golden_test(${BYOC_NETWORKS} resnet8_int8 ${target} clang --inputs 0,3 --optimize ${optimize})
  endforeach()
endforeach()
foreach(optimize size speed)
  byoc_golden_test(${BYOC_NETWORKS} unet_int8 cortex-m0plus gnu --inputs 4 --optimize ${optimize})
endforeach()
byoc_golden_test(${BYOC_NETWORKS} resnet8_int8 host clang --lto)
# Literally as ONNX Runtime does it, where no sum lies on an edge of rounding (tests/networks/onnxruntime_test.py has those).
foreach(model ds_cnn_int8_qop autoencoder_int8_qdq autoencoder_int8_qop mobilenet_int8_qdq stream_int8_qdq stream_int8_qop
              lstm_int8_qdq unet_int8_qdq unet_int8_qop)
  byoc_golden_test(${BYOC_NETWORKS} ${model}.onnxruntime host clang --no-lift)
endforeach()
byoc_golden_test(${BYOC_NETWORKS} stream_int8_qdq.onnxruntime cortex-m4f clang --no-lift)

# Trained networks of others, whose outputs are others' too.
if(BYOC_SHARED)
  foreach(model kws resnet ad)
    foreach(type int8 float)
      foreach(target host cortex-m4f cortex-m55)
        byoc_golden_test(${BYOC_SHARED}/models ${model}_${type} ${target} clang)
      endforeach()
    endforeach()
    foreach(form float.onnx int8_qdq int8_qop)
      byoc_golden_test(${BYOC_SHARED}/models ${model}_${form} host clang)
    endforeach()
    byoc_golden_test(${BYOC_SHARED}/models ${model}_int8_qdq host clang --no-lift)
  endforeach()
  byoc_golden_test(${BYOC_SHARED}/models resnet_int8_qop host clang --no-lift)
  byoc_golden_test(${BYOC_SHARED}/models resnet_int8 cortex-m0plus clang --inputs 0)
  byoc_golden_test(${BYOC_SHARED}/models resnet_int8 cortex-m4f gnu --inputs 0,4)
endif()

# Weights of 5 and 100 MB that are computed from a few constants.
if(BYOC_SHARED)
  foreach(stem light_squeezenet light_resnet50)
    add_test(NAME e2e.${stem}.host COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/light.py $<TARGET_FILE:byoc>
                                           ${BYOC_SHARED}/models ${stem} 1,3,224,224)
    set_tests_properties(e2e.${stem}.host PROPERTIES LABELS "e2e" TIMEOUT 300)
  endforeach()
endif()

# An output shape that only a run tells.
if(EXISTS ${BYOC_SHARED}/models/computed_shape)
  foreach(target host cortex-m4f cortex-m55)
    add_test(NAME e2e.computed_shape.${target}
             COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/computed_shape.py $<TARGET_FILE:byoc>
                     ${BYOC_SHARED}/models/computed_shape ${target})
    set_tests_properties(e2e.computed_shape.${target} PROPERTIES LABELS "e2e" TIMEOUT 300)
  endforeach()
endif()

# An audio front end and its classifier.
if(EXISTS ${BYOC_SHARED}/models/speech)
  foreach(target host cortex-m4f cortex-m55)
    add_test(NAME e2e.speech.${target}
             COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/speech.py $<TARGET_FILE:byoc>
                     ${BYOC_SHARED}/models/speech ${target})
    set_tests_properties(e2e.speech.${target} PROPERTIES LABELS "e2e" TIMEOUT 300)
  endforeach()
endif()

# byoc_network_test(<script> <cpu> [argument...]): of this folder.
function(byoc_network_test script cpu)
  add_test(NAME e2e.${script}.${cpu} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${script}.py
                                             $<TARGET_FILE:byoc> ${BYOC_NETWORKS} ${ARGN} ${cpu})
  set_tests_properties(e2e.${script}.${cpu} PROPERTIES LABELS "e2e" TIMEOUT 600)
endfunction()

foreach(cpu cortex-m4f cortex-m55 cortex-m3 cortex-m0plus riscv32imc)
  byoc_network_test(toolchains ${cpu} ds_cnn_int8,resnet8_int8,autoencoder_int8)
  byoc_network_test(costs ${cpu} ds_cnn_int8,resnet8_int8,autoencoder_int8)
endforeach()
foreach(cpu cortex-m4f cortex-m55)  # The same results within less RAM.
  byoc_network_test(bounded_ram ${cpu})
endforeach()
foreach(cpu cortex-m4f cortex-m55 cortex-m0plus)
  byoc_network_test(in_place ${cpu})
endforeach()
