# SPDX-License-Identifier: GPL-3.0-or-later
"""Shipping an agent: ONNX files that carry everything needed to use them."""

from oakemu_rl.export.metadata import PolicyMetadata, read_metadata
from oakemu_rl.export.onnx import ExportReport, OnnxExporter

__all__ = ["ExportReport", "OnnxExporter", "PolicyMetadata", "read_metadata"]
