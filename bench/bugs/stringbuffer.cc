/* A buffer of characters whose methods take its lock. One thread appends the buffer to another one, a second thread
 * erases it.
 * Bug: append() asks for the length and for the characters in two calls. The buffer can shrink in between.
 * Row: CB/stringbuffer-jdk1.4
 * Expect: assertion */
#include <cassert>
#include <mutex>
#include <string>
#include <thread>

class buffer {
    std::recursive_mutex lock;
    char text[16] = {};
    int used = 0;

public:
    int length()
    {
        std::lock_guard<std::recursive_mutex> guard(lock);
        return used;
    }
    void get(int count, char *to)
    {
        std::lock_guard<std::recursive_mutex> guard(lock);
        assert(count <= used);
        for (int i = 0; i < count; i++) to[i] = text[i];
    }
    void erase(int from, int to)
    {
        std::lock_guard<std::recursive_mutex> guard(lock);
        for (int i = to; i < used; i++) text[from + i - to] = text[i];
        used -= to - from;
    }
    void append(const char *s)
    {
        std::lock_guard<std::recursive_mutex> guard(lock);
        for (; *s; s++) text[used++] = *s;
    }
    void append(buffer &other)
    {
        std::lock_guard<std::recursive_mutex> guard(lock);
        int n = other.length();
        other.get(n, text + used);
        used += n;
    }
};

int main()
{
    buffer shared, copy;
    shared.append("abc");
    std::thread eraser([&] {
        shared.erase(0, 3);
        shared.append("abc");
    });
    copy.append(shared);
    eraser.join();
}
