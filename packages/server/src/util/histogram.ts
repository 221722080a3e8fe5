/** Ratio of consecutive buckets: quantiles are accurate to ±5%. */
const GROWTH = 1.1

/** The logarithmic bucket of a value. Values below 1 share bucket 0. */
export function bucketOf(value: number): number {
  return value < 1 ? 0 : Math.floor(Math.log(value) / Math.log(GROWTH)) + 1
}

/** A quantile of values counted by bucket; `undefined` if there are none. */
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
