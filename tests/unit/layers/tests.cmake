byoc_unit_test(layers FAST DEPENDS layers)
