/** What the command ends with, by meaning. */
export const EXIT_CODES = {
  ok: 0,
  failed: 1,
  usage: 2,
  auth: 3,
  'not found': 4,
  unreachable: 6,
  partial: 7,
  unhealthy: 8,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES]

/** The table as `--help` ends with it. */
export const EXIT_CODES_HELP = `Exit codes: ${Object.entries(EXIT_CODES)
  .map(([meaning, code]) => `${code} ${meaning}`)
  .join(' · ')}`
