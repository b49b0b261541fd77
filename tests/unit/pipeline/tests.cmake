if(TARGET byoc_pipeline)
  byoc_unit_test(pipeline THREADS DEPENDS pipeline reference)
endif()
