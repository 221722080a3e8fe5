import type { Destination } from '@hookline/cli/management-client'
import { counted } from '../format/figures.ts'

/** Something that is wrong now, with what to do about it. */
export interface CurrentProblem {
  readonly key: string
  readonly severity: 'failing' | 'attention'
  readonly title: string
  readonly remedy: string
  /** Where to look, as a path of the console. */
  readonly to: string
}

/** A group of failures, as `GET /deliveries/failures` shows it. */
interface FailureGroup {
  readonly destinationId: string
  readonly class: string
  readonly status: number | null
  readonly count: number
  readonly meaning: string
  readonly remedy: string
}

interface Check {
  readonly ok: boolean
  readonly note?: string
  readonly reason?: string
}

/** What the service says of itself, as far as it may be wrong. */
interface SystemFacts {
  readonly checks: Readonly<Record<string, Check>>
  readonly damages: readonly { readonly foundAt: string; readonly description: string }[] | null
}

interface Facts {
  readonly destinations: readonly Destination[]
  readonly failures: readonly FailureGroup[]
  readonly system: SystemFacts | undefined
}

/** What is wrong now: the service itself first, then destinations, then what has failed. */
export function currentProblems({ destinations, failures, system }: Facts): CurrentProblem[] {
  const names = new Map(destinations.map(({ id, name }) => [id, name]))
  return [
    ...checkProblems(system),
    ...destinations.flatMap(pauseProblem),
    ...failures.map((group) => failureProblem(group, names.get(group.destinationId))),
  ]
}

function checkProblems(system: SystemFacts | undefined): CurrentProblem[] {
  const checks = Object.entries(system?.checks ?? {}).flatMap(([name, { ok, note, reason }]) => {
    const text = ok ? note : (reason ?? 'It fails.')
    if (text === undefined) return []
    const severity = ok ? ('attention' as const) : ('failing' as const)
    return [
      { key: `check ${name}`, severity, title: `Check “${name}”`, remedy: text, to: '/system' },
    ]
  })
  const damages = (system?.damages ?? []).map(({ foundAt, description }) => ({
    key: `damage ${foundAt}`,
    severity: 'attention' as const,
    title: 'Stored data was damaged',
    remedy: description,
    to: '/system',
  }))
  return [...checks, ...damages]
}

const PAUSES = {
  operator: {
    why: 'A person paused it',
    remedy: 'Deliveries wait until it is resumed; none expires.',
  },
  gone: {
    why: 'Its receiver responded 410 Gone three times',
    remedy: 'Correct the URL, or remove the webhook, and resume it.',
  },
  forbidden: {
    why: 'The settings forbid its address',
    remedy: 'Add its network to allowedNetworks, or change the URL.',
  },
} as const

function pauseProblem({ id, name, enabled, paused, settings }: Destination): CurrentProblem[] {
  const to = `/destinations/${id}`
  if (!enabled) return []
  const all = [
    ...(paused === null ? [] : [{ key: `pause ${id}`, what: name, reason: paused.reason }]),
    ...settings.webhooks.flatMap(({ url, paused: own }) =>
      own === null
        ? []
        : [{ key: `pause ${id} ${url}`, what: `${name}: ${url}`, reason: own.reason }],
    ),
  ]
  return all.map(({ key, what, reason }) => ({
    key,
    severity: 'attention',
    title: `${what} is paused. ${PAUSES[reason].why}.`,
    remedy: PAUSES[reason].remedy,
    to,
  }))
}

function failureProblem(group: FailureGroup, name: string | undefined): CurrentProblem {
  const { destinationId, class: failure, status, count, meaning, remedy } = group
  return {
    key: `failure ${destinationId} ${failure} ${status ?? ''}`,
    severity: 'failing',
    title: `${name ?? destinationId}: ${counted(count, 'delivery', 'deliveries')} failed${status === null ? '' : ` with ${status}`}. ${meaning}`,
    remedy,
    to: `/failures?destination=${encodeURIComponent(destinationId)}`,
  }
}
