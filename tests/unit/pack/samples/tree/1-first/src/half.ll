define i32 @half(i32 %x) {
  %y = sdiv i32 %x, 2
  ret i32 %y
}
