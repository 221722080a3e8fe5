/** 100 ms after the first failure, doubling to 10 s, ± 25 % so that many waiters do not return at once. */
export function exponentialBackoffMs(failures: number, random: number = Math.random()): number {
  return Math.min(10_000, 100 * 2 ** (failures - 1)) * (0.75 + random / 2)
}
