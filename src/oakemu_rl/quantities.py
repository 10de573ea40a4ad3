# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts, durations and sizes as people write them: ``200k``, ``1e6``, ``5m``, ``1h30m``, ``2GB``."""

import math
import re

__all__ = [
    "format_count",
    "format_duration",
    "format_figure",
    "format_size",
    "parse_count",
    "parse_duration",
    "parse_size",
]

_SCALES = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}
_COUNT = re.compile(r"([+-]?[\d_]*\.?[\d_]+(?:e\+?\d+)?)\s*([kmg]?)", re.IGNORECASE)
_SECONDS = {"h": 3600.0, "m": 60.0, "min": 60.0, "s": 1.0, "": 1.0}
_DURATION_PART = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*(h|min|m|s|)\s*", re.IGNORECASE)

_SIZE = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*([kmgt]?)(i?)b?", re.IGNORECASE)
_SIZE_UNITS = ("", "k", "m", "g", "t")


def parse_count(value: object) -> object:
    """A whole number out of texts such as ``200k``, ``1e6``, ``2.5M`` or ``200_000``; anything else is handed back.

    Args:
        value: What was given. A float that is whole becomes an int.

    Raises:
        ValueError: A text that is not a whole number.
    """
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, str):
        return value
    match = _COUNT.fullmatch(value.strip())
    number = float(match[1].replace("_", "")) * _SCALES[match[2].lower()] if match else math.nan
    if not number.is_integer():
        raise ValueError(f"must be a whole number such as 200000, 200k or 1e6, not {value!r}")
    return int(number)


def parse_duration(value: object) -> object:
    """Seconds out of texts such as ``60``, ``90s``, ``5m``, ``1h`` or ``1h30m``; anything else is handed back.

    Raises:
        ValueError: A text that is not a duration.
    """
    if not isinstance(value, str):
        return value
    text = value.strip()
    sign = -1.0 if text.startswith("-") else 1.0
    parts = list(_DURATION_PART.finditer(text.removeprefix("-")))
    if not parts or "".join(part[0] for part in parts) != text.removeprefix("-"):
        raise ValueError(f"must be seconds or a time such as 90s, 5m or 1h30m, not {value!r}")
    return sign * sum(float(part[1]) * _SECONDS[part[2].lower()] for part in parts)


def parse_size(value: object) -> object:
    """Bytes out of texts such as ``500MB``, ``2G`` or ``1.5GiB``; anything else is handed back.

    Raises:
        ValueError: A text that is not a size.
    """
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, str):
        return value
    match = _SIZE.fullmatch(value.strip())
    if not match:
        raise ValueError(f"must be bytes or a size such as 500MB, 2GB or 1.5GiB, not {value!r}")
    unit = 1024 if match[3] else 1000
    return round(float(match[1]) * unit ** _SIZE_UNITS.index(match[2].lower()))


def format_size(size: float) -> str:
    """Bytes in few characters: ``950 B``, ``12.3 kB``, ``1.50 GB``."""
    if size < 1_000:
        return f"{size:.0f} B"
    for unit in ("kB", "MB"):
        size /= 1_000
        if size < 999.95:
            return f"{size:.1f} {unit}"
    return f"{size / 1_000:.2f} GB"


def format_count(value: float) -> str:
    """A count in few characters: ``950``, ``12.3k``, ``1.50M``."""
    if value < 10_000:
        return f"{value:.0f}"
    if value < 1_000_000:
        return f"{value / 1_000:.1f}k"
    return f"{value / 1_000_000:.2f}M"


def format_figure(value: float) -> str:
    """A figure in few characters: ``0.12``, ``-3.50``, ``123.4``, ``12,345``; never ``-0.00``."""
    size = abs(value)
    return f"{value:z.2f}" if size < 100 else f"{value:.1f}" if size < 10_000 else f"{value:,.0f}"


def format_duration(seconds: float) -> str:
    """A duration as ``0:42``, ``5:07`` or ``1:02:03``."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
