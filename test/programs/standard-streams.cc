/* Calls that put to std::cout, or take from std::cin, do not race with each other, but with calls that change the
 * stream; nor are they safe once the streams are not synchronised with the C library's.
flags: -O1 -std=c++17
expect: VERIFIED no error in any schedule$
expect with -- unsynchronised: ERROR race
expect with -- width: ERROR race
expect with -- buffer: ERROR race
expect with -- state: ERROR race
*/
#include <iostream>
#include <sstream>
#include <string>
#include <thread>

static std::string mode;

static void other(std::ostringstream &text)
{
    if (mode == "width") std::cout.width(5);
    else if (mode == "buffer") std::cout.rdbuf(text.rdbuf());
    else if (mode == "state") std::cin.clear();
    else std::cout << "b";
}

int main(int argc, char **argv)
{
    std::ostringstream text;
    if (argc > 1) mode = argv[1];
    if (mode == "unsynchronised") std::ios::sync_with_stdio(false);
    std::thread t([] {
        if (mode == "state") std::cin.setstate(std::ios::failbit);
        else std::cout << "a";
    });
    other(text);
    t.join();
}
