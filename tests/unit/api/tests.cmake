if(TARGET byoc_api)
  byoc_unit_test(api DEPENDS api)
endif()
