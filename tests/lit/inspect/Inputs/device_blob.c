/* The worked example of the format: root "k", whose payload is the string "P", imports the library. */
const unsigned char __tvm_dev_mblob[114] =
    "\x6a\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0k\1\0\0\0\0\0\0\0P\4\0\0\0\0\0\0\0_lib"
    "\x0c\0\0\0\0\0\0\0_import_tree\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"
    "\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0";
