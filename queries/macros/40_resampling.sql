-- Resampling from a hash of (seed, resample, place) in place of a random generator: the same seed
-- gives the same draws in whatever order and on however many threads they are made.

-- One step each of the 32-bit mixing function: x ^= x >> 16; x *= 0x7feb352d; x ^= x >> 15;
-- x *= 0x846ca68b; x ^= x >> 16. (lowbias32 of C. Wellons' hash-prospector, public domain.)
CREATE OR REPLACE MACRO mix_first(x) AS (xor(x, x >> 16) * 2146121005) & 4294967295;
CREATE OR REPLACE MACRO mix_second(x) AS (xor(x, x >> 15) * 2221713035) & 4294967295;
CREATE OR REPLACE MACRO mix_last(x) AS xor(x, x >> 16);

-- Mixes a whole number from 0 to 2^32 - 1 into another.
CREATE OR REPLACE MACRO mix32(x) AS mix_last(mix_second(mix_first(x::UBIGINT)));

-- What all draws of one resample share. Seeds are taken modulo 2^32.
CREATE OR REPLACE MACRO resample_key(seed, resample) AS
    mix32(xor(mix32(seed::UBIGINT & 4294967295), resample::UBIGINT));

-- Which of n items is drawn, 1 to n, at a place that mix32 has mixed already.
CREATE OR REPLACE MACRO drawn_item(key, mixed_place, n) AS
    (1 + ((mix32(xor(key, mixed_place)) * n::UBIGINT) >> 32))::BIGINT;

-- A sum that does not depend on the order of its terms: in fixed point, steps of 2^-32, terms below
-- 2^31. Sums of floating point numbers differ in their last digits from thread to thread.
CREATE OR REPLACE MACRO steady_sum(term) AS
    sum((term * 4294967296)::BIGINT)::DOUBLE / 4294967296;

-- Quantile of a sorted list, linear between its values (numpy's default, Hyndman and Fan's type 7).
CREATE OR REPLACE MACRO sorted_quantile(sorted, q) AS
    sorted[1 + floor(q * (len(sorted) - 1))::BIGINT]
    + (q * (len(sorted) - 1) - floor(q * (len(sorted) - 1)))
    * (sorted[1 + ceil(q * (len(sorted) - 1))::BIGINT]
        - sorted[1 + floor(q * (len(sorted) - 1))::BIGINT]);
