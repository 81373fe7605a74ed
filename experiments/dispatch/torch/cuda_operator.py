"""Operators whose kernels run on NVIDIA GPUs."""

import ctypes

import torch

from .kernel_operator import KernelOperator, aligned

_current_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (
    lambda index: torch.cuda.current_stream(index).cuda_stream)
_NOT_MEASURED_HERE = 209  # CUDA_ERROR_NO_BINARY_FOR_GPU


class CudaOperator(KernelOperator):
    """kernelevolve::NAME. Tensors of one GPU; the kernel is launched on PyTorch's current stream, and nothing waits for
    it. Integer inputs are not checked, which would wait: values outside of their range read foreign memory."""

    device = "cuda"

    def _take_functions(self, library, described):
        lengths, pointer = [ctypes.c_size_t] * len(self._axes), ctypes.c_void_p
        self._kernel = getattr(library, described["symbol"])
        self._kernel.restype = ctypes.c_int
        self._kernel.argtypes = [pointer] * (len(self.inputs) + len(self.outputs)) + lengths + [pointer, pointer]
        self._workspace = getattr(library, described["symbol"] + "_workspace")
        self._workspace.restype = ctypes.c_size_t
        self._workspace.argtypes = [pointer, *lengths]
        self._sizes = {}  # bytes of workspace, by GPU and lengths

    def _accept(self, tensors, device):
        super()._accept(tensors, device)
        for tensor, one in zip(tensors, self.inputs):
            if tensor.device != tensors[0].device:
                self._refuse(ValueError, f"'{one.name}' is on device {tensor.device}, expected {tensors[0].device}")

    def _call(self, *arguments):
        tensors, given = arguments[:self._count], arguments[self._count:]
        device = tensors[0].device
        for tensor, dtype in zip(tensors, self._dtypes):
            if (tensor.dtype is not dtype or not tensor.is_cuda or tensor.device != device
                    or tensor.layout is not torch.strided or tensor.requires_grad):
                self._accept(tensors, self.device)
        if device.index != torch.cuda.current_device():
            with torch.cuda.device(device):
                return self._call(*arguments)
        plan = self._plans.get((*[tensor.shape for tensor in tensors], *given)) or self._new_plan(tensors, given)
        outputs = [torch.empty(shape, dtype=dtype, device=device) for shape, dtype in plan.outputs]
        if any(output.numel() > 0 for output in outputs):
            outside = plan.outside or self._launch(plan.lengths, tensors, outputs, device.index)
            if outside:
                self._warn_once(outside)
                self._reference(tensors, outputs, dict(zip((axis["name"] for axis in self._axes), plan.lengths)))
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _launch(self, lengths, tensors, outputs, index):
        """What lies outside of the kernels' reach; "" where one was launched."""
        dense = [aligned(tensor, align) for tensor, align in zip(tensors, self._aligns)]
        pointers = [tensor.data_ptr() for tensor in (*dense, *outputs)]
        size = self._sizes.get((index, lengths))
        if size is None:
            size = self._sizes[index, lengths] = self._workspace(pointers[0], *lengths)
        # PyTorch gives the memory to others only behind the kernel on this stream.
        workspace = torch.empty(size, dtype=torch.uint8, device=outputs[0].device).data_ptr() if size > 0 else None
        status = self._kernel(*pointers, *lengths, workspace, _current_stream(index))
        if status == 0:
            return ""
        if status == _NOT_MEASURED_HERE:
            return f"{torch.cuda.get_device_name(index)}, a GPU of another architecture"
        axes = ", ".join(f"{axis['name']}={length}" for axis, length in zip(self._axes, lengths))
        raise RuntimeError(f"{self.name}: the launch failed with CUresult {status} at {axes}")
