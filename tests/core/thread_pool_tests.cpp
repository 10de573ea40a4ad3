// SPDX-License-Identifier: GPL-3.0-or-later
// Sharing work and random numbers. Right values: the published first outputs of SplitMix64 and xoshiro256**, and counting.
#include "thread_pool.hpp"

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "random.hpp"

namespace {

using oakemu::Random;
using oakemu::ThreadPool;

void every_task_runs_once(Check& check) {
    for (const int threads : {1, 2, 4, 7}) {
        ThreadPool pool(threads);
        for (int round = 0; round < 200; ++round) {
            const int count = round % 9;
            std::vector<int> done(static_cast<std::size_t>(count));  // each task writes its own place; a race would be seen by TSan
            std::atomic<bool> bad_worker{false};
            pool.run(count, [&](int index, int worker) {
                ++done[static_cast<std::size_t>(index)];
                if (worker < 0 || worker >= threads) bad_worker = true;
            });
            for (const int times : done) check.equal(times, 1, "times that a task ran");
            check.that(!bad_worker, "workers are numbered from 0");
        }
    }
}

void workers_do_not_share_a_number(Check& check) {
    ThreadPool pool(4);
    std::vector<int> running(4);  // written without a lock: two tasks at once under one number would be a race
    for (int round = 0; round < 100; ++round) {
        pool.run(32, [&](int, int worker) { ++running[static_cast<std::size_t>(worker)]; });
    }
    check.equal(running[0] + running[1] + running[2] + running[3], 3200, "tasks done");
}

void the_lowest_failure_is_thrown(Check& check) {
    ThreadPool pool(4);
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> done{0};
        std::string said;
        try {
            pool.run(64, [&](int index, int) {
                ++done;
                if (index % 10 == 7) throw std::runtime_error(std::to_string(index));
            });
        } catch (const std::runtime_error& error) {
            said = error.what();
        }
        check.equal(said, "7", "the failure");
        check.equal(done.load(), 64, "tasks done in spite of failures");
    }
    int after = 0;
    pool.run(1, [&](int, int) { ++after; });
    check.equal(after, 1, "tasks done after a failure");
}

void a_pool_needs_a_thread(Check& check) {
    for (const int threads : {0, -3}) {
        std::string said;
        try {
            const ThreadPool pool(threads);
        } catch (const std::invalid_argument& error) {
            said = error.what();
        }
        check.equal(said, "num_threads " + std::to_string(threads) + ": there must be at least 1", "refusal");
    }
}

void streams_are_the_published_ones(Check& check) {
    oakemu::SplitMix64 mix(1234567);
    for (const std::uint64_t wanted : {6457827717110365317U, 3203168211198807973U, 9817491932198370423U}) {
        check.equal(mix.next(), wanted, "SplitMix64 from 1234567");
    }
    Random random(Random::Words{1, 2, 3, 4});
    for (const std::uint64_t wanted :
         {std::uint64_t{11520}, std::uint64_t{0}, std::uint64_t{1509978240}, std::uint64_t{1215971899390074240}}) {
        check.equal(random.next(), wanted, "xoshiro256** from 1 2 3 4");
    }
}

void draws_are_fair_and_bounded(Check& check) {
    Random random(5);
    std::vector<int> counts(6);
    for (int i = 0; i < 60000; ++i) ++counts[random.below(6)];
    // Chi-squared with 5 degrees of freedom: below 20.5 in 999 of 1000 streams, and this stream is always the same.
    double chi = 0;
    for (const int count : counts) chi += (count - 10000.0) * (count - 10000.0) / 10000.0;
    check.that(chi < 20.5, "six sides come equally often");
    // Where a plain remainder or product would be biased most: 3 * 2^30 of 2^32.
    int low = 0;
    for (int i = 0; i < 30000; ++i) low += random.below(3U << 30) < (1U << 30) ? 1 : 0;
    check.that(low > 9600 && low < 10400, "a third lies in the lowest third");
    for (int i = 0; i < 1000; ++i) {
        const int drawn = random.between(-2, 2);
        check.that(drawn >= -2 && drawn <= 2, "between -2 and 2");
        const double uniform = random.uniform();
        check.that(uniform >= 0.0 && uniform < 1.0, "uniform in [0, 1)");
        check.equal(random.below(1), 0U, "below 1");
    }
    const Random::Words before = random.words();
    check.equal(random.between(3, 3), 3, "between 3 and 3");
    check.that(random.words() == before, "nothing is drawn where there is no choice");
}

}  // namespace

int main() {
    return run_tests({{"every task runs once", every_task_runs_once},
                      {"workers do not share a number", workers_do_not_share_a_number},
                      {"the lowest failure is thrown", the_lowest_failure_is_thrown},
                      {"a pool needs a thread", a_pool_needs_a_thread},
                      {"streams are the published ones", streams_are_the_published_ones},
                      {"draws are fair and bounded", draws_are_fair_and_bounded}});
}
