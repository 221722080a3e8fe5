import type { Attempt, DeliveryState, PartState } from '@hookline/protocol'
import type { Tone } from '../../design/state-badge.tsx'

interface StateLabel {
  readonly tone: Tone
  readonly words: string
}

const STATES: Readonly<Record<DeliveryState | PartState, StateLabel>> = {
  pending: { tone: 'waiting', words: 'pending' },
  held: { tone: 'held', words: 'held' },
  delivered: { tone: 'delivered', words: 'delivered' },
  declined: { tone: 'declined', words: 'declined' },
  rejected: { tone: 'failed', words: 'rejected' },
  expired: { tone: 'failed', words: 'expired' },
  quarantined: { tone: 'failed', words: 'quarantined' },
  not_retried: { tone: 'declined', words: 'not retried' },
  removed: { tone: 'declined', words: 'removed' },
}

/** A pending delivery is shown as retrying once an attempt has failed. */
export function shownState(state: DeliveryState | PartState, hasFailed: boolean): StateLabel {
  return state === 'pending' && hasFailed ? { tone: 'retrying', words: 'retrying' } : STATES[state]
}

export function shownOutcome(outcome: Attempt['outcome']): StateLabel {
  return outcome === 'retry' ? { tone: 'retrying', words: 'retry' } : STATES[outcome]
}
