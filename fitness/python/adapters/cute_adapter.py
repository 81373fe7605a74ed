"""CuTe DSL of CUTLASS: whether it is installed. Its kernels cannot be compiled here."""
DISTRIBUTION = "nvidia-cutlass-dsl"
VERSIONS = ()
