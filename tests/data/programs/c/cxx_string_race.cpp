// expect: violated race
// The code of std::string is in a library; nevertheless both threads are seen in it.
#include <string>
#include <thread>

std::string text;

int main()
{
    std::thread a([] { text += "a"; }), b([] { text += "b"; });
    a.join();
    b.join();
}
