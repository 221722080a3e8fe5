/** A machine whose host is busy pauses now and then, but not in three rounds. A fault of the service shows in each. */
const ROUNDS = 3

/** Measures again while limits are exceeded and rounds are left. */
export async function measureAgain<T extends object>(
  measure: () => Promise<T>,
  isExceededBy: (measured: T) => boolean,
): Promise<T> {
  let measured = await measure()
  for (let round = 1; round < ROUNDS && isExceededBy(measured); round++) {
    console.log(`measured again after ${JSON.stringify(measured)}`)
    measured = await measure()
  }
  return measured
}
