import type { DeliveryState, PartState } from '@hookline/protocol'
import type { Tone } from '../../design/state-badge.tsx'

interface ShownState {
  readonly tone: Tone
  readonly words: string
}

const STATES: Readonly<Record<DeliveryState | PartState, ShownState>> = {
  pending: { tone: 'waiting', words: 'pending' },
  held: { tone: 'held', words: 'held' },
  delivered: { tone: 'delivered', words: 'delivered' },
  rejected: { tone: 'failed', words: 'rejected' },
  expired: { tone: 'failed', words: 'expired' },
  quarantined: { tone: 'failed', words: 'quarantined' },
  not_retried: { tone: 'declined', words: 'not retried' },
  removed: { tone: 'declined', words: 'removed' },
}

/** How a state is shown. One that waits after an attempt that failed is being retried. */
export function shownState(state: DeliveryState | PartState, hasFailed: boolean): ShownState {
  return state === 'pending' && hasFailed ? { tone: 'retrying', words: 'retrying' } : STATES[state]
}

const OUTCOMES: Readonly<Record<'delivered' | 'retry' | 'rejected', ShownState>> = {
  delivered: { tone: 'delivered', words: 'delivered' },
  retry: { tone: 'retrying', words: 'retry' },
  rejected: { tone: 'failed', words: 'rejected' },
}

export function shownOutcome(outcome: keyof typeof OUTCOMES): ShownState {
  return OUTCOMES[outcome]
}
