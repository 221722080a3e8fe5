import { EVENT_TYPES, type EventType } from '@hookline/protocol'
import type { ReplaySelection } from '../../../domain/replays/start-replay.ts'

export const REPLAY_STATES = ['rejected', 'expired', 'quarantined', 'delivered'] as const

export type ReplayState = (typeof REPLAY_STATES)[number]

export interface ReplayDraft {
  readonly states: readonly ReplayState[]
  readonly from: string | undefined
  readonly to: string | undefined
  /** Empty for all types. */
  readonly types: readonly EventType[]
  readonly text: string
  readonly includeDeclined: boolean
  /** Deliveries per second; empty for no limit. */
  readonly rate: string
}

export const EMPTY_DRAFT: ReplayDraft = {
  states: ['rejected', 'expired'],
  from: undefined,
  to: undefined,
  types: [],
  text: '',
  includeDeclined: false,
  rate: '',
}

export function selectionOf(draft: ReplayDraft, destinationId: string): ReplaySelection {
  const { states, from, to, types, text, includeDeclined, rate } = draft
  const isPart = types.length > 0 && types.length < EVENT_TYPES.length
  return {
    destinationId,
    states: REPLAY_STATES.filter((each) => states.includes(each)),
    includeDeclined,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(isPart && { types: EVENT_TYPES.filter((each) => types.includes(each)) }),
    ...(text !== '' && { text }),
    ...(rate !== '' && { ratePerSecond: Number(rate) }),
  }
}

export function toggleValue<Value>(list: readonly Value[], value: Value, isIn: boolean): Value[] {
  const others = list.filter((each) => each !== value)
  return isIn ? [...others, value] : others
}
