/* Three quarters of a number, by way of the LLVM module. */
int half(int x);
int three_quarters(int x);

int three_quarters(int x) { return half(x) + half(half(x)); }
