import type { Tone } from '../../design/state-badge.tsx'
import { counted } from '../../format/figures.ts'
import type { Trace } from './trace-query.ts'

/** What became of an event, in one sentence. */
export interface Verdict {
  readonly tone: Tone
  readonly sentence: string
}

type Fate =
  'delivered' | 'failed' | 'retrying' | 'waiting' | 'held' | 'declined' | 'undecided' | 'later'

interface FateInfo {
  readonly fate: Fate
  readonly tone: Tone
  /** For some of several destinations. */
  readonly some: (count: number) => string
  /** Where there is only one destination. */
  readonly only: string
}

const are = (count: number, words: string): string =>
  `${count} ${count === 1 ? 'is' : 'are'} ${words}`

/** From what needs a person first to what is well. The tone of the whole is the first that occurs. */
const FATES: readonly FateInfo[] = [
  {
    fate: 'failed',
    tone: 'failed',
    some: (count) => `${count} failed`,
    only: 'Not delivered: its one destination did not take it.',
  },
  {
    fate: 'retrying',
    tone: 'retrying',
    some: (count) => are(count, 'being retried'),
    only: 'Not delivered yet: it is being retried.',
  },
  {
    fate: 'held',
    tone: 'held',
    some: (count) => are(count, 'held'),
    only: 'Not delivered yet: it is held.',
  },
  {
    fate: 'waiting',
    tone: 'waiting',
    some: (count) => `${count} ${count === 1 ? 'waits' : 'wait'} for an attempt`,
    only: 'Not delivered yet: it waits for an attempt.',
  },
  {
    fate: 'undecided',
    tone: 'waiting',
    some: (count) => are(count, 'not decided yet'),
    only: 'Not decided yet.',
  },
  {
    fate: 'declined',
    tone: 'declined',
    some: (count) => `${count} declined it`,
    only: 'Not sent: its one destination declined it.',
  },
]

const NO_DESTINATION = 'Nothing was sent: there was no destination to send it to.'

/** The verdict on an event: where it was delivered, and what became of it elsewhere. */
export function verdictOf({
  decisions,
  deliveries,
}: Pick<Trace, 'decisions' | 'deliveries'>): Verdict {
  const fates = decisions
    .map((decision) => fateOf(decision, deliveries))
    // A destination that was created later had no part in it.
    .filter((fate) => fate !== 'later')
  if (fates.length === 0) return { tone: 'declined', sentence: NO_DESTINATION }
  const count = (fate: Fate): number => fates.filter((each) => each === fate).length
  const delivered = count('delivered')
  const rest = FATES.filter(({ fate }) => count(fate) > 0)
  if (rest.length === 0) {
    const where = fates.length === 1 ? 'its one destination' : `all ${fates.length} destinations`
    return { tone: 'delivered', sentence: `Delivered to ${where}.` }
  }
  const [worst] = rest
  const words = rest.map(({ fate, some }) => some(count(fate))).join(', ')
  // What was declined as it should be takes nothing away from a delivery.
  const tone = worst!.fate === 'declined' && delivered > 0 ? 'delivered' : worst!.tone
  if (fates.length === 1) return { tone, sentence: worst!.only }
  const whole = counted(fates.length, 'destination')
  const head =
    delivered === 0 ? `Not delivered to its ${whole}` : `Delivered to ${delivered} of ${whole}`
  return { tone, sentence: `${head}: ${words}.` }
}

function fateOf(
  { destinationId, decision }: Trace['decisions'][number],
  deliveries: Trace['deliveries'],
): Fate {
  if (decision === 'declined') return 'declined'
  if (decision === 'none') return 'later'
  const delivery = deliveries.find((each) => each.destinationId === destinationId)
  if (decision === 'pending' || delivery === undefined) return 'undecided'
  const { state, attempts } = delivery
  if (state === 'delivered' || state === 'held') return state
  if (state !== 'pending') return 'failed'
  return attempts.some(({ outcome }) => outcome === 'retry') ? 'retrying' : 'waiting'
}

/** The decisions with those first that need a person. */
export function byNeed({
  decisions,
  deliveries,
}: Pick<Trace, 'decisions' | 'deliveries'>): Trace['decisions'] {
  const order = [...FATES.map(({ fate }) => fate), 'delivered', 'later']
  const place = (decision: Trace['decisions'][number]): number =>
    order.indexOf(fateOf(decision, deliveries))
  return decisions.toSorted((a, b) => place(a) - place(b))
}
