const IS_SHORT = process.env['HOOKLINE_TEST_SHORT'] === '1'

/** Half of `full` in the short form of the long suites, which CI runs (`HOOKLINE_TEST_SHORT=1`): of a load, and how long it lasts. */
export function halfIfShort(full: number): number {
  return IS_SHORT ? Math.ceil(full / 2) : full
}

/** How many seeded cases a long suite tries: as many as the variable says, else `full`, and a quarter of them in the short form. */
export function howMany(variable: `HOOKLINE_TEST_${string}`, full: number): number {
  const given = process.env[variable]
  if (given !== undefined) return Number(given)
  return IS_SHORT ? Math.ceil(full / 4) : full
}
