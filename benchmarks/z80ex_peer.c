/* SPDX-License-Identifier: GPL-3.0-or-later
 * Debian's z80ex on flat memory, without contention and without a Spectrum around it: built by benchmarks/_emulators.py. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <z80ex/z80ex.h>

enum { FRAME = 69888, INTERRUPT = 32 };

typedef struct {
    Z80EX_CONTEXT *cpu;
    uint64_t t;
    uint8_t memory[65536];
} Peer;

static Z80EX_BYTE read_memory(Z80EX_CONTEXT *cpu, Z80EX_WORD address, int m1, void *peer) {
    (void)cpu, (void)m1;
    return ((Peer *)peer)->memory[address];
}

static void write_memory(Z80EX_CONTEXT *cpu, Z80EX_WORD address, Z80EX_BYTE value, void *peer) {
    (void)cpu;
    if (address >= 0x4000) {
        ((Peer *)peer)->memory[address] = value;
    }
}

static Z80EX_BYTE read_port(Z80EX_CONTEXT *cpu, Z80EX_WORD port, void *peer) {
    (void)cpu, (void)port, (void)peer;
    return 0xFF;
}

static void write_port(Z80EX_CONTEXT *cpu, Z80EX_WORD port, Z80EX_BYTE value, void *peer) { (void)cpu, (void)port, (void)value, (void)peer; }

static Z80EX_BYTE read_vector(Z80EX_CONTEXT *cpu, void *peer) {
    (void)cpu, (void)peer;
    return 0xFF;
}

Peer *peer_new(void) {
    Peer *peer = calloc(1, sizeof *peer);
    if (peer != NULL) {
        peer->cpu = z80ex_create(read_memory, peer, write_memory, peer, read_port, peer, write_port, peer, read_vector, peer);
    }
    return peer;
}

/* Registers in the order of REGISTERS in _programs.py. */
void peer_restart(Peer *peer, const uint8_t *memory, const uint16_t *registers) {
    static const Z80_REG_T names[] = {regAF, regBC, regDE, regHL, regAF_, regBC_, regDE_, regHL_, regIX,
                                      regIY, regSP, regPC, regI,  regR,   regIM,  regIFF1, regIFF2};
    z80ex_reset(peer->cpu);
    peer->t = 0;
    memcpy(peer->memory, memory, sizeof peer->memory);
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        z80ex_set_reg(peer->cpu, names[k], registers[k]);
    }
}

void peer_run(Peer *peer, uint64_t frames) {
    const uint64_t end = peer->t + frames * FRAME;
    while (peer->t < end) {
        peer->t += z80ex_step(peer->cpu);
        /* The instructions of INT's 32 T are asked one by one, as in ours; z80ex_int() gives 0 unless it is accepted. */
        while (peer->t % FRAME < INTERRUPT && !z80ex_last_op_type(peer->cpu)) {
            const int t = z80ex_int(peer->cpu);
            peer->t += t != 0 ? (unsigned)t : (unsigned)z80ex_step(peer->cpu);
        }
    }
}
