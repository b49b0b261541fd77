"""Models of a table in which a run looks rows up, with other contents and sizes."""
import struct

def table(name, rows, first):
    values = ", ".join(str(first + i) for i in range(rows * 32))
    with open(name, "w") as file:
        file.write(f"""graph "table" requant=onnx {{
  const %1 : f32[{rows},32] = [{values}]
  const %2 : i64[1] = [0]
  input %0 "i" : i64[2]
  %3 : i64[2] = Add.14(%0, %2)
  %4 "y" : f32[2,32] = Gather.13(%1, %3) {{axis=0}}
  output %4
}}
""")

table("table.byoc", 32, 0)
table("other.byoc", 32, 7)
table("longer.byoc", 64, 0)
open("i.raw", "wb").write(struct.pack("<2q", 3, 30))
values = ", ".join(str(i % 7) for i in range(256))
with open("mixed.byoc", "w") as file:
    file.write(f"""graph "mixed" requant=onnx {{
  input %0 "x" : f32[256]
  const %1 : f32[256] = [{values}]
  %2 : f32[256] = Relu.14(%0)
  %3 "where" : i64? = NonZero.13(%2)
  %4 : i64? = Transpose.13(%3) {{perm=[1, 0]}}
  %5 "y" : f32? = GatherND.13(%1, %4)
  output %3
  output %5
}}
""")
with open("x.byoc", "w") as file:
    file.write("""graph "x" requant=onnx {
  input %0 "x" : f32[4]
  %1 "y" : f32[4] = Relu.14(%0)
  output %1
}
""")
open("x.raw", "wb").write(struct.pack("<256f", *[i % 3 - 1 for i in range(256)]))
