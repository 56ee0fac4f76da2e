/* Random numbers by place: draw (seed, stream, index) is a pure function, so that draw i
 * is the same whichever process asks, and in whatever order. The generator is
 * Philox2x64-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2,
 * 3", SC 2011). */
#ifndef TOKTRACE_DRAW_H
#define TOKTRACE_DRAW_H

#include <stdint.h>

/* 128 random bits: enough for two independent uniforms. */
struct draw {
    uint64_t words[2];
};

struct draw draw_at(uint64_t seed, uint64_t stream, uint64_t index);

/* Uniform in the open interval (0, 1), of 52 bits. */
double draw_uniform(uint64_t word);

/* Exponential of mean 1. */
double draw_exponential(struct draw draw);

/* Standard normal (Box and Muller 1958). */
double draw_normal(struct draw draw);

/* Lognormal of mean 1 and coefficient of variation cv >= 0. */
double draw_lognormal(struct draw draw, double cv);

#endif
