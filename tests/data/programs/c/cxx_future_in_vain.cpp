// expect: violated assertion
// A wait with a time-out need not find the result.
#include <cassert>
#include <chrono>
#include <future>

int main() {
    auto later = std::async(std::launch::async, [] { return 1; });
    assert(later.wait_for(std::chrono::seconds(1)) == std::future_status::ready);
}
