/** A command of a ring. */
export interface Step {
  readonly name: string
  readonly command: string
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>
  /**
   * `first` prepares other steps, and `alone` measures: both run alone. Other steps run two at a time, since
   * most tests wait for sockets.
   */
  readonly when?: 'first' | 'alone'
}

/** The long suites run a quarter of their seeded cases, under shorter loads. */
const SHORT = { HOOKLINE_TEST_SHORT: '1' }
const SITE: Step = { name: 'site', command: 'npm run docs:site', when: 'first' }

interface Ring {
  /** A step that takes longer is stopped and counts as failed. */
  readonly stepMinutes: number
  readonly steps: readonly Step[]
}

/**
 * Documented in docs/contributing: ring 1 before each merge, 2 before you finish a larger change,
 * 3 before a release.
 */
export const RINGS: Readonly<Record<'landing' | 'full' | 'soak', Ring>> = {
  // `.ci/run` runs `npm test` before this ring.
  landing: {
    stepMinutes: 35,
    steps: [
      SITE,
      { name: 'check', command: 'npm run check', when: 'first' },
      { name: 'engines', command: 'npm run test:engines' },
      { name: 'smoke', command: 'npm run test:smoke' },
      { name: 'release', command: 'npm run release -- --dry-run' },
    ],
  },
  // Every suite that ring 1 does not run completely. The longest come first, so that none runs alone at the end.
  full: {
    stepMinutes: 120,
    steps: [
      SITE,
      { name: 'crash', command: 'npm run test:crash', env: SHORT },
      { name: 'cluster-faults', command: 'npm run test:cluster-faults', env: SHORT },
      { name: 'backends', command: 'npm run test:backends' },
      { name: 'compat', command: 'npm run test:compat', env: SHORT },
      { name: 'console', command: 'npm run test:console' },
      { name: 'engine', command: 'npm run test:engine', env: SHORT },
      { name: 'cli', command: 'npm run test:cli' },
      { name: 'pages', command: 'npm run test:pages' },
      { name: 'torture', command: 'npm run test:torture', env: SHORT },
      { name: 'client', command: 'npm run test:client' },
      { name: 'client-go', command: 'npm run test:client-go' },
      { name: 'receivers', command: 'npm run test:receivers' },
      { name: 'deploy', command: 'npm run test:deploy' },
      { name: 'fuzz', command: 'npm run test:fuzz' },
      { name: 'site-pages', command: 'npm run test:site' },
      { name: 'measuring', command: 'npm run test:measuring', env: SHORT, when: 'alone' },
    ],
  },
  soak: {
    stepMinutes: 720,
    steps: [
      {
        name: 'cluster-faults',
        command: 'npm run test:cluster-faults',
        env: { HOOKLINE_TEST_FAULTS: '1000' },
      },
      { name: 'crash', command: 'npm run test:crash' },
      {
        name: 'torture',
        command: 'npm run test:torture',
        env: { HOOKLINE_TEST_CORRUPTIONS: '500', HOOKLINE_TEST_FUZZ_MS: '600000' },
      },
      { name: 'engine', command: 'npm run test:engine' },
      { name: 'compat', command: 'npm run test:compat' },
      {
        name: 'measuring',
        command: 'npm run test:measuring',
        env: {
          HOOKLINE_TEST_BACKLOG: '5000000',
          HOOKLINE_TEST_EVENTS: '1000000',
          HOOKLINE_TEST_ISOLATION_SECONDS: '30',
          HOOKLINE_TEST_LIVE_SECONDS: '60',
          HOOKLINE_TEST_REFUSED: '160800',
        },
        when: 'alone',
      },
      { name: 'bench', command: 'npm run bench', when: 'alone' },
    ],
  },
}
