/* Draws from the laws that loads are made of. Each takes what it needs from the
 * stream. */
#ifndef TOKTRACE_RANDOM_LAWS_H
#define TOKTRACE_RANDOM_LAWS_H

#include "formats/base/random.h"

/* Mean 1. */
double random_exponential(struct random_stream *stream);

/* Mean 0, standard deviation 1. */
double random_normal(struct random_stream *stream);

/* Mean `shape`, scale 1, shape > 0 (Marsaglia & Tsang 2000; below shape 1 their power
 * of a uniform draw). */
double random_gamma(struct random_stream *stream, double shape);

/* Mean 1: a gamma, or a Weibull, of the given shape > 0. */
double random_gamma_mean_1(struct random_stream *stream, double shape);
double random_weibull_mean_1(struct random_stream *stream, double shape);

#endif
