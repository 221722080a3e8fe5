import type { LimitName, PresentedLimits } from '@hookline/protocol'

/** The limits of a webhook as text; empty for the service's setting. */
export type LimitsDraft = Readonly<Record<LimitName, string>>

interface LimitField {
  readonly name: LimitName
  readonly label: string
  readonly example: string
  readonly read: (text: string) => unknown
}

export const LIMIT_FIELDS: readonly LimitField[] = [
  { name: 'perSecond', label: 'Attempts per second', example: '20', read: numberOr },
  {
    name: 'concurrency',
    label: 'Attempts in flight',
    example: '4',
    read: numberOr,
  },
  {
    name: 'timeout',
    label: 'Timeout',
    example: '20s',
    read: (text) => text,
  },
  {
    name: 'retryWindow',
    label: 'Retry window',
    example: '3d',
    read: (text) => text,
  },
  {
    name: 'retrySchedule',
    label: 'Retry delays',
    example: '5s, 5m, 2h',
    read: listIn,
  },
  {
    name: 'retryOn',
    label: 'Additional statuses to retry (retryOn)',
    example: '409, 423',
    read: (text) => listIn(text).map(numberOr),
  },
]

export const NO_LIMITS = draftOfLimits({})

export function draftOfLimits(limits: PresentedLimits): LimitsDraft {
  const entries = LIMIT_FIELDS.map(({ name }) => [name, [limits[name] ?? []].flat().join(', ')])
  return Object.fromEntries(entries) as LimitsDraft
}

/** The limits for a request; `undefined` for none. The service reports invalid ones. */
export function requestedLimits(draft: LimitsDraft): PresentedLimits | undefined {
  const filled = LIMIT_FIELDS.filter(({ name }) => draft[name].trim() !== '')
  if (filled.length === 0) return undefined
  return Object.fromEntries(
    filled.map(({ name, read }) => [name, read(draft[name].trim())]),
  ) as PresentedLimits
}

function numberOr(text: string): number | string {
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : text
}

function listIn(text: string): string[] {
  return text.split(',').map((each) => each.trim())
}
