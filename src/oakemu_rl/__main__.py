# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m oakemu_rl` is `oakemu-rl`."""

import sys

from oakemu_rl.cli.main import main

sys.exit(main())
