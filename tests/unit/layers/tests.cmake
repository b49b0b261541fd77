byoc_unit_test(layers DEPENDS layers)
