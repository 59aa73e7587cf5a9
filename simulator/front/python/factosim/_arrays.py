"""numpy as the package uses it. Without it, scenarios run and are shown; what returns or takes arrays says what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["np", "npt"]

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:
    try:
        import numpy as np
        import numpy.typing as npt
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise

        class _Missing:
            """Has the types that arguments are compared with, of which nothing is. Anything else that is asked of it is an error."""

            ndarray, generic, integer, floating, int32, int64, float64 = (
                type(name, (), {}) for name in ("ndarray", "generic", "integer", "floating", "int32", "int64", "float64"))
            NDArray, ArrayLike = list, Any

            def __getattr__(self, name: str) -> Any:
                if name.startswith("__"):
                    raise AttributeError(name)
                raise ModuleNotFoundError("numpy is not installed (tasks, graphs, maps and tables are its arrays). "
                                          "Install it: pip install numpy", name="numpy")

        np = npt = _Missing()
