import { setTimeout as sleep } from 'node:timers/promises'
/**
 * Repeats a look until it finds what it looks for, or until `measure` has been the same for `still` milliseconds.
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
