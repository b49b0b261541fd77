byoc_unit_test(bytecode FAST DEPENDS bytecode)
