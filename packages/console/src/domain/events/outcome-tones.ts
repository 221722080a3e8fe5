import type { EventOutcome } from '@hookline/protocol'
import type { Tone } from '../../design/state-badge.tsx'

export const OUTCOME_TONES: Readonly<Record<EventOutcome, Tone>> = {
  failed: 'failed',
  retrying: 'retrying',
  held: 'held',
  pending: 'waiting',
  declined: 'declined',
  delivered: 'delivered',
}
