// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

/// Inlining everything into the one run loop lets the compiler keep the CPU in machine registers and on its own stack.
/// Not with sanitizers: one function of that size takes them minutes to compile.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OAKEMU_INLINE inline
#else
#define OAKEMU_INLINE [[gnu::always_inline]] inline
#endif

/// X(0x00) .. X(0xFF): the 256 cases of a dispatch switch.
// clang-format off
#define OAKEMU_OPCODES_8(X, n) X((n) + 0) X((n) + 1) X((n) + 2) X((n) + 3) X((n) + 4) X((n) + 5) X((n) + 6) X((n) + 7)
#define OAKEMU_OPCODES_64(X, n)                                                                     \
    OAKEMU_OPCODES_8(X, (n) + 0x00) OAKEMU_OPCODES_8(X, (n) + 0x08) OAKEMU_OPCODES_8(X, (n) + 0x10) \
    OAKEMU_OPCODES_8(X, (n) + 0x18) OAKEMU_OPCODES_8(X, (n) + 0x20) OAKEMU_OPCODES_8(X, (n) + 0x28) \
    OAKEMU_OPCODES_8(X, (n) + 0x30) OAKEMU_OPCODES_8(X, (n) + 0x38)
#define OAKEMU_OPCODES(X) OAKEMU_OPCODES_64(X, 0x00) OAKEMU_OPCODES_64(X, 0x40) OAKEMU_OPCODES_64(X, 0x80) OAKEMU_OPCODES_64(X, 0xC0)
// clang-format on

namespace oakemu::z80 {

/// The fields in which the Z80 itself decodes an opcode: xx yyy zzz, where yyy is also pp q.
struct Opcode {
    int x, y, z, p;
    bool q;
    constexpr explicit Opcode(std::uint8_t code) : x(code >> 6), y((code >> 3) & 7), z(code & 7), p((code >> 4) & 3), q((code & 8) != 0) {}
};

/// Which unprefixed opcodes change their meaning after DD or FD: those that name HL, H, L or (HL), except EX DE,HL and EXX.
constexpr bool uses_index(std::uint8_t code) {
    constexpr auto names_hl = [](int field) { return field >= 4 && field <= 6; };
    const Opcode op(code);
    switch (op.x) {
        case 0: {
            const bool pair_is_hl = op.p == 2;
            return (op.z == 1 && (op.q || pair_is_hl)) || ((op.z == 2 || op.z == 3) && pair_is_hl) ||
                   (op.z >= 4 && op.z <= 6 && names_hl(op.y));
        }
        case 1:
            return code != 0x76 && (names_hl(op.y) || names_hl(op.z));
        case 2:
            return names_hl(op.z);
        default:
            return code == 0xCB || code == 0xE1 || code == 0xE3 || code == 0xE5 || code == 0xE9 || code == 0xF9;
    }
}

}  // namespace oakemu::z80
