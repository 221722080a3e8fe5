import type { Tone } from '../../design/state-badge.tsx'
import { countText } from '../../format/figures.ts'
import type { Decision, Trace } from './trace-query.ts'

type TraceResults = Pick<Trace, 'decisions' | 'deliveries'>

/** The outcome of an event at all its destinations. */
export interface Verdict {
  readonly tone: Tone
  readonly sentence: string
}

type Outcome =
  'delivered' | 'failed' | 'retrying' | 'waiting' | 'held' | 'declined' | 'undecided' | 'later'

interface OutcomeInfo {
  readonly outcome: Outcome
  readonly tone: Tone
  /** For several destinations, preceded by their number. */
  readonly some: string
  /** For a single destination. */
  readonly only: string
}

/** The most urgent first. The first that occurs sets the tone. */
const OUTCOMES: readonly OutcomeInfo[] = [
  { outcome: 'failed', tone: 'failed', some: 'failed', only: 'Delivery failed.' },
  {
    outcome: 'retrying',
    tone: 'retrying',
    some: 'retrying',
    only: 'Not delivered yet; retrying.',
  },
  { outcome: 'held', tone: 'held', some: 'held', only: 'Not delivered yet; held.' },
  { outcome: 'waiting', tone: 'waiting', some: 'pending', only: 'Not delivered yet; pending.' },
  { outcome: 'undecided', tone: 'waiting', some: 'not processed yet', only: 'Not processed yet.' },
  {
    outcome: 'declined',
    tone: 'declined',
    some: 'declined',
    only: 'Not sent: the destination was disabled, or the event was excluded.',
  },
]

export function verdictOf({ decisions, deliveries }: TraceResults): Verdict {
  const outcomes = decisions
    .map((decision) => outcomeOf(decision, deliveries))
    .filter((outcome) => outcome !== 'later')
  if (outcomes.length === 0)
    return { tone: 'declined', sentence: 'Not sent: the source had no destination.' }
  const count = (outcome: Outcome): number => outcomes.filter((each) => each === outcome).length
  const delivered = count('delivered')
  const rest = OUTCOMES.filter(({ outcome }) => count(outcome) > 0)
  const [worst] = rest
  if (worst === undefined) {
    const all = outcomes.length === 2 ? 'both' : `all ${outcomes.length}`
    const where = outcomes.length === 1 ? 'its destination' : `${all} destinations`
    return { tone: 'delivered', sentence: `Delivered to ${where}.` }
  }
  // A decline is intended, so it does not outweigh a delivery.
  const tone = worst.outcome === 'declined' && delivered > 0 ? 'delivered' : worst.tone
  if (outcomes.length === 1) return { tone, sentence: worst.only }
  const words = rest.map(({ outcome, some }) => `${count(outcome)} ${some}`).join(', ')
  const total = countText(outcomes.length, 'destination')
  return { tone, sentence: `Delivered to ${delivered} of ${total}: ${words}.` }
}

function outcomeOf(
  { destinationId, decision }: Decision,
  deliveries: TraceResults['deliveries'],
): Outcome {
  if (decision === 'declined') return 'declined'
  if (decision === 'none') return 'later'
  const delivery = deliveries.find((each) => each.destinationId === destinationId)
  if (decision === 'pending' || delivery === undefined) return 'undecided'
  const { state, attempts } = delivery
  if (state === 'delivered' || state === 'declined' || state === 'held') return state
  if (state !== 'pending') return 'failed'
  return attempts.some(({ outcome }) => outcome === 'retry') ? 'retrying' : 'waiting'
}

/** The decisions, the most urgent first. */
export function byUrgency({ decisions, deliveries }: TraceResults): Trace['decisions'] {
  const order = [...OUTCOMES.map(({ outcome }) => outcome), 'delivered', 'later']
  const rank = (decision: Decision): number => order.indexOf(outcomeOf(decision, deliveries))
  return decisions.toSorted((a, b) => rank(a) - rank(b))
}
