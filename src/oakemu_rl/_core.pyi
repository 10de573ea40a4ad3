"""
The native core of OakEmu-RL: one ZX Spectrum (Machine), and many of them on a thread pool (Batch).
"""

from collections.abc import Sequence
from typing import Annotated

import numpy
import numpy.typing
from numpy.typing import NDArray


class Machine:
    """One ZX Spectrum. To be used by one thread at a time."""

    def __init__(self, rom: bytes, *, model: str = '48k', contention: bool = True, late: bool = False, issue2: bool = False, kempston: bool = False) -> None:
        """
        A machine in its power-on state. `model` is '48k', '128k' or 'plus2'; `rom` is its ROM images one after the other, 16 KiB each.
        """

    def __copy__(self) -> Machine: ...

    def fork(self) -> Machine:
        """A machine of its own that goes on from the same moment."""

    def power_on(self) -> None:
        """Puts the machine into its power-on state: RAM zero, PC 0, no key held."""

    def run_frames(self, count: int) -> None:
        """
        Runs to the end of the current frame, `count` times. The GIL is released.
        """

    def run_tstates(self, tstates: int) -> None:
        """Runs at least `tstates` T-states. The GIL is released."""

    def run_until(self, addresses: Sequence[int], max_frames: int) -> int | None:
        """
        Runs until an instruction at one of the addresses is about to be executed; returns its address, or None after `max_frames` frame ends. The GIL is released.
        """

    def get_register(self, name: str) -> int:
        """
        A register by its lower-case name (af, a, f, ..., af_, ..., ix, pc, memptr, i, r, q, im, iff1, halted).
        """

    def set_register(self, name: str, value: int) -> None:
        """Raises ValueError for an unknown name or a value that does not fit."""

    def read(self, address: int) -> int:
        """The byte at an address, ROM or RAM."""

    def write(self, address: int, value: int) -> None:
        """Writes a byte of RAM; an address in ROM is a ValueError."""

    @property
    def ram(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]:
        """
        All RAM as a writable view, which keeps the machine alive: banks 5, 2, 0 (addresses 0x4000 to 0xFFFF of a 48K machine), then 1, 3, 4, 6 and 7.
        """

    def bank(self, number: int) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]:
        """
        One bank of 16,384 bytes as a writable view. A 48K machine has 5 (0x4000), 2 (0x8000) and 0 (0xC000).
        """

    @property
    def rom(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', writable=False)]:
        """The paged ROM, addresses 0 to 0x3FFF, as a read-only view."""

    @property
    def keys(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]:
        """
        Held keys of the 8 half rows (FEFE first), bits 0 to 4, 1 = held; a writable view.
        """

    @property
    def model(self) -> str:
        """'48k', '128k' or 'plus2'."""

    @property
    def late(self) -> bool:
        """Whether the ULA's timing is late."""

    @property
    def issue2(self) -> bool:
        """Whether EAR with no signal reads back MIC as well as the speaker bit."""

    @issue2.setter
    def issue2(self, arg: bool, /) -> None: ...

    @property
    def frame_tstates(self) -> int:
        """T-states of a frame."""

    @property
    def clock(self) -> int:
        """T-states of a second."""

    @property
    def t(self) -> int:
        """T-states since this frame began."""

    @t.setter
    def t(self, arg: int, /) -> None: ...

    @property
    def after_ei(self) -> bool:
        """
        Whether the CPU takes no interrupt at this T, because an EI or a lone DD or FD has just ended.
        """

    @after_ei.setter
    def after_ei(self, arg: bool, /) -> None: ...

    @property
    def frame(self) -> int:
        """Frames since power-on."""

    @property
    def contention(self) -> bool:
        """Whether contention is emulated."""

    @property
    def kempston_fitted(self) -> bool:
        """Whether a Kempston joystick is fitted."""

    @property
    def border(self) -> int:
        """Border colour, 0 to 7."""

    @border.setter
    def border(self, arg: int, /) -> None: ...

    @property
    def port_fe(self) -> int:
        """The byte last written to the ULA port (bit 3 MIC, bit 4 speaker)."""

    @port_fe.setter
    def port_fe(self, arg: int, /) -> None: ...

    @property
    def port_7ffd(self) -> int:
        """
        The paging latch of a 128K machine: bits 0-2 bank at 0xC000, 3 screen of bank 7, 4 ROM 1, 5 locked; 0 on a 48K one.
        """

    @port_7ffd.setter
    def port_7ffd(self, arg: int, /) -> None: ...

    @property
    def ay_selected(self) -> int:
        """The register that the ports of a 128K machine's sound chip address."""

    @ay_selected.setter
    def ay_selected(self, arg: int, /) -> None: ...

    @property
    def ay(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]:
        """The 16 registers of a 128K machine's sound chip as a writable view."""

    @property
    def kempston(self) -> int:
        """
        Kempston joystick: bits 0 right, 1 left, 2 down, 3 up, 4 fire; 1 = pressed.
        """

    @kempston.setter
    def kempston(self, arg: int, /) -> None: ...

    def indexed(self, x: int = 0, y: int = 0, width: int = 256, height: int = 192) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C')]:
        """
        Colours 0 to 15 of a rectangle of the display, a new array (height, width).
        """

    def grey(self, x: int = 0, y: int = 0, width: int = 256, height: int = 192) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C')]:
        """Luminance of a rectangle of the display, a new array (height, width)."""

    def ink(self, x: int = 0, y: int = 0, width: int = 256, height: int = 192) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C')]:
        """
        1 where a pixel of the bitmap is set, else 0, a new array (height, width).
        """

    def rgb(self, x: int = 0, y: int = 0, width: int = 256, height: int = 192) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None, 3), order='C')]:
        """A rectangle of the display, a new array (height, width, 3)."""

    def rgb_with_border(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None, 3), order='C')]:
        """The display and its border, a new array (240, 320, 3)."""

    def save(self) -> bytes:
        """
        The whole machine without its ROM and tape: a header (magic OAKS, version, size, model, checksum), then the state.
        """

    def restore(self, data: bytes) -> None:
        """
        Puts back what `save` returned. Raises ValueError that says what is wrong, and then nothing has changed.
        """

    def insert_tape(self, tape: Tape | None) -> None:
        """
        Puts a tape into the recorder, at its beginning and stopped; None takes it out.
        """

    def play_tape(self) -> None:
        """Starts the tape where it stands."""

    def stop_tape(self) -> None:
        """Stops the tape where it stands."""

    def wind_tape(self, segment: int) -> None:
        """Stops the tape at the beginning of a segment, or behind the last one."""

    def listens_to_tape(self) -> bool:
        """
        Whether what the machine does next depends on what is heard from the tape.
        """

    @property
    def has_tape(self) -> bool:
        """Whether a tape is in the recorder."""

    @property
    def tape_playing(self) -> bool:
        """Whether the tape is playing."""

    @property
    def tape_position(self) -> int:
        """T-states of tape that have passed."""

    @property
    def tape_segment(self) -> int:
        """The segment from which the next pulse comes; their number at the end."""

    @property
    def tape_item(self) -> int:
        """
        The pulse, symbol or sample within the segment that is the next one; 0 at its beginning.
        """

    @property
    def tape_level(self) -> int:
        """What was heard last, 0 or 1."""

    @property
    def tape_reads(self) -> int:
        """How often the ULA port was read while a tape was in; 32 bits."""

class StateStore:
    """Very many saved machines, which share equal pages of 256 bytes."""

    def __init__(self) -> None: ...

    def add(self, data: bytes) -> int:
        """
        Keeps what Machine.save returned; returns its id. Raises ValueError as Machine.restore does.
        """

    def add_machine(self, machine: Machine) -> int:
        """Keeps the machine's present state; returns its id."""

    def get(self, id: int) -> bytes:
        """
        What was added, as Machine.save returns it. Raises IndexError if there is no such state.
        """

    def load(self, id: int, machine: Machine) -> None:
        """
        Puts a state into a machine of the same model. Raises IndexError or ValueError; then nothing has changed.
        """

    def discard(self, id: int) -> None:
        """Forgets a state. Raises IndexError if there is no such state."""

    def clear(self) -> None:
        """Forgets all states and gives their memory back."""

    def ids(self) -> list[int]:
        """The ids of all states, oldest first."""

    def __contains__(self, id: int) -> bool: ...

    def __len__(self) -> int: ...

    @property
    def pages(self) -> int:
        """Different pages of 256 bytes."""

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the store holds."""

class Tape:
    """
    A tape as it is played: immutable, and shared by all machines in which it is.
    """

    def __init__(self, segments: Annotated[NDArray[numpy.int64], dict(shape=(None, 5), order='C', device='cpu', writable=False)], symbols: Annotated[NDArray[numpy.int64], dict(shape=(None, 3), order='C', device='cpu', writable=False)], pulses: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], bytes: bytes) -> None:
        """
        `segments` are rows of (kind, bits, first, count, extra) as core/tape.hpp describes them, `symbols` rows of (first pulse, count, start), `pulses` their lengths in T. Raises ValueError for what cannot be played.
        """

    @property
    def duration(self) -> int:
        """T-states from the beginning to the end."""

    @property
    def segments(self) -> int:
        """How many segments there are."""

    def begin_of(self, segment: int) -> int:
        """T-states of tape after which a segment is reached for the first time."""

    def edges(self, until: int, on_48k: bool = True) -> list[tuple[int, int]]:
        """
        (T, level from then on) for every change of the level up to `until` T or the first stop; before the first it is 0.
        """

class EdgeLoops:
    """
    The loops in which loaders wait for edges, whose turns are taken at once: fast, and exact.
    """

    def __init__(self) -> None: ...

    def find(self, machine: Machine) -> None:
        """Looks for them in the memory of a machine, as it is paged now."""

    @property
    def addresses(self) -> list[int]:
        """Where they were found."""

    def run_frame(self, machine: Machine, stops: Sequence[int]) -> int | None:
        """
        Runs to the end of the frame, or until an instruction at one of the addresses is about to be executed, which is returned then.
        """

class Outputs:
    """
    The arrays into which a Batch writes, one row an environment; N environments, V variables, derived ones included, P parts of the
    reward, A actions. They are kept alive, never copied; those that are None are not written.

    observations (N, channels, height, width) uint8, oldest frame first; rewards (N,) float64; terminated, truncated (N,) bool;
    variables (N, V) int64; episode_return (N,) float64, before clipping; episode_length (steps), episode_frame_number and
    frame_number (since construction or seeding, no-op frames included) (N,) int64; outcome (N,) uint8: 0 running, 1 win, 2 loss,
    3 truncated, 4 life lost; actions_taken (N,) int64, after stickiness and masks, -1 where the step was a reset; reward_parts (N, P)
    float64, before clipping; action_masks (N, A) bool, what the next step may play; start (N,) int64, the number of the running
    episode's start state; ram (N, 49152) uint8, 0x4000 to 0xFFFF as paged; final_observations, final_variables and final_ram like
    their namesakes, needed and written only by autoreset 'same_step', and only in rows whose episode has just ended (their start and
    action_masks are the new episode's).
    """

    def __init__(self, *, observations: numpy.typing.NDArray[numpy.uint8], rewards: numpy.typing.NDArray[numpy.float64], terminated: numpy.typing.NDArray[numpy.bool_], truncated: numpy.typing.NDArray[numpy.bool_], variables: numpy.typing.NDArray[numpy.int64], episode_return: numpy.typing.NDArray[numpy.float64], episode_length: numpy.typing.NDArray[numpy.int64], episode_frame_number: numpy.typing.NDArray[numpy.int64], frame_number: numpy.typing.NDArray[numpy.int64], outcome: numpy.typing.NDArray[numpy.uint8], actions_taken: numpy.typing.NDArray[numpy.int64], reward_parts: numpy.typing.NDArray[numpy.float64] | None = None, action_masks: numpy.typing.NDArray[numpy.bool_] | None = None, start: numpy.typing.NDArray[numpy.int64] | None = None, ram: numpy.typing.NDArray[numpy.uint8] | None = None, final_observations: numpy.typing.NDArray[numpy.uint8] | None = None, final_variables: numpy.typing.NDArray[numpy.int64] | None = None, final_ram: numpy.typing.NDArray[numpy.uint8] | None = None) -> None:
        """
        Raises ValueError that names the array whose dtype, shape or layout is wrong, TypeError for what is no writable array.
        """

class Batch:
    """
    Many environments of one game, stepped together on a pool of threads.

    What environment i does depends on the settings, its own seed and its own actions, never on the number of threads or on the others.
    """

    def __init__(self, *, rom: bytes, start_states: Sequence[bytes], start_weights: Sequence[float] = (), num_envs: int, num_threads: int, contention: bool, actions: numpy.typing.NDArray[numpy.uint8], noop_action: int, frameskip: tuple[int, int], repeat_action_probability: float, noops: tuple[int, int], random_pokes: Sequence[tuple[int, int]], max_steps: int, max_frames: int, stall_value: Sequence[tuple[str, float]] = (), stall_steps: int = 0, area: tuple[int, int, int, int], size: tuple[int, int], colour: str, stack: int, maxpool: bool, variables: Sequence[tuple[int, str, int, int, int, int, int, str, int]], derived: Sequence[Sequence[tuple[str, float]]] = (), hooks: Sequence[int], rewards: Sequence[Sequence[tuple[str, float]]], win: Sequence[tuple[str, float]], loss: Sequence[tuple[str, float]], masks: Sequence[Sequence[tuple[str, float]]] = (), lives_variable: int, episodic_life: bool, reward_clipping: bool, autoreset: str) -> None:
        """
        All settings are checked here; ValueError names the one that is wrong, what was given and what is allowed.

        start_weights is how likely each start state is, in proportion; empty: all alike. actions is (A, 9) uint8: held keys of the 8 half
        rows (FEFE first, bits 0 to 4), then the Kempston joystick. frameskip and noops are frames, (low, high) both included. random_pokes
        are (address, bytes) that a reset fills at random. max_steps and max_frames truncate an episode, 0 never; so does stall_value
        staying the same for stall_steps steps, 0 never. area is x, y, width, height on the 256x192 display, size is (width, height) of the
        observation, colour is 'grey', 'ink', 'rgb' or 'attributes' (the grey levels of ink and paper of each character cell that the area
        touches; size is ignored), maxpool takes the brighter pixel of a step's last two frames.

        variables are (address, type, num_bytes, low, high, items, stride, reduction, value): reduction is '' for one value (items 1,
        stride 0), else 'sum', 'min', 'max' or 'count' (how many are equal to value) of a table of items that begin stride bytes apart.
        Programs are lists of (operation, operand), empty for none. derived are further variables, numbered after the others, computed in
        order and rounded; each may name those before it and, by 'before', all. rewards are the parts of the reward, which is their sum.
        masks is empty or has a program for each action, which says whether the next step may play it (an empty one: always); the no-op is
        played in its place. With episodic_life a smaller variable number lives_variable ends the episode, and the next reset lets the game
        go on. autoreset is 'next_step', 'same_step' or 'disabled'.
        """

    def seed(self, seeds: numpy.typing.NDArray[numpy.uint64], mask: numpy.typing.NDArray[numpy.bool_] | None = None) -> None:
        """
        Starts the own random stream of each environment marked in mask (N,) bool, or of all; seeds is (N,) uint64. Until then environment i has the seed i.
        """

    def reset(self, mask: numpy.typing.NDArray[numpy.bool_] | None, outputs: Outputs, starts: numpy.typing.NDArray[numpy.int64] | None = None, machines: Sequence[bytes | None] = []) -> None:
        """
        Resets the environments marked in mask (N,) bool, or all, and writes their rows of outputs; starts (N,) int64 are the numbers of their start states, -1 to draw one. machines, none or N, are what Machine.save returned: where one is given, the episode begins in it as it is, without no-op frames and random bytes. Raises ValueError for a number or a machine that cannot be; then nothing has changed. The GIL is released.
        """

    def check_machines(self, machines: Sequence[bytes | None]) -> None:
        """Raises ValueError as reset does for machines that cannot be."""

    def step(self, actions: numpy.typing.NDArray[numpy.int64], outputs: Outputs) -> None:
        """
        Plays one step in every environment; actions is (N,) int64. The GIL is released.

        Raises ValueError for an action that does not exist and RuntimeError for an environment that has to be reset first; then nothing has been played.
        """

    def step_held(self, env: int, action: int, held: numpy.typing.NDArray[numpy.uint8], outputs: Outputs) -> None:
        """
        Plays one step in one environment, in which each frame holds keys of its own: held is (F, 9) uint8, rows as of `actions` in the constructor. action is what the step is taken for. Nothing is drawn, no limit cuts it short. The GIL is released.

        Raises as step().
        """

    def get_state(self, env: int) -> bytes:
        """
        The whole environment: machine, random stream, statistics and frames. Fits any batch of the same configuration.
        """

    def set_state(self, env: int, data: bytes) -> None:
        """
        Puts back what get_state returned. Raises ValueError that says what is wrong, and then nothing has changed.
        """

    def observe(self, mask: numpy.typing.NDArray[numpy.bool_] | None, outputs: Outputs) -> None:
        """
        Writes the rows of outputs of the environments marked in mask (N,) bool, or of all, as they stand, for example after set_state: those of a reset, but with the figures of the episode so far.
        """

    def machine_state(self, env: int) -> bytes:
        """The machine alone, in the form that Machine.restore reads."""

    def ram(self, env: int) -> numpy.typing.NDArray[numpy.uint8]:
        """
        A copy of the RAM, (49152,) or (131072,) uint8, banks in the order of Machine.ram.
        """

    def render(self, env: int) -> numpy.typing.NDArray[numpy.uint8]:
        """The picture with its border, a new array (240, 320, 3) uint8."""

    @property
    def num_envs(self) -> int: ...

    @property
    def num_threads(self) -> int:
        """Threads in use: never more than environments."""

    @property
    def num_actions(self) -> int: ...

    @property
    def num_variables(self) -> int:
        """Derived ones included."""

    @property
    def num_rewards(self) -> int:
        """Parts of the reward."""

    @property
    def num_starts(self) -> int: ...

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        """(stack * planes, height, width) of one environment."""

class SlotStore:
    """
    Very many saved environments of one configuration, which share equal pages of 256 bytes of their machines and of their frames.
    """

    def __init__(self, batch: Batch) -> None:
        """
        For environments of this batch's configuration, in this batch or another.
        """

    def add(self, batch: Batch, env: int) -> int:
        """
        Keeps an environment as it stands; returns the id. Raises ValueError for a batch of another configuration.
        """

    def add_bytes(self, data: bytes) -> int:
        """
        Keeps what Batch.get_state returned; returns the id. Raises ValueError as Batch.set_state does.
        """

    def put(self, batch: Batch, env: int, id: int) -> None:
        """
        Puts a state into an environment. Raises IndexError or ValueError; then nothing has changed.
        """

    def get(self, id: int) -> bytes:
        """
        What was added, as Batch.get_state returns it. Raises IndexError if there is no such state.
        """

    def discard(self, id: int) -> None:
        """Forgets a state. Raises IndexError if there is no such state."""

    def clear(self) -> None:
        """Forgets all states and gives their memory back."""

    def ids(self) -> list[int]:
        """The ids of all states, oldest first."""

    def __contains__(self, id: int) -> bool: ...

    def __len__(self) -> int: ...

    @property
    def pages(self) -> int:
        """Different pages of 256 bytes."""

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the store holds."""

class Explorer:
    """
    Finds ways to as many different moments of a game as it can, by going back to where it has been seldom and playing on at random.

    What it finds does not depend on the number of threads.
    """

    def __init__(self, batch: Batch, *, cell: Sequence[int], picture: bool, start: int, seed: int, num_threads: int, trips: int, trip_steps: int, repeat: float) -> None:
        """
        Explores the game of this batch, whose autoreset is 'disabled'; the batch itself is not touched. cell are the numbers of the variables that make a cell; with picture, the newest frame in 8 levels belongs to it. start is the number of the start state. A round has so many trips, each of at most trip_steps steps; repeat is how likely a step plays the last action once more.

        Raises ValueError for what is not allowed.
        """

    def explore(self) -> None:
        """Plays one round of trips. The GIL is released."""

    def way_to(self, cell: int) -> list[int]:
        """The actions from the start to a cell. Raises IndexError."""

    def way_to_win(self) -> list[int]:
        """The actions up to the best win; empty if there was none."""

    @property
    def start(self) -> bytes:
        """The machine at the start of all ways."""

    @property
    def num_cells(self) -> int: ...

    @property
    def num_trips(self) -> int: ...

    @property
    def num_steps(self) -> int: ...

    @property
    def num_frames(self) -> int:
        """Frames emulated, of all trips."""

    @property
    def num_wins(self) -> int:
        """Trips that ended with a win."""

    @property
    def nbytes(self) -> int:
        """Bytes of memory that cells and ways hold."""

    def cells(self) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int64]]:
        """
        New arrays with a row a cell, in the order in which they were found: what makes it (N, K), the return (N,) and the steps (N,) of the best way to it, and how many trips came by (N,).
        """

    def best_win(self) -> tuple[float, int] | None:
        """Return and steps of the best way that won; None if none did."""

class RzxPlayback:
    """
    Plays recorded frames on a machine. To be used by one thread at a time.
    """

    def __init__(self, habits: int = 0) -> None:
        """
        `habits` is a sum: 1 LD A,I and LD A,R lose P/V to an interrupt, 2 a frame of one or two fetches after EI begins without one.
        """

    def restart(self) -> None:
        """
        To be called when the machine has become a snapshot: no interrupt comes before its first frame.
        """

    def play(self, machine: Machine, fetches: object, starts: object, counts: object, data: object, first: int, count: int, watcher: Watcher | None = None) -> tuple[int, Annotated[NDArray[numpy.uint8], dict(shape=(None, 9), order='C')], Annotated[NDArray[numpy.uint8], dict(shape=(None, 9), order='C')]]:
        """
        Plays frames and returns how many went as recorded, and for each of those what was held and what of that is known: uint8 (frames, 9), the 8 half rows (FEFE first) and the Kempston joystick. The frame after them, if any, had another number of port reads (`desync`). `fetches` and `counts` are uint16, `starts` int64 (frames,), `data` uint8. `watcher` sees and hears them. The GIL is released.
        """

    @property
    def desync(self) -> tuple[int, int]:
        """How many port reads the last frame had, and how many were recorded."""

class RzxRecording:
    """Records what goes into a machine. To be used by one thread at a time."""

    def __init__(self) -> None: ...

    def start(self, machine: Machine) -> None:
        """
        From now on `machine.run_frames` is recorded, and slower. ValueError if it is recorded already.
        """

    def stop(self, machine: Machine) -> None:
        """No longer records this machine."""

    @property
    def frames(self) -> int:
        """How many recorded frames have ended."""

    def parts(self) -> list[tuple[bytes, numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.uint8]]]:
        """
        What was recorded, a tuple for each part: the machine before it (as `Machine.save` gives it), and of its frames the fetches, the number of port reads (uint16 each) and what all of these gave, one frame after the other (uint8).
        """

class Watcher:
    """
    Somebody who looks at a machine, or listens to it, frame by frame. For one thread at a time.
    """

    def __init__(self, *, picture: bool, sound: bool) -> None: ...

    def run_frame(self, machine: Machine) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(240, 320, 3), order='C')] | None, Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C')] | None]:
        """
        Runs to the end of the machine's frame; returns what `take` does. The GIL is released.
        """

    def take(self) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(240, 320, 3), order='C')] | None, Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C')] | None]:
        """
        The picture of the last watched frame as the beam drew it (240, 320, 3), and the samples since the last call, of one channel at 48 kHz (n,), each a new array, or None if that is not watched.
        """
