import type { Tone } from '../../design/state-badge.tsx'
import { counted } from '../../format/figures.ts'
import type { Trace } from './trace-query.ts'

/** What became of an event, in one sentence. */
export interface Verdict {
  readonly tone: Tone
  readonly sentence: string
}

type Fate = 'delivered' | 'failed' | 'retrying' | 'waiting' | 'held' | 'declined' | 'undecided'

/** From what needs a person first to what is well. The tone of the whole is the first that occurs. */
const FATES: readonly (readonly [fate: Fate, tone: Tone, words: (count: number) => string])[] = [
  ['failed', 'failed', (count) => `${count} failed`],
  ['retrying', 'retrying', (count) => `${count} ${count === 1 ? 'is' : 'are'} being retried`],
  ['held', 'held', (count) => `${count} ${count === 1 ? 'is' : 'are'} held`],
  ['waiting', 'waiting', (count) => `${count} ${count === 1 ? 'waits' : 'wait'} for an attempt`],
  ['undecided', 'waiting', (count) => `${count} ${count === 1 ? 'is' : 'are'} not decided yet`],
  ['declined', 'declined', (count) => `${count} declined it`],
]

const NO_DESTINATION =
  'Nothing was sent: the source had no destination when the event arrived. Later events go to destinations that exist by then.'

/** The verdict on an event: where it was delivered, and what became of it elsewhere. */
export function verdictOf({
  decisions,
  deliveries,
}: Pick<Trace, 'decisions' | 'deliveries'>): Verdict {
  const fates = decisions
    // A destination that was created later had no part in it.
    .filter(({ decision }) => ['deliver', 'declined', 'pending'].includes(decision))
    .map((decision) => fateOf(decision, deliveries))
  if (fates.length === 0) return { tone: 'declined', sentence: NO_DESTINATION }
  const count = (fate: Fate): number => fates.filter((each) => each === fate).length
  const delivered = count('delivered')
  const rest = FATES.filter(([fate]) => count(fate) > 0)
  if (rest.length === 0) {
    const where = fates.length === 1 ? 'its one destination' : `all ${fates.length} destinations`
    return { tone: 'delivered', sentence: `Delivered to ${where}.` }
  }
  const words = rest.map(([fate, , say]) => say(count(fate))).join(', ')
  // What was declined as it should be takes nothing away from a delivery.
  const worst = rest[0]![0] === 'declined' && delivered > 0 ? 'delivered' : rest[0]![1]
  const whole = counted(fates.length, 'destination')
  const head =
    delivered === 0 ? `Not delivered to its ${whole}` : `Delivered to ${delivered} of ${whole}`
  return { tone: worst, sentence: `${head}: ${words}.` }
}

function fateOf(
  { destinationId, decision }: Trace['decisions'][number],
  deliveries: Trace['deliveries'],
): Fate {
  if (decision === 'declined') return 'declined'
  const delivery = deliveries.find((each) => each.destinationId === destinationId)
  if (decision === 'pending' || delivery === undefined) return 'undecided'
  const { state, attempts } = delivery
  if (state === 'delivered' || state === 'held') return state
  if (state !== 'pending') return 'failed'
  return attempts.some(({ outcome }) => outcome === 'retry') ? 'retrying' : 'waiting'
}
