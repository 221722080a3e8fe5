/** Whether long suites have their short form, which CI runs (`HOOKLINE_TEST_SHORT=1`). */
export function isShort(): boolean {
  return process.env['HOOKLINE_TEST_SHORT'] === '1'
}

/** Half of `full` in the short form: of a load, of its length, and of what is never to be few. */
export function halfIfShort(full: number): number {
  return isShort() ? Math.ceil(full / 2) : full
}

/** How many seeded cases a long suite tries: as many as the variable says, else `full`, and a quarter of them in the short form. */
export function howMany(variable: `HOOKLINE_TEST_${string}`, full: number): number {
  const given = process.env[variable]
  if (given !== undefined) return Number(given)
  return isShort() ? Math.ceil(full / 4) : full
}
