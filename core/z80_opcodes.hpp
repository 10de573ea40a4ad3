// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

/// An instruction is one function of the host, into which all that it does is inlined. Not with sanitizers, whose checks would make
/// that very large.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OAKEMU_INLINE inline
#else
#define OAKEMU_INLINE [[gnu::always_inline]] inline
#endif

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

/// SCF and CCF depend on whether the last instruction wrote flags.
constexpr bool reads_q(std::uint8_t code) { return code == 0x37 || code == 0x3F; }

/// Which register pair an instruction calls HL.
enum class Index { hl, ix, iy };

/// Where an opcode byte is looked up: it depends on the prefix before it. DD CB d op and FD CB d op are CB of the ix and iy tables.
enum class Table { main, cb, ed, ix, iy };

/// The table in which the byte after `code` is looked up if `code` is a prefix, else Table::main.
constexpr Table table_after(Table table, std::uint8_t code) {
    if (table != Table::main) {
        return Table::main;
    }
    return code == 0xCB ? Table::cb : code == 0xED ? Table::ed : code == 0xDD ? Table::ix : code == 0xFD ? Table::iy : Table::main;
}

/// Whether `code` means the same in `table` as in the main one.
constexpr bool is_as_in_main(Table table, std::uint8_t code) {
    return table == Table::main || ((table == Table::ix || table == Table::iy) && !uses_index(code) && !reads_q(code));
}

/// The 256 functions of a table: Functions::pick<table, code>() each.
template <class Functions, Table table>
constexpr auto make_table() {
    return []<std::size_t... codes>(std::index_sequence<codes...>) {
        return std::array{Functions::template pick<table, static_cast<std::uint8_t>(codes)>()...};
    }(std::make_index_sequence<256>());
}

}  // namespace oakemu::z80
