if(TARGET byoc_api)
  byoc_unit_test(api THREADS DEPENDS api remote)
endif()
