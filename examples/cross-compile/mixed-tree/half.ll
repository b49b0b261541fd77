; What a compiler of somebody's own makes. Without a triple it is for whatever the library is compiled for.
define i32 @half(i32 %x) {
  %y = sdiv i32 %x, 2
  ret i32 %y
}
