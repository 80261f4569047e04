/* Two threads construct a regular expression each: both fill the cache of std::ctype<char>, with the same values.
 * flags: -O1 -std=c++17
 * expect: VERIFIED no error in any schedule
 */
#include <regex>
#include <thread>

static bool fits()
{
    std::regex r("a+(b|c)");
    return std::regex_match("aab", r);
}

int main()
{
    std::thread t(fits);
    bool both = fits();
    t.join();
    return !both;
}
