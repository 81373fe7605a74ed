// Baseline: layer normalisation of oneDNN 2.x on one thread; a primitive is made once per shape. Trusted: it loads a library.
#include <cstddef>
#include <map>

#include "onednn.hpp"

namespace {

using namespace dnn;

struct LayerNorm {
  dnnl_primitive_t run;
  dnnl_memory_t x, y, weight, bias;

  LayerNorm(std::size_t rows, std::size_t cols) {
    const dnnl_dims_t dims = {static_cast<dnnl_dim_t>(rows), static_cast<dnnl_dim_t>(cols)};
    dnnl_memory_desc_t data, vector;
    require(DNN(dnnl_memory_desc_init_by_tag)(&data, 2, dims, dnnl_f32, dnnl_ab));
    require(DNN(dnnl_memory_desc_init_by_tag)(&vector, 1, dims + 1, dnnl_f32, dnnl_a));
    dnnl_layer_normalization_desc_t op;
    require(DNN(dnnl_layer_normalization_forward_desc_init)(&op, dnnl_forward_inference, &data, nullptr, 1e-5f,
                                                             dnnl_use_scale | dnnl_use_shift));
    dnnl_primitive_desc_t description;
    run = primitive(&op, &description);
    x = memory(data);
    y = memory(data);
    weight = memory(vector);
    bias = memory(vector);
  }
};

}  // namespace

extern "C" void kernel(const float* x, const float* weight, const float* bias, float* y, std::size_t rows,
                       std::size_t cols) {
  static std::map<std::pair<std::size_t, std::size_t>, LayerNorm> made;
  const LayerNorm& it = made.try_emplace({rows, cols}, rows, cols).first->second;
  point(it.x, x);
  point(it.weight, weight);
  point(it.bias, bias);
  point(it.y, y);
  const dnnl_exec_arg_t arguments[] = {
      {DNNL_ARG_SRC, it.x}, {DNNL_ARG_SCALE, it.weight}, {DNNL_ARG_SHIFT, it.bias}, {DNNL_ARG_DST, it.y}};
  execute(it.run, 4, arguments);
}
