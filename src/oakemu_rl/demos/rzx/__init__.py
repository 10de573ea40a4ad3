# SPDX-License-Identifier: GPL-3.0-or-later
"""RZX recordings of people, made into recordings that agents learn from; and back."""

from oakemu_rl.demos.rzx.exporting import export_rzx
from oakemu_rl.demos.rzx.importing import ImportedPlay, ImportSettings, RzxImport, import_rzx
from oakemu_rl.demos.rzx.mapping import Fit
from oakemu_rl.demos.rzx.recognition import KnownGames

__all__ = ["Fit", "ImportSettings", "ImportedPlay", "KnownGames", "RzxImport", "export_rzx", "import_rzx"]
