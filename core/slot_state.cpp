// SPDX-License-Identifier: GPL-3.0-or-later
// Saving and restoring whole environments.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "slot.hpp"

namespace oakemu {
namespace {

constexpr char kSlotKind[5] = "OAKB";
constexpr std::uint32_t kSlotVersion = 3;

}  // namespace

std::vector<std::byte> Slot::save(const Rules& rules) const {
    static_assert(std::has_unique_object_representations_v<Random::Words> && sizeof(Progress) == 64 && sizeof(SavedHead) == 104);
    const SavedHead head{rules.fingerprint, random_.words(), progress_};
    const auto derived = std::as_bytes(readings_.derived(rules)), allowed = std::as_bytes(std::span(allowed_));
    const Model model = machine_.state.model;
    std::vector<std::byte> bytes(kSavedHeader + sizeof head + derived.size() + allowed.size() + saved_size(model) + frames_.size());
    std::byte* place = bytes.data() + kSavedHeader;
    for (const std::span<const std::byte> part : {std::as_bytes(std::span(&head, 1)), derived, allowed}) {
        place = std::copy(part.begin(), part.end(), place);
    }
    oakemu::save(machine_, std::span(place, saved_size(model)));
    copy_frames(reinterpret_cast<std::uint8_t*>(place + saved_size(model)));
    seal(bytes, kSlotKind, kSlotVersion, model);
    return bytes;
}

SlotLayout Slot::layout(const Rules& rules) {
    const std::size_t own = sizeof(SavedHead) + rules.derived.size() * sizeof(std::int64_t) + rules.masks.size();
    const std::size_t ram = ram_size(rules.starts.front().state.model);
    return {.fingerprint = rules.fingerprint,
            .fixed = kSavedHeader + own + saved_size(rules.starts.front().state.model) - ram,
            .ram = ram,
            .frame = rules.plan.frame_bytes(),
            .frames = static_cast<std::size_t>(rules.config.stack)};
}

std::span<const std::byte> Slot::checked_payload(const SlotLayout& layout, std::span<const std::byte> bytes) {
    const std::span<const std::byte> payload = unseal(bytes, kSlotKind, kSlotVersion);
    std::uint64_t fingerprint = 0;
    if (payload.size() >= sizeof fingerprint) std::memcpy(&fingerprint, payload.data(), sizeof fingerprint);
    static_assert(offsetof(SavedHead, fingerprint) == 0);
    if (fingerprint != layout.fingerprint || bytes.size() != layout.size()) {
        throw std::invalid_argument("saved environment: of another configuration (game, actions, observation or limits differ)");
    }
    return payload;
}

void Slot::restore(const Rules& rules, std::span<const std::byte> bytes) {
    std::span<const std::byte> payload = checked_payload(layout(rules), bytes);
    SavedHead head{};
    std::vector<std::int64_t> derived(rules.derived.size());
    std::vector<std::uint8_t> allowed(allowed_.size());
    for (const std::span<std::byte> part : {std::as_writable_bytes(std::span(&head, 1)), std::as_writable_bytes(std::span(derived)),
                                            std::as_writable_bytes(std::span(allowed))}) {
        std::ranges::copy(payload.first(part.size()), part.begin());
        payload = payload.subspan(part.size());
    }
    if (!is_sane(rules, head, allowed)) throw std::invalid_argument("saved environment: damaged");
    const SavedMachine saved = read_saved(payload.first(payload.size() - frames_.size()), machine_.state.model);

    // Nothing below can fail.
    saved.put_into(machine_);
    random_ = Random(head.stream);
    progress_ = head.progress;
    allowed_.swap(allowed);
    std::memcpy(frames_.data(), payload.data() + (payload.size() - frames_.size()), frames_.size());
    oldest_ = 0;
    changes_.forget();
    readings_.restore(rules, machine_, derived);
}

bool Slot::is_sane(const Rules& rules, const SavedHead& head, std::span<const std::uint8_t> allowed) const {
    const Progress& progress = head.progress;
    const auto is_number_of = [](std::int64_t number, std::size_t count) {
        return number >= 0 && static_cast<std::uint64_t>(number) < count;
    };
    const bool noop_is_allowed = allowed.empty() || allowed[static_cast<std::size_t>(rules.config.noop_action)] != 0;
    return progress.phase <= Phase::life_lost && is_number_of(progress.last_action, rules.num_actions()) &&
           (progress.start == kNoStart || is_number_of(progress.start, rules.start_choice.count())) && progress.episode_length >= 0 &&
           progress.episode_frames >= 0 && progress.frames >= 0 && progress.steps_unchanged >= 0 &&
           std::isfinite(progress.episode_return) && std::isfinite(progress.stall_value) &&
           (rules.config.max_frames == 0 || progress.episode_frames <= rules.config.max_frames) && head.stream != Random::Words{} &&
           noop_is_allowed && std::ranges::all_of(allowed, [](std::uint8_t flag) { return flag <= 1; });
}

}  // namespace oakemu
