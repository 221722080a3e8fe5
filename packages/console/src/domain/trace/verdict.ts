import type { Tone } from '../../design/state-badge.tsx'
import { counted } from '../../format/figures.ts'
import type { Decision, Trace } from './trace-query.ts'

type Outcomes = Pick<Trace, 'decisions' | 'deliveries'>

/** The outcome of an event at all its destinations. */
export interface Verdict {
  readonly tone: Tone
  readonly sentence: string
}

type Fate =
  'delivered' | 'failed' | 'retrying' | 'waiting' | 'held' | 'declined' | 'undecided' | 'later'

interface FateInfo {
  readonly fate: Fate
  readonly tone: Tone
  /** For several destinations, after their number. */
  readonly some: string
  /** For a single destination. */
  readonly only: string
}

/** The most urgent first. The first that occurs sets the tone. */
const FATES: readonly FateInfo[] = [
  { fate: 'failed', tone: 'failed', some: 'failed', only: 'Delivery failed.' },
  {
    fate: 'retrying',
    tone: 'retrying',
    some: 'retrying',
    only: 'Not delivered yet; retrying.',
  },
  { fate: 'held', tone: 'held', some: 'held', only: 'Not delivered yet; held.' },
  { fate: 'waiting', tone: 'waiting', some: 'pending', only: 'Not delivered yet; pending.' },
  { fate: 'undecided', tone: 'waiting', some: 'not processed yet', only: 'Not processed yet.' },
  { fate: 'declined', tone: 'declined', some: 'declined', only: 'Not sent: disabled or excluded.' },
]

export function verdictOf(outcomes: Outcomes): Verdict {
  const fates = outcomes.decisions
    .map((decision) => fateOf(decision, outcomes.deliveries))
    .filter((fate) => fate !== 'later')
  if (fates.length === 0)
    return { tone: 'declined', sentence: 'Not sent: the source had no destination.' }
  const count = (fate: Fate): number => fates.filter((each) => each === fate).length
  const delivered = count('delivered')
  const rest = FATES.filter(({ fate }) => count(fate) > 0)
  const [worst] = rest
  if (worst === undefined) {
    const all = fates.length === 2 ? 'both' : `all ${fates.length}`
    const where = fates.length === 1 ? 'its destination' : `${all} destinations`
    return { tone: 'delivered', sentence: `Delivered to ${where}.` }
  }
  // A decline is intended, so it does not outweigh a delivery.
  const tone = worst.fate === 'declined' && delivered > 0 ? 'delivered' : worst.tone
  if (fates.length === 1) return { tone, sentence: worst.only }
  const words = rest.map(({ fate, some }) => `${count(fate)} ${some}`).join(', ')
  const total = counted(fates.length, 'destination')
  return { tone, sentence: `Delivered to ${delivered} of ${total}: ${words}.` }
}

function fateOf({ destinationId, decision }: Decision, deliveries: Outcomes['deliveries']): Fate {
  if (decision === 'declined') return 'declined'
  if (decision === 'none') return 'later'
  const delivery = deliveries.find((each) => each.destinationId === destinationId)
  if (decision === 'pending' || delivery === undefined) return 'undecided'
  const { state, attempts } = delivery
  if (state === 'delivered' || state === 'held') return state
  if (state !== 'pending') return 'failed'
  return attempts.some(({ outcome }) => outcome === 'retry') ? 'retrying' : 'waiting'
}

/** The decisions, the most urgent first. */
export function byUrgency({ decisions, deliveries }: Outcomes): Trace['decisions'] {
  const order = [...FATES.map(({ fate }) => fate), 'delivered', 'later']
  const rank = (decision: Decision): number => order.indexOf(fateOf(decision, deliveries))
  return decisions.toSorted((a, b) => rank(a) - rank(b))
}
