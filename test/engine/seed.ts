/** What a run's randomness comes from; HOOKLINE_TEST_SEED replays one. */
export const SEED = Number(process.env['HOOKLINE_TEST_SEED'] ?? Date.now() % 1_000_000)
