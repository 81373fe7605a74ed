// Sums of table rows as a textbook has them: a work-item takes one element of one bag.
// @task embedding_bag
// @flags -cl-std=CL3.0; -cl-mad-enable?; -cl-no-signed-zeros?
// @launch bag_sum grid=(ceil_div(dim, 32), bags) block=(32)
__kernel void bag_sum(__global const float* table, __global const int* indices, __global float* out, ulong vocab,
                      ulong dim, ulong bags, ulong bag) {
  const size_t d = get_global_id(0), i = get_global_id(1);
  if (d >= dim) return;
  float sum = 0;
  for (size_t j = 0; j < bag; ++j) sum += table[indices[i * bag + j] * dim + d];
  out[i * dim + d] = sum;
}
