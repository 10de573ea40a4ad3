// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "machine.hpp"

/// Saved machines as bytes: a header (magic "OAKS", format version, payload size, model, checksum), then the State as it lies in
/// memory, then the RAM. Saved bytes are the same wherever they are written, and docs/states.md describes them.
namespace oakemu {

inline constexpr std::size_t kSavedHeader = 24;

/// Writes the header before a payload that is in its place: `bytes` is kSavedHeader bytes of anything, then the payload. `kind` is the
/// four-character magic, so that a batch slot is never taken for a machine.
void seal(std::span<std::byte> bytes, const char (&kind)[5], std::uint32_t version, Model model);

/// The payload of saved bytes. Throws std::invalid_argument that says what is wrong: too short, foreign, another version, truncated,
/// damaged.
std::span<const std::byte> unseal(std::span<const std::byte> bytes, const char (&kind)[5], std::uint32_t version);

/// Throws std::invalid_argument that names the field unless a machine can be in this state: with this tape, or with any if it is null.
void check_state(const State& state, const Tape* tape);

/// Bytes of a saved machine of a model.
constexpr std::size_t saved_size(Model model) { return kSavedHeader + sizeof(State) + ram_size(model); }

/// seal() for what save() writes.
void seal_machine(std::span<std::byte> bytes, Model model);

/// Saves into saved_size() bytes. What could not be read back is not written either: throws like check_state().
void save(const Machine& machine, std::span<std::byte> out);
std::vector<std::byte> save(const Machine& machine);

/// A saved machine whose bytes were found to be good. The RAM stays where the bytes are.
struct SavedMachine {
    State state;
    std::span<const std::byte> ram;

    /// Puts it into a machine of the same model, whose RAM stays where it is. Cannot fail.
    void put_into(Machine& machine) const;
};

/// What save() wrote. Throws std::invalid_argument like unseal() and check_state().
SavedMachine read_saved(std::span<const std::byte> bytes, const Tape* tape = nullptr);
/// The same; a machine of another model is refused, too.
SavedMachine read_saved(std::span<const std::byte> bytes, Model model, const Tape* tape = nullptr);

/// Throws std::invalid_argument that names both models unless they are the same.
void check_model(Model saved, Model machine);

/// The machine that save() wrote.
Machine restored(std::span<const std::byte> bytes);

/// Puts a saved machine of the same model into `machine`, whose RAM stays where it is.
/// Strong guarantee: `machine` is changed only if the bytes are good.
void restore(Machine& machine, std::span<const std::byte> bytes, const Tape* tape = nullptr);

}  // namespace oakemu
