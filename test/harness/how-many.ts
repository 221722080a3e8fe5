/** Half of `full` in the short form of the long suites, which CI runs (`HOOKLINE_TEST_SHORT=1`). */
export function halfIfShort(full: number): number {
  return process.env['HOOKLINE_TEST_SHORT'] === '1' ? Math.ceil(full / 2) : full
}

/** How many cases a long suite tries, or for how many seconds: as the variable says, else `full`, or half of it. */
export function howMany(variable: `HOOKLINE_TEST_${string}`, full: number): number {
  const given = process.env[variable]
  return given === undefined ? halfIfShort(full) : Number(given)
}
