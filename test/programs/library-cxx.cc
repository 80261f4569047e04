/* Functions of libstdc++ that are not in headers: linking of lists and trees, strings, streams. With a lock (no argument)
there is no race.
flags: -O1
expect: VERIFIED no error in any schedule$
expect with -- list: ERROR race
expect with -- splice: ERROR race
expect with -- map: ERROR race
expect with -- iterate: ERROR race
expect with -- append: ERROR race
expect with -- assign: ERROR race
expect with -- compare: ERROR race
expect with -- hash: ERROR race
expect with -- ostream: ERROR race
expect with -- str: ERROR race
expect with -- istream: ERROR race
expect with -- freed: ERROR memory: .*after free
expect with -- cout: VERIFIED no error in any schedule$
expect with --audit -- cout: VERIFIED no error in any schedule$
*/
#include <cassert>
#include <cstring>
#include <iostream>
#include <list>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
static std::mutex m;
static std::list<int> numbers, others;
static std::map<int, int> *tree = new std::map<int, int>;
static std::string text = "a text that is too long to lie in the string itself", copy;
static std::ostringstream out;
static std::istringstream in("1 2 3 4");
static const char *mode = "";
static bool is(const char *name) { return !*mode || !strcmp(mode, name); }
static void works(int me)
{
    std::unique_lock<std::mutex> lock(m, std::defer_lock);
    int n = 0;
    if (!*mode) lock.lock();
    if (is("list")) numbers.push_back(me);
    if (is("splice")) me ? numbers.splice(numbers.begin(), others) : numbers.reverse();
    if (is("map")) (*tree)[me] = me;
    if (is("iterate")) {
        if (me) tree->emplace(me + 10, 1);
        else for (auto i = tree->begin(); i != tree->end(); ++i) n++;
    }
    if (is("append")) me ? (void)text.append("more") : (void)(n = text == "x");
    if (is("assign")) me ? (void)(copy = text) : (void)(text += 'c');
    if (is("compare")) me ? (void)(n = text.compare("abc")) : (void)(text[2] = 'x');
    if (is("hash")) me ? (void)(n = (int)std::hash<std::string>{}(text)) : (void)(text[3] = 'x');
    if (is("ostream")) out << me << ' ' << text;
    if (is("str")) me ? (void)(out << 1.5) : (void)(copy = out.str());
    if (is("istream")) in >> n;
    if (is("cout")) me ? std::cout << me << text << std::endl : std::cout << text.c_str() << 1.5 << 'x' << true << 7ul << std::flush;
}
int main(int argc, char **argv)
{
    mode = argc > 1 ? argv[1] : "";
    others.push_back(1);
    for (int i = 0; i < 5; i++) (*tree)[5 * i] = i;
    if (!strcmp(mode, "freed")) {
        auto last = tree->begin();
        delete tree;
        return ++last == tree->end();
    }
    std::thread t(works, 1);
    works(0);
    t.join();
    if (!*mode) {
        std::string s = text.substr(2, 4) + "tail";
        assert(numbers.size() == 3 && tree->size() == 7 && s.size() == 8);
        assert(out.str().find("1") != std::string::npos && copy.size());
        tree->erase(5);
        assert(tree->size() == 6);
    }
    return 0;
}
