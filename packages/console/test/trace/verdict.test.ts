import { expect, test } from 'vitest'
import type { Trace } from '../../src/domain/trace/trace-query.ts'
import { byUrgency, verdictOf } from '../../src/domain/trace/verdict.ts'

/** `delivered`, `declined`, …: the outcome at one destination. */
function traceOf(...fates: readonly string[]): Pick<Trace, 'decisions' | 'deliveries'> {
  const decisions = fates.map((fate, index) => ({
    destinationId: `dst_${index}`,
    decision: ['declined', 'pending', 'none'].includes(fate) ? fate : 'deliver',
  }))
  const deliveries = fates.flatMap((fate, index) =>
    ['declined', 'pending', 'none'].includes(fate)
      ? []
      : [
          {
            destinationId: `dst_${index}`,
            state: fate === 'retrying' || fate === 'waiting' ? 'pending' : fate,
            attempts: fate === 'retrying' ? [{ outcome: 'retry' }] : [],
          },
        ],
  )
  return { decisions, deliveries } as unknown as Pick<Trace, 'decisions' | 'deliveries'>
}

test.for([
  [['delivered'], 'delivered', 'Delivered to its destination.'],
  [['delivered', 'delivered'], 'delivered', 'Delivered to both destinations.'],
  [['delivered', 'delivered', 'delivered'], 'delivered', 'Delivered to all 3 destinations.'],
  [
    ['delivered', 'delivered', 'declined'],
    'delivered',
    'Delivered to 2 of 3 destinations: 1 declined.',
  ],
  [['declined'], 'declined', 'Not sent: the destination was disabled, or the event was excluded.'],
  [
    ['delivered', 'rejected', 'expired', 'retrying'],
    'failed',
    'Delivered to 1 of 4 destinations: 2 failed, 1 retrying.',
  ],
  [['held', 'waiting'], 'held', 'Delivered to 0 of 2 destinations: 1 held, 1 pending.'],
  [['quarantined'], 'failed', 'Delivery failed.'],
  [['pending'], 'waiting', 'Not processed yet.'],
  [['delivered', 'none'], 'delivered', 'Delivered to its destination.'],
  [['none'], 'declined', 'Not sent: the source had no destination.'],
  [[], 'declined', 'Not sent: the source had no destination.'],
] as const)('an event that was %j has the verdict %s: %s', ([fates, tone, sentence]) => {
  expect(verdictOf(traceOf(...fates))).toEqual({ tone, sentence })
})

test('a delivery whose transform returned nothing is declined, not failed', () => {
  const trace = {
    decisions: [{ destinationId: 'dst_0', decision: 'deliver' }],
    deliveries: [{ destinationId: 'dst_0', state: 'declined', attempts: [] }],
  } as unknown as Pick<Trace, 'decisions' | 'deliveries'>
  expect(verdictOf(trace).tone).toBe('declined')
})

test('destinations that need attention come first', () => {
  const trace = traceOf('none', 'delivered', 'declined', 'retrying', 'rejected', 'held')
  expect(byUrgency(trace).map(({ destinationId }) => destinationId)).toEqual(
    [4, 3, 5, 2, 1, 0].map((index) => `dst_${index}`),
  )
})
