"""Operators whose kernels run on NVIDIA GPUs."""

import ctypes

import torch

from .kernel_operator import KernelOperator, aligned

_current_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (
    lambda index: torch.cuda.current_stream(index).cuda_stream)
_current_device = getattr(torch._C, "_cuda_getDevice", None) or torch.cuda.current_device
_NOT_MEASURED_HERE = 209  # CUDA_ERROR_NO_BINARY_FOR_GPU


class CudaOperator(KernelOperator):
    """kernelevolve::NAME for tensors of one GPU. Launches the kernel on PyTorch's current stream
    without waiting for it. Does not check integer inputs, which would require waiting: values
    outside of their range read foreign memory."""

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
        """Overhead of a call: the common case (dense, aligned inputs of a known shape) is one
        function."""
        tensors, given = arguments[:self._count], arguments[self._count:]
        index = tensors[0].get_device()
        pointers, dense = [], True
        for tensor, dtype, align in zip(tensors, self._dtypes, self._aligns):
            if (tensor.dtype is not dtype or not tensor.is_cuda or tensor.get_device() != index
                    or tensor.layout is not torch.strided or tensor.requires_grad):
                self._accept(tensors, self.device)
            pointer = tensor.data_ptr()
            pointers.append(pointer)
            if pointer % align or not tensor.is_contiguous():
                dense = False
        if index != _current_device():
            with torch.cuda.device(index):
                return self._call(*arguments)
        plan = self._plans.get((*[tensor.shape for tensor in tensors], *given)) or self._new_plan(tensors, given)
        outputs = [tensors[0].new_empty(shape, dtype=dtype) for shape, dtype in plan.outputs]
        if plan.outside:
            self._call_reference(plan.outside, plan.lengths, tensors, outputs)
        elif any(output.numel() for output in outputs):
            if not dense:
                tensors = [aligned(tensor, align) for tensor, align in zip(tensors, self._aligns)]
                pointers = [tensor.data_ptr() for tensor in tensors]
            pointers += [output.data_ptr() for output in outputs]
            size = self._sizes.get((index, plan.lengths))
            if size is None:
                size = self._sizes[index, plan.lengths] = self._workspace(pointers[0], *plan.lengths)
            # PyTorch reuses the memory only after the kernel on this stream.
            workspace = tensors[0].new_empty(size, dtype=torch.uint8).data_ptr() if size else None
            status = self._kernel(*pointers, *plan.lengths, workspace, _current_stream(index))
            if status:
                self._failed(status, index, plan.lengths, tensors, outputs)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _call_reference(self, outside, lengths, tensors, outputs):
        if any(output.numel() for output in outputs):
            self._warn_once(outside)
            self._reference(tensors, outputs, dict(zip((axis["name"] for axis in self._axes), lengths)))

    def _failed(self, status, index, lengths, tensors, outputs):
        if status == _NOT_MEASURED_HERE:
            gpu = torch.cuda.get_device_name(index)
            self._call_reference(f"{gpu}, a GPU of another architecture", lengths, tensors, outputs)
            return
        axes = ", ".join(f"{axis['name']}={length}" for axis, length in zip(self._axes, lengths))
        raise RuntimeError(f"{self.name}: the launch failed with CUresult {status} at {axes}")
