export const DAY_MS = 24 * 60 * 60 * 1000

/** Days since the epoch (UTC). */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS)
}
