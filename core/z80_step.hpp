// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "z80.hpp"

/// One instruction a call, for any Bus.
namespace oakemu::z80 {

/// Each opcode as a function that ends with its instruction.
template <class Bus>
class Steps {
    using Function = void (*)(Processor<Bus>&);

    template <Table table, std::uint8_t code>
    static void function(Processor<Bus>& cpu) {
        constexpr Table next = table_after(table, code);
        if constexpr (next == Table::main) {
            cpu.template execute<table, code>();
        } else if (next == Table::cb || next == Table::ed || !cpu.is_lone_prefix()) {
            kFunctions<next>[cpu.fetch()](cpu);
        }
    }

public:
    template <Table table, std::uint8_t code>
    static constexpr Function pick() {
        return is_as_in_main(table, code) ? &function<Table::main, code> : &function<table, code>;
    }

    template <Table table>
    static constexpr auto kFunctions = make_table<Steps, table>();
};

struct OwnRegisters {
    ColdRegisters registers;
};

/// A Processor that keeps its registers itself: load(), then step() by step(), then store().
template <class Bus>
class Z80 : private OwnRegisters, public Processor<Bus> {
public:
    explicit Z80(Bus&& its_bus) : Processor<Bus>(static_cast<Bus&&>(its_bus), registers) {}

    /// Executes one instruction with all its prefixes.
    void step() { Steps<Bus>::template kFunctions<Table::main>[this->fetch()](*this); }
};

}  // namespace oakemu::z80
