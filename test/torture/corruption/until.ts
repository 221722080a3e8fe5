import { setTimeout as sleep } from 'node:timers/promises'
/**
 * Polls until `isFound` is true, or until `measure` has not changed for `stillMs`.
 * @returns whether it was found
 */
export async function untilStill(
  isFound: () => boolean | Promise<boolean>,
  measure: () => unknown,
  stillMs: number,
): Promise<boolean> {
  let last = measure()
  let since = Date.now()
  while (!(await isFound())) {
    const now = measure()
    if (now !== last) [last, since] = [now, Date.now()]
    if (Date.now() - since > stillMs) return false
    await sleep(20)
  }
  return true
}
