/** How many times larger each bucket is than the one before. With 1.1, a quantile is exact to ± 5 %. */
const GROWTH = 1.1

/** The bucket of a value, by its logarithm: values of any size need few buckets. Values below 1 share bucket 0. */
export function bucketOf(value: number): number {
  return value < 1 ? 0 : Math.floor(Math.log(value) / Math.log(GROWTH)) + 1
}

/** A quantile of the counted values, by the count of each bucket; `undefined` where nothing was counted. */
export function quantileOf(
  counts: ReadonlyMap<number, number>,
  quantile: number,
): number | undefined {
  const buckets = [...counts].toSorted(([a], [b]) => a - b)
  const total = buckets.reduce((sum, [, count]) => sum + count, 0)
  let seen = 0
  for (const [bucket, count] of buckets) {
    seen += count
    if (seen >= total * quantile) return middleOf(bucket)
  }
  return undefined
}

function middleOf(bucket: number): number {
  return bucket === 0 ? 0.5 : GROWTH ** (bucket - 0.5)
}
