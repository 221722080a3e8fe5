import type { CurrentProblem } from './current-problem.ts'

interface Check {
  readonly ok: boolean
  readonly note?: string
  readonly reason?: string
}

export interface SystemFacts {
  readonly time: string
  readonly checks: Readonly<Record<string, Check>>
  readonly corruptions: readonly { readonly foundAt: string; readonly description: string }[] | null
}

/** The same as in the runbook and `hookline doctor`. */
const REMEDIES: ReadonlyMap<string, string> = new Map([
  [
    'clock',
    'If the clock is wrong, correct it within an hour of the jump. After that, retention may remove events.',
  ],
  ['database', 'Check disk space and disk health. The service recovers once the disk is writable.'],
  [
    'deliveries',
    'Save the log for a bug report, then restart the service. Deliveries in flight are sent again.',
  ],
  [
    'workers',
    'Check disk space and disk health. If both are fine, this is a bug in Hookline: report it with the log line.',
  ],
])

const DEFAULT_REMEDY = 'Check the log, and run hookline doctor.'

/** Failed checks and checks with a note, then data corruption. */
export function systemProblems({ checks, corruptions }: SystemFacts): CurrentProblem[] {
  return [
    ...Object.entries(checks).flatMap(([name, check]) => checkProblem(name, check)),
    ...(corruptions ?? []).map(({ foundAt, description }) => ({
      key: `corruption ${foundAt}`,
      severity: 'attention' as const,
      title: `Data corruption: ${description}`,
      remedy: 'Check the disk. If you have a backup, check it for the lost rows.',
      to: '/system',
    })),
  ]
}

function checkProblem(name: string, { ok, note, reason }: Check): CurrentProblem[] {
  if (ok && note === undefined) return []
  return [
    {
      key: `check ${name}`,
      severity: ok ? 'attention' : 'failing',
      title: ok
        ? `Check “${name}”: ${note}`
        : `Check “${name}” failed: ${reason ?? 'no reason given.'}`,
      remedy: REMEDIES.get(name) ?? DEFAULT_REMEDY,
      to: '/system',
    },
  ]
}
