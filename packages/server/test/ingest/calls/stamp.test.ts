import type { Json } from '@hookline/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ParsedCall } from '../../../src/ingest/calls/parse-call.ts'
import { instantAt, readSentAt, type Receipt, stamp } from '../../../src/ingest/calls/stamp.ts'

const receipt: Receipt = {
  receivedAt: instantAt(Date.parse('2026-01-15T12:00:00.000Z')),
  sentAt: undefined,
  ip: '203.0.113.9',
  isFromBrowser: false,
  clockSkewToleranceMs: 600_000,
}

function stamped(
  times: { timestamp?: Json; sentAt?: Json | undefined },
  { sentAt, ...changed }: Partial<Omit<Receipt, 'sentAt'>> & { sentAt?: Json | undefined } = {},
  context: ParsedCall['fields']['context'] = {},
) {
  const fields = { type: 'identify', userId: 'u1', context } as const
  const call = { fields, timestamp: times.timestamp, sentAt: times.sentAt }
  return stamp(call, 'm1', { ...receipt, ...changed, sentAt: readSentAt(sentAt) })
}

describe('an event is stamped', () => {
  test('with the time of receipt if the call has no timestamp', () => {
    expect(stamped({})).toEqual({
      event: {
        type: 'identify',
        messageId: 'm1',
        userId: 'u1',
        context: {},
        timestamp: '2026-01-15T12:00:00.000Z',
        receivedAt: '2026-01-15T12:00:00.000Z',
      },
    })
  })

  test.each([
    ['2020-02-29T01:02:03+0000', '2020-02-29T01:02:03.000Z'],
    ['2020-02-29T01:02:03.123456789+02:00', '2020-02-28T23:02:03.123Z'],
    ['2015-2-02', '2015-02-02T00:00:00.000Z'],
    [1_500_000_000, '2017-07-14T02:40:00.000Z'],
    [1_500_000_000_123, '2017-07-14T02:40:00.123Z'],
    ['2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z'],
  ])('with the timestamp %s, keeping its original text', (original, timestamp) => {
    expect(stamped({ timestamp: original }).event).toMatchObject({
      timestamp,
      originalTimestamp: String(original),
    })
  })

  test.each(['yesterday', '2026-13-01', true, {}, -1e20])(
    'with the time of receipt and a warning if the timestamp is %j',
    (timestamp) => {
      const { event, warning } = stamped({ timestamp })
      expect(warning).toBe('timestamp_unreadable')
      expect(event.timestamp).toBe(event.receivedAt)
    },
  )

  test('with sentAt from the batch, otherwise from the call, if any', () => {
    const envelope = { sentAt: '2026-01-15T11:59:00Z' }
    const call = { sentAt: '2026-01-15T11:58:00+0000' }
    expect(stamped(call, envelope).event.sentAt).toBe('2026-01-15T11:59:00.000Z')
    expect(stamped(call).event.sentAt).toBe('2026-01-15T11:58:00.000Z')
    expect(stamped(call, { sentAt: 'x' }).event.sentAt).toBe('2026-01-15T11:58:00.000Z')
    expect(stamped({ sentAt: 'x' }, { sentAt: {} }).event).not.toHaveProperty('sentAt')
  })

  test('with the timestamp corrected for the clock skew', () => {
    const oneHourSlow = { sentAt: '2026-01-15T11:00:00Z' }
    expect(stamped({ timestamp: '2026-01-15T10:59:30Z' }, oneHourSlow).event).toMatchObject({
      timestamp: '2026-01-15T11:59:30.000Z',
      originalTimestamp: '2026-01-15T10:59:30Z',
      sentAt: '2026-01-15T11:00:00.000Z',
    })
  })

  test.each([
    ['2026-01-15T11:50:00.000Z', '2026-01-01T00:00:00.000Z'],
    ['2026-01-15T12:10:00.000Z', '2026-01-01T00:00:00.000Z'],
    ['2026-01-15T11:49:59.999Z', '2026-01-01T00:10:00.001Z'],
    ['2026-01-15T12:10:00.001Z', '2025-12-31T23:49:59.999Z'],
  ])(
    'with a tolerance of ten minutes for clock skew: if sentAt is %s, the first instant of 2026 becomes %s',
    (sentAt, timestamp) => {
      expect(stamped({ timestamp: '2026-01-01T00:00:00Z' }, { sentAt }).event).toMatchObject({
        timestamp,
      })
    },
  )

  test.each([
    [
      'a year, if sentAt is 5 days later',
      '2027-01-10T12:00Z',
      '2027-01-15T12:00Z',
      '2026-01-10T12:00Z',
    ],
    [
      'a year, if sentAt is 30 days later',
      '2026-12-16T12:00Z',
      '2027-01-15T12:00Z',
      '2025-12-16T12:00Z',
    ],
    [
      '2 days, if sentAt is 29 days later',
      '2025-12-19T12:00Z',
      '2026-01-17T12:00Z',
      '2025-12-17T12:00Z',
    ],
    [
      '9 hours, if sentAt is 1 hour later',
      '2026-01-15T20:00Z',
      '2026-01-15T21:00Z',
      '2026-01-15T11:00Z',
    ],
  ])(
    'with the timestamp corrected for a clock that is ahead by %s',
    (_why, timestamp, sentAt, corrected) => {
      const { event } = stamped({ timestamp, sentAt })
      expect(event.timestamp).toBe(new Date(corrected).toISOString())
    },
  )

  test.each([
    ['2026-01-15T11:00:00.000Z', '2035-01-13T12:00:00Z'],
    ['2026-01-15T11:00:00.000Z', '2026-02-15T12:00:00Z'],
    ['2026-01-15T12:05:00.000Z', '2035-01-13T12:00:00Z', '2026-01-15T12:00:00.000Z'],
    ['2020-01-01T00:00:00.000Z', '2026-01-15T13:00:00Z'],
    ['0000-01-01T00:00:00.000Z', '2030-01-01T00:00:00Z'],
  ])(
    'with the original timestamp, but no later than receipt, if sentAt is more than 30 days in the future: %s, %s',
    (timestamp, sentAt, is = timestamp) => {
      expect(stamped({ timestamp, sentAt }).event.timestamp).toBe(is)
    },
  )

  test.each<[why: string, sentAt: Json]>([
    ['14 days before it happened', '2026-01-01T10:00:00.000Z'],
    ['2 s before it happened', '2026-01-15T09:59:58.000Z'],
    ['at zero', 0],
    ['at the epoch', '1970-01-01T00:00:00.000Z'],
    ["at Go's zero time", '0001-01-01T00:00:00Z'],
    ['at the Windows epoch', '1601-01-01T00:00:00Z'],
    ['at the GPS epoch', '1980-01-06T00:00:00Z'],
    ['at the Apple epoch', '2001-01-01T00:00:00Z'],
    ['when 32 bits overflow', '2038-01-19T03:14:07Z'],
    ['when unsigned 32 bits overflow', 4_294_967_295],
    ['in the year 9999', '9999-12-31T23:59:59.999Z'],
  ])('with the original timestamp if it was sent %s', (_why, sentAt) => {
    const { event, warning } = stamped({ timestamp: '2026-01-15T10:00:00+00:00' }, { sentAt })
    expect([event.timestamp, warning]).toEqual(['2026-01-15T10:00:00.000Z', undefined])
    const { event: future } = stamped({ timestamp: '2026-02-01' }, { sentAt })
    expect(future.timestamp).toBe(future.receivedAt)
    // The sentAt of a single call is handled in the same way.
    const alone = stamped({ timestamp: '2026-01-15T10:00:00Z', sentAt })
    expect(alone.event.timestamp).toBe('2026-01-15T10:00:00.000Z')
  })

  test.each<Json>(['junk', '2026-01-15T25:00:00Z', {}, true, 1e30])(
    'with the original timestamp, but no later than receipt, if sentAt is %j',
    (sentAt) => {
      for (const envelope of [{ sentAt }, {}]) {
        const at = (timestamp: string) => stamped({ timestamp, sentAt }, envelope).event.timestamp
        expect(at('2026-01-16T12:00:00.000Z')).toBe('2026-01-15T12:00:00.000Z')
        expect(at('2026-01-15T11:00:00.000Z')).toBe('2026-01-15T11:00:00.000Z')
      }
    },
  )

  test.each(['2026-01-14', '2026-1-15', '2026-01-16', ' 2026-02-01 '])(
    'with the original timestamp, but no later than receipt, if sentAt is only a date: %s',
    (sentAt) => {
      for (const envelope of [{ sentAt }, {}]) {
        const at = (timestamp: string) => stamped({ timestamp, sentAt }, envelope).event
        const early = at('2026-01-13T11:00:00.000Z')
        expect(early.timestamp).toBe('2026-01-13T11:00:00.000Z')
        expect(early.sentAt).toBe(new Date(`${sentAt.trim()} UTC`).toISOString())
        expect(at('2026-01-16T12:00:00.000Z').timestamp).toBe('2026-01-15T12:00:00.000Z')
      }
    },
  )

  test.each<Json | undefined>([undefined, null, ''])(
    'with its original future timestamp if sentAt is %j',
    (sentAt) => {
      const { event } = stamped({ timestamp: '2026-01-16T12:00:00Z', sentAt }, { sentAt })
      expect(event.timestamp).toBe('2026-01-16T12:00:00.000Z')
    },
  )

  test('with a timestamp corrected by nine years, but not by eleven', () => {
    const at = (year: number) => {
      const times = { timestamp: `${year}-01-15T10:00:00Z`, sentAt: `${year}-01-15T11:00:00Z` }
      return stamped(times).event.timestamp
    }
    expect(at(2017)).toBe('2026-01-15T11:00:00.000Z')
    expect(at(2015)).toBe('2015-01-15T10:00:00.000Z')
    expect(at(2035)).toBe('2026-01-15T11:00:00.000Z')
    expect(at(2037)).toBe('2026-01-15T12:00:00.000Z')
  })

  test('with a timestamp no later than receipt if sentAt has whole seconds', () => {
    const times = { timestamp: '2026-01-14T12:00:00.700Z', sentAt: '2026-01-14T12:00:00Z' }
    expect(stamped(times).event.timestamp).toBe('2026-01-15T12:00:00.000Z')
  })

  test("with no time after its receipt if the client's clock is wrong", () => {
    const near = fc.date({
      noInvalidDate: true,
      min: new Date('2010-01-01'),
      max: new Date('2040-01-01'),
    })
    fc.assert(
      fc.property(near, near, (timestamp, sentAt) => {
        const { receivedAt, clockSkewToleranceMs } = receipt
        fc.pre(Math.abs(receivedAt.ms - sentAt.getTime()) > clockSkewToleranceMs)
        const times = { timestamp: timestamp.toISOString(), sentAt: sentAt.toISOString() }
        expect(Date.parse(stamped(times).event.timestamp)).toBeLessThanOrEqual(receivedAt.ms)
      }),
    )
  })

  test.each<[string, Json | undefined, Partial<Omit<Receipt, 'sentAt'>>, Record<string, Json>]>([
    ['if a browser sent it', '203.0.113.9', { isFromBrowser: true }, {}],
    ['if the call requests it', '203.0.113.9', {}, { direct: true }],
    ['but not if a server sent it', undefined, {}, {}],
    ['but not if a server sent it and `direct` is a string', undefined, {}, { direct: 'true' }],
    ['but not if the call already has one', '1.1.1.1', { isFromBrowser: true }, { ip: '1.1.1.1' }],
    ['instead of an empty one', '203.0.113.9', { isFromBrowser: true }, { ip: '' }],
    ['only if it is known', undefined, { isFromBrowser: true, ip: undefined }, {}],
  ])('with the client address %s', (_case, ip, changed, context) => {
    expect(stamped({}, changed, context).event.context['ip']).toBe(ip)
  })

  test('with times in one format, for any times of the call', () => {
    const time = fc.oneof(
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      fc.double(),
      fc.integer(),
      fc.string(),
    )
    fc.assert(
      fc.property(time, time, (timestamp, sentAt) => {
        const { event } = stamped({ timestamp }, { sentAt })
        for (const written of [event.timestamp, event.receivedAt, event.sentAt]) {
          expect(written ?? event.receivedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
        }
      }),
    )
  })
})
