/** `firstMs` after the first failure, doubling to 10 s, ± 25 % so that many waiters do not return at once. */
export function exponentialBackoffMs(failures: number, firstMs = 100): number {
  return Math.min(10_000, firstMs * 2 ** (failures - 1)) * (0.75 + Math.random() / 2)
}
