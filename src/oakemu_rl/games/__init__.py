# SPDX-License-Identifier: GPL-3.0-or-later
"""Games: definitions, the expressions in them, and what an environment needs to run one."""
