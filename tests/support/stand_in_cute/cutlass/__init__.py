"""Stands in for CuTe DSL 4.7 in tests: what the adapter and kernels of tests use of it as it is documented, nothing
more. A kernel's code was recorded: `recorded/NAME.ptx` is by nvcc 13.0, with .reqntid for .maxntid and
in part spelled as LLVM does, and its cubin by ptxas for sm_90a."""


class Constexpr:
    pass


class Numeric:
    def __init__(self, value):
        self.value = value

    def __str__(self):
        return f"{type(self).__name__}({self.value})"


class Int32(Numeric):
    pass


class Int64(Numeric):
    pass


class Float16(Numeric):
    pass


class Float32(Numeric):
    pass
