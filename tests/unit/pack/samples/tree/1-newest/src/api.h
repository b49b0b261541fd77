int half(int x);
extern const unsigned char table[4];
