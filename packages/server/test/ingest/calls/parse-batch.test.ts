import { describe, expect, test } from 'vitest'
import { parseBatch } from '../../../src/ingest/calls/parse-batch.ts'

const limits = { maxBatchGrowthBytes: 16_000, maxBatchMessages: 3, maxNestingLevels: 4 }
const call = { type: 'track' }

describe('a batch', () => {
  test('is parsed into its calls, the shared parts, and sentAt', () => {
    const context = { library: { name: 'go' } }
    expect(
      parseBatch(
        { batch: [call, 7], context, integrations: { All: true }, sentAt: 'then' },
        limits,
      ),
    ).toEqual({
      calls: [call, 7],
      shared: { context, integrations: { All: true }, bytes: 65 },
      sentAt: 'then',
    })
  })

  test('may have no shared parts', () => {
    expect(parseBatch({ batch: [call], context: null }, limits)).toMatchObject({
      shared: { bytes: 0 },
    })
  })

  test.each([
    ['not_an_object', [call]],
    ['not_an_object', null],
    ['not_an_object', { batch: { 0: call } }],
    ['empty_batch', {}],
    ['empty_batch', { batch: [] }],
    ['too_many_messages', { batch: [call, call, call, call] }],
    ['context_not_object', { batch: [call], context: ['a'] }],
    ['integrations_not_object', { batch: [call], integrations: 'All' }],
    ['nested_too_deep', { batch: [call], context: { a: { b: { c: {} } } } }],
    ['batch_too_large', { batch: [call, call, call], context: { a: 'x'.repeat(6000) } }],
  ])('is refused with %s', (refused, body) => {
    expect(parseBatch(body, limits)).toEqual({ refused })
  })
})
