// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <type_traits>

namespace oakemu {

/// Threads that share numbered tasks by an atomic counter. The thread that calls run() is one of them.
///
/// It survives a fork: threads do not exist in the child, so a pool that finds itself in another process starts its threads anew.
class ThreadPool {
public:
    /// Throws std::invalid_argument unless `num_threads` is at least 1.
    explicit ThreadPool(int num_threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int num_threads() const { return num_threads_; }

    /// Calls task(index, worker) once for every index in [0, count), worker being in [0, num_threads), and returns when all are done.
    /// All tasks run even if some throw; then the exception of the lowest index is thrown, so that it does not depend on timing.
    template <typename Task>
    void run(int count, Task&& task) {
        using Callable = std::remove_reference_t<Task>;
        run_erased(count, [](void* context, int index, int worker) { (*static_cast<Callable*>(context))(index, worker); }, &task);
    }

private:
    using Function = void (*)(void* context, int index, int worker);
    class Workers;

    void run_erased(int count, Function function, void* context);

    int num_threads_;
    int process_;  ///< the process in which the threads were started
    std::unique_ptr<Workers> workers_;
};

}  // namespace oakemu
