"""Makes interface packages that others publish, with their published fields, where they are not installed."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_CMAKE = """\
cmake_minimum_required(VERSION 3.19)
project({name})
find_package(ament_cmake REQUIRED)
find_package(rosidl_default_generators REQUIRED)
find_package(std_msgs REQUIRED)
rosidl_generate_interfaces({name} {files} DEPENDENCIES std_msgs)
# ROS from wheels exports include folders of the machine that built it, which CMake refuses.
function(leave_out_missing_folders)
  get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(folders ${{target}} INTERFACE_INCLUDE_DIRECTORIES)
    set(kept "")
    foreach(folder IN LISTS folders)
      if(folder MATCHES "^\\\\$<" OR EXISTS "${{folder}}")
        list(APPEND kept "${{folder}}")
      endif()
    endforeach()
    if(folders)
      set_target_properties(${{target}} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${{kept}}")
    endif()
  endforeach()
endfunction()
cmake_language(DEFER CALL leave_out_missing_folders)
ament_package()
"""
_PACKAGE = """\
<?xml version="1.0"?>
<package format="3">
  <name>{name}</name><version>0.0.0</version><description>For a test.</description>
  <maintainer email="kame-ros@example.org">kame_ros developers</maintainer><license>Apache-2.0</license>
  <buildtool_depend>ament_cmake</buildtool_depend><build_depend>rosidl_default_generators</build_depend>
  <depend>std_msgs</depend><member_of_group>rosidl_interface_packages</member_of_group>
</package>
"""


@dataclass(frozen=True)
class Interfaces:
    """An installed package of interfaces."""

    prefix: Path

    def environment(self) -> dict[str, str]:
        """Return the variables with which a process finds it, besides what it found before."""
        python = next(self.prefix.glob("lib/python3*/site-packages"))
        added = {"PYTHONPATH": python, "LD_LIBRARY_PATH": self.prefix / "lib", "AMENT_PREFIX_PATH": self.prefix}
        return {
            name: os.pathsep.join([str(folder), *filter(None, [os.environ.get(name)])])
            for name, folder in added.items()
        }


def make_interfaces(name: str, files: Mapping[str, str], folder: Path) -> Interfaces:
    """Generate and install the package ``name`` below ``folder``; ``files`` by their path, such as msg/Audio.msg."""
    source, build, prefix = folder / "source", folder / "build", folder / "prefix"
    for path, text in files.items():
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_text(text)
    (source / "CMakeLists.txt").write_text(_CMAKE.format(name=name, files=" ".join(f'"{path}"' for path in files)))
    (source / "package.xml").write_text(_PACKAGE.format(name=name))
    install(source, build, prefix)
    return Interfaces(prefix)


def install(source: Path, build: Path, prefix: Path) -> None:
    """Configure, build and install the package in ``source`` as colcon would, with the ROS of this environment."""
    environment = {
        **os.environ,
        "PATH": sysconfig.get_path("scripts") + os.pathsep + os.environ["PATH"],
        "AMENT_PREFIX_PATH": sys.prefix,
        "CMAKE_PREFIX_PATH": sys.prefix,
    }
    commands = [
        ["cmake", "-S", str(source), "-B", str(build), "-G", "Ninja", f"-DCMAKE_INSTALL_PREFIX={prefix}",
         f"-DPython3_EXECUTABLE={sys.executable}"],
        ["cmake", "--build", str(build)],
        ["cmake", "--install", str(build)],
    ]  # fmt: skip
    for command in commands:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
