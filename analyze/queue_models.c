#include "analyze/queue_models.h"

#include <math.h>

const char *const queue_model_keys[QUEUE_MODELS] = {
    [MODEL_MG1] = "mg1",
    [MODEL_MG1_SETUP] = "mg1_setup",
    [MODEL_BATCH] = "batch_mg1",
    [MODEL_BATCH_SETUP] = "batch_mg1_setup",
    [MODEL_KINGMAN] = "kingman_bound",
    [MODEL_KLB] = "kraemer_langenbach_belz",
};

const char *const queue_model_names[QUEUE_MODELS] = {
    [MODEL_MG1] = "M/G/1",
    [MODEL_MG1_SETUP] = "M/G/1 + set-up",
    [MODEL_BATCH] = "M^X/G/1",
    [MODEL_BATCH_SETUP] = "M^X/G/1 + set-up",
    [MODEL_KINGMAN] = "G/G/1 bound (Kingman)",
    [MODEL_KLB] = "G/G/1 (KLB)",
};

static struct queue_occupancy independent(const struct queue_inputs *inputs,
                                          double service_s, double service_2)
{
    return (struct queue_occupancy){
        .idle_s = inputs->setup_s + service_s,
        .idle_2 = inputs->setup_2 + 2 * inputs->setup_s * service_s + service_2,
        .busy_s = service_s,
        .busy_2 = service_2,
    };
}

void queue_inputs_assume_independent(struct queue_inputs *inputs)
{
    double square = inputs->service_s * inputs->service_s;
    double variance = inputs->service_2 - square;
    inputs->batch_service_2 = inputs->batch * variance + inputs->batch_2 * square;
    inputs->batch_inner_s =
        (inputs->batch_2 - inputs->batch) / (2 * inputs->batch) * inputs->service_s;
    inputs->events = independent(inputs, inputs->service_s, inputs->service_2);
    inputs->batches = independent(inputs, inputs->batch * inputs->service_s,
                                  inputs->batch_service_2);
}

/* The mean wait of customers that arrive at so many per second, set-up included. */
static double welch(double rate_per_s, double setup_s,
                    const struct queue_occupancy *occupancy)
{
    double free_share = 1 - rate_per_s * occupancy->busy_s;
    if (!(free_share > 0))
        return NAN;
    double cycle = free_share + rate_per_s * occupancy->idle_s;
    double met = free_share * occupancy->idle_2 +
                 rate_per_s * occupancy->idle_s * occupancy->busy_2;
    return (rate_per_s * met / (2 * free_share) + free_share * setup_s) / cycle;
}

/* The correction of Kraemer and Langenbach-Belz for gaps that are no exponentials. */
static double klb_factor(double rho, double gap_cv2, double service_cv2)
{
    double distance = 1 - gap_cv2;
    if (gap_cv2 < 1)
        return exp(-2 * (1 - rho) / (3 * rho) * distance * distance /
                   (gap_cv2 + service_cv2));
    return exp((1 - rho) * distance / (gap_cv2 + 4 * service_cv2));
}

struct queue_predictions queue_predict(const struct queue_inputs *inputs)
{
    double rho = inputs->rate_per_s * inputs->service_s;
    struct queue_predictions out = { .rho = rho, .mg1_2 = NAN };
    for (unsigned model = 0; model < QUEUE_MODELS; model++)
        out.mean_s[model] = NAN;
    if (!(rho > 0 && rho < 1))
        return out;
    double free_share = 1 - rho;
    double batches_per_s = inputs->rate_per_s / inputs->batch;
    double service_cv2 =
        inputs->service_2 / (inputs->service_s * inputs->service_s) - 1;
    double gap_2 = inputs->gap_squared_cv / (inputs->rate_per_s * inputs->rate_per_s);
    double service_variance = service_cv2 * inputs->service_s * inputs->service_s;
    double spread = inputs->gap_squared_cv + service_cv2;
    double mg1 = inputs->rate_per_s * inputs->service_2 / (2 * free_share);

    out.mean_s[MODEL_MG1] = mg1;
    out.mg1_2 = 2 * mg1 * mg1 +
                inputs->rate_per_s * inputs->service_3 / (3 * free_share);
    out.mean_s[MODEL_MG1_SETUP] =
        welch(inputs->rate_per_s, inputs->setup_s, &inputs->events);
    out.mean_s[MODEL_BATCH] = batches_per_s * inputs->batch_service_2 /
                                  (2 * free_share) +
                              inputs->batch_inner_s;
    out.mean_s[MODEL_BATCH_SETUP] =
        welch(batches_per_s, inputs->setup_s, &inputs->batches) + inputs->batch_inner_s;
    out.mean_s[MODEL_KINGMAN] =
        inputs->rate_per_s * (gap_2 + service_variance) / (2 * free_share);
    out.mean_s[MODEL_KLB] = spread > 0 ? rho * inputs->service_s * spread /
                                             (2 * free_share) *
                                             klb_factor(rho, inputs->gap_squared_cv,
                                                        service_cv2)
                                       : 0;
    return out;
}
