import { TIMESTAMP_FORMATS } from '@hookline/testing/records/timestamp-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { IngestHarness } from '../ingest-harness.ts'

let harness: IngestHarness
beforeAll(async () => {
  harness = await IngestHarness.open()
})
afterAll(() => harness[Symbol.asyncDispose]())

const { read, refused } = TIMESTAMP_FORMATS
const callAt = (timestamp: string) => ({ type: 'identify', userId: 'u1', timestamp })
const strict = { 'x-strict-mode': '1' }

describe('the table of timestamp formats', () => {
  test("has readable formats, which are stored as the same time, with the client's text", async () => {
    const batch = read.map(([text]) => callAt(text))
    expect(await harness.post('/v1/batch', { batch }, strict)).toMatchObject({ status: 200 })
    const stored = (await harness.stored()).map(({ event, warnings }) => [
      event.originalTimestamp,
      event.timestamp,
      ...warnings,
    ])
    expect(stored).toEqual(read)
  })

  test('has other formats, which are refused in strict mode, and otherwise replaced by the time of receipt, with a warning', async () => {
    const batch = refused.map(callAt)
    const { body } = await harness.post('/v1/batch', { batch }, strict)
    expect(body['rejected']).toMatchObject(refused.map(() => ({ code: 'timestamp_invalid' })))
    expect(await harness.post('/v1/batch', { batch })).toMatchObject({ status: 200 })
    const stored = await harness.stored()
    expect(stored).toHaveLength(refused.length)
    for (const { event, warnings } of stored) {
      expect([event.timestamp, warnings]).toEqual([event.receivedAt, ['timestamp_unreadable']])
    }
  })
})
