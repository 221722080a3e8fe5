import type { CurrentProblem } from './current-problem.ts'

interface Check {
  readonly ok: boolean
  readonly note?: string
  readonly reason?: string
}

/** What the service says of itself, as far as it may be wrong. */
export interface SystemFacts {
  /** What its clock shows. */
  readonly time: string
  readonly checks: Readonly<Record<string, Check>>
  readonly damages: readonly { readonly foundAt: string; readonly description: string }[] | null
}

/** As the run-book and `hookline doctor` say it. */
const REMEDIES: ReadonlyMap<string, string> = new Map([
  [
    'clock',
    'If the clock is wrong now, correct it within an hour of the jump: until then, retention removes nothing because of it.',
  ],
  [
    'database',
    'Check the free space and the health of the disk. The service recovers by itself once the disk takes data.',
  ],
  [
    'draining',
    'Keep the log for a report, and restart the service. Deliveries that were under way are sent again.',
  ],
  [
    'workers',
    'Check the free space and the health of the disk. If they are well, it is a bug in Hookline: report it with the line of the log.',
  ],
])

const OTHER_REMEDY =
  'Look into the log of the service, and run hookline doctor: it says what to do next.'

/** What is wrong with the service itself: checks that fail or have a note, then damages. */
export function systemProblems({ checks, damages }: SystemFacts): CurrentProblem[] {
  return [
    ...Object.entries(checks).flatMap(([name, check]) => checkProblem(name, check)),
    ...(damages ?? []).map(({ foundAt, description }) => ({
      key: `damage ${foundAt}`,
      severity: 'attention' as const,
      title: `Stored data was damaged: ${description}`,
      remedy: 'Check the disk. If you have a backup, compare what it has of the lost rows.',
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
        : `Check “${name}” fails: ${reason ?? 'it gives no reason.'}`,
      remedy: REMEDIES.get(name) ?? OTHER_REMEDY,
      to: '/system',
    },
  ]
}
