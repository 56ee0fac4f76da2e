#include "replay/random_laws.h"

#include <math.h>

double random_exponential(struct random_stream *stream)
{
    return -log(random_uniform(stream));
}

double random_normal(struct random_stream *stream)
{
    uint64_t first = random_u64(stream);
    return draw_normal((struct draw){ { first, random_u64(stream) } });
}

static double gamma_from_1(struct random_stream *stream, double shape)
{
    double d = shape - 1.0 / 3;
    double c = 1 / sqrt(9 * d);
    for (;;) {
        double x = random_normal(stream);
        double v = 1 + c * x;
        if (v <= 0)
            continue;
        v = v * v * v;
        if (log(random_uniform(stream)) < x * x / 2 + d - d * v + d * log(v))
            return d * v;
    }
}

double random_gamma(struct random_stream *stream, double shape)
{
    if (shape >= 1)
        return gamma_from_1(stream, shape);
    double power = log(random_uniform(stream)) / shape;
    return gamma_from_1(stream, shape + 1) * exp(power);
}

double random_gamma_mean_1(struct random_stream *stream, double shape)
{
    return random_gamma(stream, shape) / shape;
}

double random_weibull_mean_1(struct random_stream *stream, double shape)
{
    return pow(random_exponential(stream), 1 / shape) / tgamma(1 + 1 / shape);
}
