if(TARGET byoc_export)
  byoc_unit_test(export THREADS DEPENDS export export_executors reference)
endif()
