/**
 * How many cases a long suite tries: as many as the variable says, else `full`; half of them in the short form, which CI runs
 * (`HOOKLINE_TEST_SHORT=1`).
 */
export function howMany(
  variable:
    | 'HOOKLINE_TEST_FAULTS'
    | 'HOOKLINE_TEST_GO_FUZZ_S'
    | 'HOOKLINE_TEST_KILLS'
    | 'HOOKLINE_TEST_RUNS',
  full: number,
): number {
  const given = process.env[variable]
  if (given !== undefined) return Number(given)
  return process.env['HOOKLINE_TEST_SHORT'] === '1' ? Math.ceil(full / 2) : full
}
