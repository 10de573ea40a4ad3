# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes to the example that make it unusable, and how the messages about them begin."""

from collections.abc import Iterator

__all__ = ["bad_rows"]

# Which line of the example is replaced, by what, and how the message about it begins.
BAD = r"""
id: => id: Acorns
    1:5: id: must be ZXSpectrum/Name-vN, as in ZXSpectrum/Acorns-v0, not 'Acorns'
id: => id: ZXSpectrum/Acorns-v01
    1:5: id: must be
id: => idd: ZXSpectrum/Acorns-v0
    1:1: unknown key 'idd' (did you mean 'id'?); allowed are extends, id, title,
id: =>
    1:1: the key 'id' is missing
title: => title: 1942
    2:8: title: must be a text (in quotes if it looks like a number), not 1942
title: => title: ''
    2:8: title: string should have at least 1 character
machine: => machine: plus3
    3:10: machine: the machine 'plus3' is not emulated; 48k, 128k and plus2 are
machine: => machine: 48
    3:10: machine: must be '48k', '128k' or 'plus2', not 48
program: => program: {}
    4:10: program: give either bundled
program: => program: {bundled: a.tap, sha256: [x]}
    4:36: program.sha256.0: 'x' is not a SHA-256
program: => program: {bundled: a.tap, sha256: [HASH]}
    4:10: program: give either bundled
program: => program: {sha256: []}
    4:19: program.sha256: an empty list does for verified: false alone
program: => program: {bundled: ../a.tap}
    4:20: program.bundled: '../a.tap' is not the name of a file
program: => program: {bundled: /a.tap}
    4:20: program.bundled: '/a.tap' is not the name of a file
program: => program: {bundled: a.mp3}
    4:20: program.bundled: 'a.mp3' is not a program: its name ends with .tap, .tzx
program: => program: {bundled: a.tap, hint: x}
    4:27: program.hint: a hint is only of use with sha256
program: => program: acorns.tap
    4:10: program: must be a mapping (key: value), not 'acorns.tap'
  - wait =>   - wait: {frames: 0}
    6:20: start.0.wait.frames: must be greater than or equal to 1, not 0
  - wait =>   - wait: {frames: 1e9}
    6:20: start.0.wait.frames: must be a whole number, not 1000000000.0
  - wait =>   - wiat: {frames: 9}
    6:5: unknown key 'wiat' (did you mean 'wait'?)
  - wait =>   - {}
    6:5: start.0: a step is one of wait, press, until, set, load; this one has none
  - press =>   - {press: {keys: [a]}, wait: {frames: 1}}
    7:5: start.1: a step is one of
  - press =>   - press: {keys: [spcae]}
    7:20: start.1.press.keys.0: unknown key 'spcae' (did you mean 'space'
  - press =>   - press: {keys: []}
    7:19: start.1.press.keys: list should have at least 1 item
  - until =>   - until: {routine: man_loop}
    8:22: start.2.until.routine: unknown routine 'man_loop' (did you
  - until =>   - set: {livs: 3}
    8:11: start.2.set.livs: unknown variable 'livs' (did you mean 'lives'?)
  - until =>   - set: {lives: 256}
    8:18: start.2.set.lives: 256 is not within 0 to 255
  - until =>   - set: {lives: yes}
    8:18: start.2.set.lives: must be a whole number, not True
reset => reset: {noops: 30}
    9:16: reset.noops: must be a list, not 30
reset => reset: {noops: [30]}
    9:16: reset.noops: must be two numbers [fewest, most], not [30]
reset => reset: {noops: [30, 0]}
    9:16: reset.noops: the lowest comes first in [30, 0]
reset => reset: {noops: [-1, 0]}
    9:17: reset.noops.0: must be greater than or equal to 0, not -1
reset => reset: {randomize: {sede: u8}}
    9:21: reset.randomize.sede: unknown variable 'sede' (did you mean
reset => reset: {randomize: {seed: u24}}
    9:27: reset.randomize.seed: must be 'u8' or 'u16', not 'u24'
reset => reset: {randomize: {lives: u16}}
    9:28: reset.randomize.lives: 2 random byte(s) do not fit lives
reset => reset: {randomize: {score: u8}}
    9:28: reset.randomize.score: 1 random byte(s) do not fit score
area => area: [0, 16, 256, 177]
    10:7: area: [x, y, width, height] = [0, 16, 256, 177] is not a part
area => area: [1, 0, 256, 192]
    10:7: area: [x, y, width, height] = [1, 0, 256, 192] is not a part
area => area: [0, 0, 0, 1]
    10:7: area: [x, y, width, height] = [0, 0, 0, 1] is not a part
area => area: [-1, 0, 5, 5]
    10:7: area: [x, y, width, height]
area => area: [0, 16, 256]
    10:7: area: must be four numbers [x, y, width, height], not [0, 16, 256]
  score =>   score: {at: 0x3FFF, type: u8}
    12:15: variables.score.at: the address 0x3FFF is outside RAM
  score =>   score: {at: 0xFFFE, type: bcd4}
    12:15: variables.score.at: the 4 bytes of bcd4 at 0xFFFE
  score =>   score: {at: 0x8400, type: bcd}
    12:29: variables.score.type: unknown type 'bcd'
  score =>   score: {at: 0x8400}
    12:10: the key 'type' is missing in variables.score
  score =>   sc-ore: {at: 0x8400, type: u8}
    12:3: variables.sc-ore: 'sc-ore' is not a name
  score =>   min: {at: 0x8400, type: u8}
    12:3: variables.min: 'min' means something in expressions
  score =>   and: {at: 0x8400, type: u8}
    12:3: variables.and: 'and' means something in expressions
  score =>   lives: {at: 0x8400, type: u8}
    13:3: duplicate key 'lives' (first on line 12)
routines => routines: {main_loop: 0x100}
    15:23: routines.main_loop: the address 0x0100 is outside RAM
routines => routines: {main_loop: 0x8000, lives: 0x8000}
    15:31: routines.lives: the name 'lives' is a variable
joystick => joystick: kempton
    16:11: joystick: must be 'none', 'kempston', 'sinclair1', 'sinclair2' or
actions => actions: {}
    17:10: actions: dictionary should have at least 1 item
actions => actions: {left: [o]}
    17:10: actions: one action must hold nothing, as in stay: []
actions => actions: {stay: [], left: [oo]}
    17:28: actions.left.0: unknown key 'oo'
actions => actions: {stay: [], left: [left]}
    17:28: actions.left.0: 'left' is a direction of a joystick, and
actions => actions: {stay: [], left: [o, O]}
    17:31: actions.left.1: the key 'o' is listed twice
actions => actions: {stay: [], a: [o, p], b: [p, o]}
    17:35: actions.b: holds the same keys as the action 'a'
actions => actions: {stay: [], a: o}
    17:24: actions.a: must be a list, not 'o'
actions => actions: {stay: [], a: [10]}
    17:25: actions.a.0: must be a text
actions => actions: {stay: [], a: [yes]}
    17:25: actions.a.0: must be a text
actions => actions: {stay: [], 'a b': [o]}
    17:21: actions.a b: 'a b' is not a name
reward => reward: delta(scor)
    18:15: reward: unknown variable 'scor' (did you mean 'score'?)
reward => reward: 'delta(scor)'
    18:16: reward: unknown variable 'scor' (did you mean 'score'?)
reward => reward: called(cought)
    18:16: reward: unknown routine 'cought' (did you mean 'caught'?)
reward => reward: [1]
    18:9: reward: must be an expression, or several by name (part: expression), not [1]
reward =>
    1:1: the key 'reward' is missing
win => win: score
    19:6: win: 'score' is a number where a condition is needed; compare it, as in score > 0
loss => loss: lives = 0
    20:13: loss: write == to compare, at character 7 of 'lives = 0'
loss => loss: >\n  lives ==\n  nought
    20:7: loss: unknown variable 'nought'; there are lives, score, seed
limits => limits: {steps: 0}
    21:17: limits.steps: must be greater than or equal to 1, not 0
limits => limits: {stps: 1}
    21:10: unknown key 'stps' (did you mean 'steps'?); allowed are steps, frames
presets => presets: {frameskip: 0}
    22:22: presets.frameskip.0: must be greater than or equal to 1, not 0
presets => presets: {frameskip: [4, 2]}
    22:22: presets.frameskip: the lowest comes first in [4, 2]
presets => presets: {frameskip: [4]}
    22:22: presets.frameskip: must be a number of frames, or two
presets => presets: {size: [257, 3]}
    22:18: presets.size.0: must be less than or equal to 256, not 257
presets => presets: {colour: gray}
    22:19: presets.colour: must be 'grey', 'ink', 'rgb' or 'attributes', not 'gray' (did you
presets => presets: {stack: 0}
    22:18: presets.stack: must be greater than or equal to 1, not 0
presets => lives: livs
    22:8: lives: unknown variable 'livs' (did you mean 'lives'?)
presets => score: 3
    22:8: score: must be a text
presets => shares: {won: [score, livs]}
    22:23: shares.won.1: unknown variable 'livs' (did you mean 'lives'?)
presets => shares: {won: [score]}
    22:15: shares.won: must be two variables [succeeded, failed]
presets => presets: {frameskip: [4, 4]}
    22:22: presets.frameskip: the lowest comes first in [4, 4]; write 4 where it is always the same
reward => reward: 1e400
    18:9: reward: the number is too large
reward => reward: .nan
    18:9: reward: not a number (.nan)
reward => reward: {}
    18:9: reward: a reward of named parts has at least one; write 0 for none
reward => reward: {eggs: delta(scor)}
    18:22: reward.eggs: unknown variable 'scor' (did you mean 'score'?)
reward => reward: {the eggs: 1}
    18:10: reward.the eggs: 'the eggs' is not a name: letters, digits and _
reward => reward: {eggs: [1]}
    18:16: reward.eggs: must be an expression, not [1]
reward => reward: {eggs: -.inf}
    18:16: reward.eggs: the number is too large
presets => evaluation: {}
    22:13: the key 'reward' is missing in evaluation
presets => evaluation: {reward: {a: 1, b: scor}}
    22:32: evaluation.reward.b: unknown variable 'scor'
presets => evaluation: {win: won}
    22:14: unknown key 'win'; allowed are reward
presets => derived: {lives: score + 1}
    22:11: derived.lives: the name 'lives' is a variable already
presets => derived: {main_loop: 1}
    15:12: routines.main_loop: the name 'main_loop' is a variable already
presets => derived: {min: 1}
    22:11: derived.min: 'min' means something in expressions
presets => derived: {a: scor}
    22:14: derived.a: unknown variable 'scor'
presets => derived: {a: 1 + b, b: score}
    22:18: derived.a: the derived variable 'b' is defined further down; move it up
presets => derived: {a: a + 1}
    22:14: derived.a: the derived variable 'a' is defined further down; move it up
presets => derived: {a: [1]}
    22:14: derived.a: must be a text
presets => allow: {lift: lives > 0}
    22:9: allow.lift: unknown action 'lift' (did you mean 'left'?); there are stay, left, right, fire, left_fire
presets => allow: {stay: lives > 0}
    22:9: allow.stay: stay holds nothing and is always allowed
presets => allow: {left: lives}
    22:15: allow.left: 'lives' is a number where a condition is needed
limits => limits: {stall: {value: score}}
    21:17: the key 'steps' is missing in limits.stall
limits => limits: {stall: {value: scor, steps: 3}}
    21:25: limits.stall.value: unknown variable 'scor'
limits => limits: {stall: {value: score, steps: 0}}
    21:39: limits.stall.steps: must be greater than or equal to 1, not 0
  - until =>   - until: {}
    8:12: start.2.until: give either routine (the name of one) or condition (on variables)
  - until =>   - until: {routine: main_loop, condition: lives == 3}
    8:12: start.2.until: give either routine
  - until =>   - until: {condition: lives}
    8:24: start.2.until.condition: 'lives' is a number where a condition is needed
  - until =>   - until: {condition: delta(lives) == 0}
    8:24: start.2.until.condition: delta() looks back at a step of an agent, and here there is none
  - until =>   - until: {condition: called(caught) > 0}
    8:24: start.2.until.condition: called() looks back at a step
  - until =>   - load: {file: ../level.tap}
    8:18: start.2.load.file: '../level.tap' is not the name of a file
presets => starts: {boss: {}}
    22:16: starts.boss: give start (its steps), snapshot (a file) or after (the name of a start)
presets => starts: {boss: {after: default, snapshot: a.z80}}
    22:16: starts.boss: give either after (the name of a start) or snapshot
presets => starts: {boss: {after: dfault}}
    22:24: starts.boss.after: unknown start 'dfault' (did you mean 'default'?); above it there are default
presets => starts: {a: {after: b}, b: {after: default}}
    22:21: starts.a.after: unknown start 'b'; above it there are default
presets => starts: {default: {after: default}}
    22:10: starts.default: the default start is what `start` makes
presets => starts: {the boss: {after: default}}
    22:10: starts.the boss: 'the boss' is not a name: letters, digits and _
presets => starts: {boss: {after: default, weight: -1}}
    22:41: starts.boss.weight: must be greater than or equal to 0, not -1
presets => starts: {boss: {after: default, weight: yes}}
    22:41: starts.boss.weight: must be a number, not True
presets => starts: {boss: {after: default, weight: .inf}}
    22:41: starts.boss.weight: must be a finite number, not inf
presets => starts: {boss: {start: [press: {keys: [fire]}]}}
    22:40: starts.boss.start.0.press.keys.0: 'fire' is a direction of a joystick
presets => starts: {boss: {start: [set: {lives: 256}]}}
    22:38: starts.boss.start.0.set.lives: 256 is not within 0 to 255
presets => default_weight: 2
    22:1: default_weight: a default_weight is only of use beside starts
presets => default_weight: 0\nstarts: {boss: {after: default, weight: 0}}
    22:17: default_weight: with a weight of 0 for every start there is none to begin with
  lives =>   lives: {at: 0x8404, type: u8, count: 3}
    20:7: loss: 'lives' is a table; write sum(lives), min(lives)
  seed =>   seed: {at: 0x8410, type: u16le, count: 2}
    9:37: reset.randomize.seed: seed is a table; name a variable of one value
  seed =>   seed: {at: 0x8410, type: u16le, stride: 2}
    14:35: variables.seed.stride: a stride is only of use with a count of items
presets => lives: half\nderived: {half: lives // 2}\nshares: {x: [half, haf]}
    24:20: shares.x.1: unknown variable 'haf' (did you mean 'half'?); there are score, lives, seed, half
presets => reset: {}
    22:1: duplicate key 'reset' (first on line 9)
presets => extends: 3
    22:10: extends: must be a text
"""


def bad_rows() -> Iterator[tuple[str, str, str]]:
    lines = BAD.strip().splitlines()
    for change, message in zip(lines[::2], lines[1::2], strict=True):
        line, replacement = change.split(" => ") if not change.endswith(" =>") else (change[:-3], "")
        yield line, replacement.replace(r"\n", "\n").replace("HASH", "ab" * 32), f"g.yaml:{message.strip()}"
