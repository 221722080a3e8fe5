import type { EventOutcome } from '@hookline/protocol'
import type { Tone } from '../../design/state-badge.tsx'

/** How each outcome looks. Its words are the outcome itself. */
export const OUTCOME_TONES: Readonly<Record<EventOutcome, Tone>> = {
  failed: 'failed',
  retrying: 'retrying',
  held: 'held',
  pending: 'waiting',
  declined: 'declined',
  delivered: 'delivered',
}
