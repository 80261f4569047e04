/* The version of heddle: the only place where it is written. The Makefile reads it here. */
#ifndef HEDDLE_VERSION_H
#define HEDDLE_VERSION_H

#define HEDDLE_VERSION "0.1.0"
#define HEDDLE_LICENSE "Apache-2.0"

#endif
