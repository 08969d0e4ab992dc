"""Layouts of tensor-core fragments: which matrix element is in which register of which thread.

The module calls the library of the command `mapping`, in this process. Functions and keywords have the names of the
command's options: `--color-by=bank` is `color_by="bank"`, `--brief` is `brief=True`, and `--with=OP` is `with_="OP"`,
since `with` is a keyword of Python. A tuple is one argument with several numbers, `at=(3, 5)`; a list repeats the
option, `load=[...]`. A type may be one of NumPy, ml_dtypes, PyTorch or JAX: `type=np.float16`. An architecture may be
a compute capability: `arch=(9, 0)`.

>>> import cuda_mapping as cm
>>> d = cm.fragment("mma.m16n8k16.d.f32", arch="sm_90")
>>> d.at(3, 5).tid, d.at(3, 5).register
(14, 1)
>>> print(d.formulas["row"])
((i & 2) << 2) + ((tid & 28) >> 2)

An object shows one line as its `repr`, the text of the command as its `str`, and its picture in a notebook.

Unknown fragments, options and layouts raise `Invalid`, which is a ValueError. It is derived from `Error`, the class of
all errors of the command, whose `status` is the exit status of the command. The module starts neither the CUDA driver
nor another program, unless `source="sass"` or an option such as `check` requests ptxas and nvdisasm. The source gpu is
in the program, not in the library.

Several threads may call the module at once; they wait for each other only while options are parsed.
"""

from ._library import Error, Invalid, Text
from ._objects import Access, Answers, Comparison, Conversion, Deduction, Equality, Fragment, Layout, Listing, Matrix, Plan, Record, Result
from ._objects import Suggestions, Verdict, access, annotate, architectures, deduce, diff, fragment, fragments, matrix, run
from ._objects import json_of as json
from ._objects import list_fragments as list
from ._probe import Report, check_attention, check_copy, check_gemm
from ._version import __version__

__all__ = ["fragment", "fragments", "matrix", "access", "deduce", "list", "diff", "annotate", "run", "json", "architectures"]
__all__ += ["Result", "Layout", "Fragment", "Matrix", "Answers", "Record", "Verdict", "Equality", "Conversion", "Plan", "Suggestions"]
__all__ += ["Access", "Deduction", "Comparison", "Listing", "Text", "Error", "Invalid", "__version__"]
__all__ += ["check_gemm", "check_attention", "check_copy", "Report"]
