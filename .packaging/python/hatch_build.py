"""The build hook: make builds the program and the library, and both go into a wheel with the module. A source distribution has the
sources that make needs in sources/; in a checkout they are two folders up."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).resolve().parent
SOURCES = next((folder for folder in (HERE / "sources", HERE.parents[1]) if (folder / "include/mapping.h").is_file()), None)

# Those of PEP 600 that auditwheel knows: a wheel gets the oldest whose glibc has every symbol that its files need.
MANYLINUX = [5, 12, 17, 24, *range(26, 60)]
MACHINES = {62: "x86_64", 183: "aarch64"}


def sources() -> Path:
    if SOURCES is None:
        raise RuntimeError("the sources of mapping are neither in sources/ nor two folders up")
    return SOURCES


def version() -> str:
    """MAPPING_VERSION of include/mapping.h."""
    header = (sources() / "include/mapping.h").read_text(encoding="utf-8")
    found = re.search(r'^#define MAPPING_VERSION "(.*)"', header, re.MULTILINE)
    assert found, "include/mapping.h has no version"
    return found[1]


def tag(files: list[Path]) -> str:
    """The tag of a wheel with these ELF files."""
    contents = [file.read_bytes() for file in files]
    machine = MACHINES[int.from_bytes(contents[0][18:20], "little")]
    minors = [int(minor) for each in contents for minor in re.findall(rb"\0GLIBC_2\.(\d+)(?:\.\d+)?(?=\0)", each)]
    if not minors:
        return f"py3-none-linux_{machine}"  # another libc, or none
    return f"py3-none-manylinux_2_{next(minor for minor in MANYLINUX if minor >= max(minors))}_{machine}"


class CustomBuildHook(BuildHookInterface):
    def initialize(self, build: str, build_data: dict[str, Any]) -> None:
        include = build_data["force_include"]
        if self.target_name == "sdist":
            for name in ("Makefile", "LICENSE", "include", "src", "results"):
                include[str(sources() / name)] = f"sources/{name}"
            return
        parts = self.make()
        for name in ("libmapping.so", "_version.py"):
            made = parts / "cuda_mapping" / name
            if build == "editable":  # Python reads the module where its sources are, so it finds there what make has built last
                link = HERE / "cuda_mapping" / name
                link.unlink(missing_ok=True)
                link.symlink_to(made)
            else:
                include[str(made)] = f"cuda_mapping/{name}"
        include[str(sources() / "LICENSE")] = f"cuda_mapping-{version()}.dist-info/licenses/LICENSE"
        build_data["shared_scripts"][str(parts / "mapping")] = "mapping"
        build_data["pure_python"] = False
        build_data["tag"] = tag([parts / "mapping", parts / "cuda_mapping/libmapping.so"])

    def make(self) -> Path:
        """Builds what the wheel has. These variables are taken from the environment, where a make that has called this puts its own.
        Its other options are not, nor is PYTHONPATH, with which pip hides packages: a compiler may be one."""
        given = [f"{name}={os.environ[name]}" for name in ("BUILD", "BINARY", "CC", "NVCC", "STRIP", "LDFLAGS", "EMULATE") if name in os.environ]
        hidden = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "PYTHONPATH")
        environment = {name: value for name, value in os.environ.items() if name not in hidden}
        command = ["make", f"-j{len(os.sched_getaffinity(0))}", *given, f"MODULE={HERE / 'cuda_mapping'}", "python"]
        ran = subprocess.run(command, cwd=sources(), env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.app.display_debug(ran.stdout)
        if ran.returncode != 0:
            raise RuntimeError("make failed:\n" + "\n".join(ran.stdout.splitlines()[-30:]))
        return sources() / os.environ.get("BUILD", "build") / "python"
