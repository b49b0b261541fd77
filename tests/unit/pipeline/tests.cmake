if(TARGET byoc_pipeline)
  byoc_unit_test(pipeline DEPENDS pipeline reference)
endif()
