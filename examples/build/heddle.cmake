# Builds a CMake project for heddle check: cmake -DCMAKE_TOOLCHAIN_FILE=.../heddle.cmake
set(CMAKE_C_COMPILER heddle-cc)
set(CMAKE_CXX_COMPILER heddle-c++)
