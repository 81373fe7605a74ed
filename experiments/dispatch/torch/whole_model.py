"""The model for which this package was made, with its operators in place of the operations that they compute.

model.py is the file that the user gave, model_forward.py its forward() as it was traced, with operators called by name.
"""

import importlib
import pathlib

import torch

_FOLDER = pathlib.Path(__file__).parent
_flat = {}  # addresses of parameters: (their versions, one tensor of all of them)


def _constants():
    file = _FOLDER / "model_constants.pt"
    return torch.load(file, weights_only=True) if file.exists() else {}


constants = _constants()  # tensors that forward() made from numbers while it was traced


def packed(*parameters):
    """All parameters of a task in one tensor, rebuilt after a write to them."""
    key = tuple(one.data_ptr() for one in parameters)
    versions = tuple(one._version for one in parameters)
    known = _flat.get(key)
    if known is None or known[0] != versions:
        known = _flat[key] = (versions, torch.cat([one.detach().reshape(-1) for one in parameters]))
    return known[1]


def replaced_class(original, forward, expected, device):
    """Subclass of a model's class that calls `forward` for the expected inputs: [(shape, type) or
    (number, None)]."""

    def fits(given):
        if len(given) != len(expected):
            return False
        for one, (wanted, dtype) in zip(given, expected):
            if not torch.is_tensor(one) or dtype is None:  # a number
                if torch.is_tensor(one) or dtype is not None or one != wanted:
                    return False
            elif one.dtype is not dtype or tuple(one.shape) != wanted or one.device.type != device or one.requires_grad:
                return False
        return True

    def either(self, *given, **named):
        if not named and not self.training and fits(given):
            return forward(self, *given)
        return original.forward(self, *given, **named)

    return type(original.__name__, (original,), {"forward": either, "__module__": original.__module__,
                                                 "__doc__": original.__doc__})


def captured(model, *inputs):
    """Wraps the model in one CUDA graph. Copies the contents of inputs of these shapes and types;
    the next call overwrites the outputs."""
    places = [one.clone() if torch.is_tensor(one) else one for one in inputs]
    with torch.no_grad():
        aside = torch.cuda.Stream()  # keeps first-call setup out of the capture
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(2):
                model(*places)
        torch.cuda.current_stream().wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            outputs = model(*places)

    def launch(*given):
        for place, one in zip(places, given, strict=True):
            if torch.is_tensor(place):
                place.copy_(one)
        graph.replay()
        return outputs

    return launch


def load_model():
    """The model in evaluation mode, initialised as in its file; load_state_dict() takes a state of
    the original.

    Its parameters need no gradients. The original forward() runs in training mode, and for inputs
    of other shapes, types or devices than those of get_inputs() in model.py."""
    if not (_FOLDER / "model_forward.py").exists():
        raise FileNotFoundError(f"{__package__} holds no model: 'kernelevolve deploy --torch {__package__} --model "
                                "NEEDS' puts one into it")
    module = importlib.import_module(".model", __package__)
    made = importlib.import_module(".model_forward", __package__)
    given = module.get_init_inputs() if hasattr(module, "get_init_inputs") else []
    model = module.Model
    if made.forward is not None:
        model = replaced_class(model, made.forward, made.EXPECTED, made.DEVICE)
    built = model(**given) if isinstance(given, dict) else model(*given)
    return built.eval().requires_grad_(False).to(made.DEVICE)
