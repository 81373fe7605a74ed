"""FlyDSL: whether it is installed. Its kernels cannot be compiled here."""
DISTRIBUTION = "flydsl"
VERSIONS = ()
