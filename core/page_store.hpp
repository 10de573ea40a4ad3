// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "intern_pool.hpp"

namespace oakemu {

/// Byte strings that are much alike. Equal pages of 256 bytes are kept once, and so are equal runs of 16 pages, of which a string is a
/// list. Who adds a string keeps the list; how long it is and how long the string was, the owner knows.
class PageStore {
public:
    using RunId = InternPool::Id;

    static constexpr std::size_t kPage = 256;
    static constexpr std::size_t kRunPages = 16;
    static constexpr std::size_t kRun = kPage * kRunPages;

    /// Length of the list of a string: the last run is filled up with zeros.
    static constexpr std::size_t num_runs(std::size_t bytes) { return (bytes + kRun - 1) / kRun; }

    /// Keeps a string; its list goes to num_runs() places at `runs`. `like` is the list of one that is probably much the same, or
    /// empty: comparing is faster than looking up. Strong guarantee.
    void add(std::span<const std::byte> bytes, RunId* runs, std::span<const RunId> like);

    /// Fills `out`, as long as the string was, from its list.
    void copy(const RunId* runs, std::span<std::byte> out) const;

    /// Forgets a string. What it held is kept for others.
    void release(std::span<const RunId> runs);

    /// Forgets all strings and gives their memory back.
    void clear();

    /// Different pages.
    std::size_t pages() const { return pages_.size(); }
    /// Memory that it holds, in use or not.
    std::size_t nbytes() const { return pages_.nbytes() + runs_.nbytes(); }

private:
    using Run = std::array<InternPool::Id, kRunPages>;  ///< its pages

    Run run(RunId id) const;
    RunId add_run(const std::byte* bytes, const RunId* like);
    void release_run(RunId id);
    void release_pages(const Run& pages, std::size_t count);

    InternPool pages_{kPage};
    InternPool runs_{sizeof(Run)};
};

}  // namespace oakemu
