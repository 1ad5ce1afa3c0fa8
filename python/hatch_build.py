"""Stops a build of the package, or an editable install, when its generated files are missing."""

from pathlib import Path
from typing import Any, Dict

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CheckGeneratedFiles(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: Dict[str, Any]) -> None:
        for name in ("client.py", "types.py"):
            if not (Path(self.root) / "src" / "noema" / name).exists():
                raise FileNotFoundError(f"src/noema/{name} is missing. Run `npx node python/generate.ts` in the repository first.")
