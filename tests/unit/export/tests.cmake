if(TARGET byoc_export)
  byoc_unit_test(export THREADS DEPENDS export reference)
endif()
