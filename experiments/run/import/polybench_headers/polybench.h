// Replaces PolyBench's header while a problem is read: keeps array lengths as expressions and times
// nothing.
#define POLYBENCH_LOOP_BOUND(number, length) length
#define POLYBENCH_1D(name, N1, n1) name[n1]
#define POLYBENCH_2D(name, N1, N2, n1, n2) name[n1][n2]
#define POLYBENCH_3D(name, N1, N2, N3, n1, n2, n3) name[n1][n2][n3]
#define POLYBENCH_4D(name, N1, N2, N3, N4, n1, n2, n3, n4) name[n1][n2][n3][n4]
#define POLYBENCH_1D_ARRAY_DECL(name, type, N1, n1) type name[n1]
#define POLYBENCH_2D_ARRAY_DECL(name, type, N1, N2, n1, n2) type name[n1][n2]
#define POLYBENCH_3D_ARRAY_DECL(name, type, N1, N2, N3, n1, n2, n3) type name[n1][n2][n3]
#define POLYBENCH_4D_ARRAY_DECL(name, type, N1, N2, N3, N4, n1, n2, n3, n4) \
  type name[n1][n2][n3][n4]
#define POLYBENCH_ARRAY(name) name
#define POLYBENCH_FREE_ARRAY(name)
#define POLYBENCH_DUMP_START
#define POLYBENCH_DUMP_FINISH
#define POLYBENCH_DUMP_BEGIN(name)
#define POLYBENCH_DUMP_END(name)
#define polybench_start_instruments
#define polybench_stop_instruments
#define polybench_print_instruments
#define polybench_prevent_dce(call) call
