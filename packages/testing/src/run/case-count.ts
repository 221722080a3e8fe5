/** Whether long suites run in their short form (`HOOKLINE_TEST_SHORT=1`), as in `npm run test:full`. */
export function isShortRun(): boolean {
  return process.env['HOOKLINE_TEST_SHORT'] === '1'
}

/** Half of `full` in the short form, for loads, durations, and numbers that must not become too small. */
export function halfIfShort(full: number): number {
  return isShortRun() ? Math.ceil(full / 2) : full
}

/** The number of seeded cases in a long suite: the variable if set; otherwise `full`, or a quarter of it in the short form. */
export function caseCount(variable: `HOOKLINE_TEST_${string}`, full: number): number {
  const value = process.env[variable]
  if (value !== undefined) return Number(value)
  return isShortRun() ? Math.ceil(full / 4) : full
}
