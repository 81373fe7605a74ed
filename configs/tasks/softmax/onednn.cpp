// Baseline: softmax of oneDNN 2.x on one thread; a primitive is made once per shape. Trusted: it loads a library.
#include <cstddef>
#include <map>

#include "onednn.hpp"

namespace {

using namespace dnn;

struct Softmax {
  dnnl_primitive_t run;
  dnnl_memory_t x, y;

  Softmax(std::size_t rows, std::size_t cols) {
    const dnnl_dims_t dims = {static_cast<dnnl_dim_t>(rows), static_cast<dnnl_dim_t>(cols)};
    dnnl_memory_desc_t data;
    require(DNN(dnnl_memory_desc_init_by_tag)(&data, 2, dims, dnnl_f32, dnnl_ab));
    dnnl_softmax_desc_t op;
    require(DNN(dnnl_softmax_forward_desc_init)(&op, dnnl_forward_inference, &data, 1));
    dnnl_primitive_desc_t description;
    run = primitive(&op, &description);
    x = memory(data);
    y = memory(data);
  }
};

}  // namespace

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  static std::map<std::pair<std::size_t, std::size_t>, Softmax> made;
  const Softmax& it = made.try_emplace({rows, cols}, rows, cols).first->second;
  point(it.x, x);
  point(it.y, y);
  const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, it.x}, {DNNL_ARG_DST, it.y}};
  execute(it.run, 2, arguments);
}
