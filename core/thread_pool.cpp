// SPDX-License-Identifier: GPL-3.0-or-later
#include "thread_pool.hpp"

#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace oakemu {
namespace {

/// One call of run(): what is to be done, how far it is, and the first thing that went wrong.
struct Job {
    void (*function)(void* context, int index, int worker);
    void* context;
    int count;
    std::atomic<int> next{0};
    std::mutex error_mutex{};
    int error_index = -1;
    std::exception_ptr error{};

    void work(int worker) {
        for (int index = next.fetch_add(1, std::memory_order_relaxed); index < count;
             index = next.fetch_add(1, std::memory_order_relaxed)) {
            try {
                function(context, index, worker);
            } catch (...) {  // Whatever it is, it belongs to the caller of run().
                const std::lock_guard lock(error_mutex);
                if (error_index < 0 || index < error_index) {
                    error_index = index;
                    error = std::current_exception();
                }
            }
        }
    }
};

}  // namespace

class ThreadPool::Workers {
public:
    explicit Workers(int count) {
        threads_.reserve(static_cast<std::size_t>(count));
        try {
            for (int i = 0; i < count; ++i) threads_.emplace_back([this, worker = i + 1] { loop(worker); });
        } catch (...) {  // The system gives no more threads: end those that have started, then report it.
            stop();
            throw;
        }
    }

    ~Workers() { stop(); }
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    void run(Job& job) {
        {
            const std::lock_guard lock(mutex_);
            job_ = &job;
            busy_ = static_cast<int>(threads_.size());
            ++round_;
        }
        wake_.notify_all();
        job.work(0);
        std::unique_lock lock(mutex_);
        done_.wait(lock, [this] { return busy_ == 0; });
        job_ = nullptr;
    }

private:
    void loop(int worker) {
        std::uint64_t seen = 0;
        std::unique_lock lock(mutex_);
        for (;;) {
            wake_.wait(lock, [&] { return stopping_ || round_ != seen; });
            if (stopping_) return;
            seen = round_;
            Job* const job = job_;
            lock.unlock();
            job->work(worker);
            lock.lock();
            if (--busy_ == 0) done_.notify_one();
        }
    }

    void stop() {
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        wake_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }

    std::mutex mutex_;
    std::condition_variable wake_, done_;
    Job* job_ = nullptr;
    int busy_ = 0;
    std::uint64_t round_ = 0;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

ThreadPool::ThreadPool(int num_threads) : num_threads_(num_threads), process_(getpid()) {
    if (num_threads < 1) throw std::invalid_argument("num_threads " + std::to_string(num_threads) + ": there must be at least 1");
    if (num_threads > 1) workers_ = std::make_unique<Workers>(num_threads - 1);
}

ThreadPool::~ThreadPool() {
    // In a forked child there is nobody to join; destroying the handles would end the process.
    if (process_ != getpid()) static_cast<void>(workers_.release());
}

void ThreadPool::run_erased(int count, Function function, void* context) {
    Job job{function, context, count};
    if (workers_ == nullptr || count <= 1) {
        job.work(0);
    } else {
        if (process_ != getpid()) {
            static_cast<void>(workers_.release());  // as in the destructor
            workers_ = std::make_unique<Workers>(num_threads_ - 1);
            process_ = getpid();
        }
        workers_->run(job);
    }
    if (job.error) std::rethrow_exception(job.error);
}

}  // namespace oakemu
