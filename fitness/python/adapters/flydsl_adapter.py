"""FlyDSL: whether it is installed, and why its kernels cannot be used.

Facts of the documentation of 0.3.2: its only backend is ROCm's, so a kernel becomes a code object of an AMD GPU (gfx90a
to gfx1250); a compiled function keeps that for itself and its own host code launches it. No call hands out the code
object, the kernel's name, its block or its LDS: COMPILE_ONLY=1 gives None, and dumps are for people. This file never
ran with the package.
"""
from dsl_source import Refusal

DISTRIBUTION = "flydsl"
VERSIONS = ()
UNUSABLE = ("it compiles for AMD GPUs alone, so no NVIDIA device runs its kernels, and it documents no way to hand "
            "their code objects to a host program other than its own (host_code: true)")


def compile_kernels(request):
    raise Refusal("refused_construct", f"{DISTRIBUTION}: {UNUSABLE}")
