// SPDX-License-Identifier: GPL-3.0-or-later
#include "page_store.hpp"

#include <algorithm>
#include <cstring>

namespace oakemu {

void PageStore::add(std::span<const std::byte> bytes, RunId* runs, std::span<const RunId> like) {
    const std::size_t count = num_runs(bytes.size());
    std::size_t done = 0;
    try {
        for (; done < count; ++done) {
            const std::span<const std::byte> part = bytes.subspan(done * kRun, std::min(kRun, bytes.size() - done * kRun));
            const RunId* const alike = done < like.size() ? &like[done] : nullptr;
            if (part.size() == kRun) {
                runs[done] = add_run(part.data(), alike);
            } else {
                std::array<std::byte, kRun> filled{};
                std::ranges::copy(part, filled.begin());
                runs[done] = add_run(filled.data(), alike);
            }
        }
    } catch (...) {
        release({runs, done});
        throw;
    }
}

PageStore::RunId PageStore::add_run(const std::byte* bytes, const RunId* like) {
    std::array<bool, kRunPages> same{};
    Run pages{};
    if (like != nullptr) {
        pages = run(*like);
        bool all = true;
        for (std::size_t i = 0; i < kRunPages; ++i) {
            same[i] = std::memcmp(pages_.at(pages[i]), bytes + i * kPage, kPage) == 0;
            all = all && same[i];
        }
        if (all) {
            runs_.add_user(*like);
            return *like;
        }
    }
    std::size_t done = 0;
    try {
        for (; done < kRunPages; ++done) {
            if (same[done]) {
                pages_.add_user(pages[done]);
            } else {
                pages[done] = pages_.intern(bytes + done * kPage).id;
            }
        }
        const auto [id, added] = runs_.intern(std::as_bytes(std::span(pages)).data());
        if (!added) {
            release_pages(pages, kRunPages);  // the run that was there uses them already
        }
        return id;
    } catch (...) {
        release_pages(pages, done);
        throw;
    }
}

void PageStore::copy(const RunId* runs, std::span<std::byte> out) const {
    for (; !out.empty(); ++runs) {
        for (const InternPool::Id page : run(*runs)) {
            const std::size_t size = std::min(kPage, out.size());
            std::memcpy(out.data(), pages_.at(page), size);
            out = out.subspan(size);
            if (out.empty()) return;
        }
    }
}

void PageStore::release(std::span<const RunId> runs) {
    for (const RunId id : runs) release_run(id);
}

void PageStore::clear() {
    pages_.clear();
    runs_.clear();
}

PageStore::Run PageStore::run(RunId id) const {
    Run pages;
    std::memcpy(pages.data(), runs_.at(id), sizeof pages);
    return pages;
}

void PageStore::release_run(RunId id) {
    if (runs_.remove_user(id)) {
        release_pages(run(id), kRunPages);
    }
}

void PageStore::release_pages(const Run& pages, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        pages_.remove_user(pages[i]);
    }
}

}  // namespace oakemu
