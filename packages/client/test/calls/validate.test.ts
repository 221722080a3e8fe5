import { EVENT_TYPES, type Json } from '@hookline/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseCall } from '../../../server/src/ingest/calls/parse-call.ts'
import { TIMESTAMP_FORMATS } from '@hookline/testing/records/timestamp-formats'
import { parseTimestamp } from '../../../protocol/src/timestamp.ts'
import type { ValidationError } from '../../src/errors.ts'
import { Recorder } from '../../src/testing.ts'

type Type = (typeof EVENT_TYPES)[number]

/** The code of the error thrown by the client, if any. */
function thrownCode(type: Type, call: unknown): string | undefined {
  try {
    new Recorder()[type](call as never)
    return undefined
  } catch (error) {
    return (error as ValidationError).code
  }
}

/** The service accepts an empty array from PHP as an object. This library refuses every array. */
function withFullArrays(call: Json): Json {
  if (typeof call !== 'object' || call === null || Array.isArray(call)) return call
  const fields = Object.entries(call as Record<string, Json>)
  return Object.fromEntries(
    fields.map(([name, field]) => [
      name,
      Array.isArray(field) && field.length === 0 ? ['a'] : field,
    ]),
  )
}

/** The service's error code, if it refuses the call. */
function serviceCode(type: Type, call: Json): string | undefined {
  const result = parseCall(call, {
    type,
    shared: { bytes: 0 },
    isUtf8: true,
    maxLevels: 64,
    maxBytes: undefined,
  })
  return 'refused' in result ? result.refused : undefined
}

const IDS: readonly Json[] = [
  'x',
  'u1',
  'x'.repeat(101),
  7,
  0.5,
  -0,
  2 ** 53,
  -(2 ** 63),
  Infinity,
  'u\ud83d',
  'u\0',
  'u\t',
  'u\u0085',
  'u\ufffd',
]
const value = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom<Json>(...IDS),
  },
  fc.constantFrom<Json>('', null, true, [], {}, { a: 1 }),
)
const names =
  'messageId userId anonymousId groupId previousId event name category properties traits context integrations'
const fields = fc.record(Object.fromEntries(names.split(' ').map((name) => [name, value])), {
  requiredKeys: [],
})

describe('validation', () => {
  test('throws the error code with which the service would reject the call, if any', () => {
    fc.assert(
      fc.property(fc.constantFrom(...EVENT_TYPES), fc.oneof(fields, value), (type, call) => {
        expect(thrownCode(type, call)).toBe(serviceCode(type, withFullArrays(call)))
      }),
      { numRuns: 5_000 },
    )
  })

  test.for([
    ['track', {}, 'no_user_anon_id'],
    ['track', { userId: 'u' }, 'event_not_defined'],
    ['track', { userId: 'u', event: 7 }, 'event_not_string'],
    ['track', { userId: 'u', event: 'E', properties: [] }, 'properties_not_object'],
    ['identify', { anonymousId: '' }, 'no_user_anon_id'],
    ['identify', { userId: {} }, 'id_not_string'],
    ['identify', { userId: Number.NaN }, 'id_not_exact'],
    ['identify', { userId: 2 ** 53 }, 'id_not_exact'],
    ['identify', { userId: Infinity }, 'id_not_exact'],
    ['identify', { userId: 'u', messageId: Number('1234567890123456781') }, 'id_not_exact'],
    ['identify', { userId: 'ada\ud83d' }, 'id_not_unicode'],
    ['identify', { userId: 'ada\n' }, 'id_control_character'],
    ['identify', { userId: 'u', messageId: 'x'.repeat(101) }, 'message_id_too_long'],
    ['page', { userId: 'u', name: 7 }, 'name_not_string'],
    ['group', { userId: 'u' }, 'id_required'],
    ['alias', { userId: 'u' }, 'id_required'],
    ['alias', null, 'not_an_object'],
  ] as const)('of a call of type %s with %j throws %s', ([type, call, code]) => {
    expect(thrownCode(type, call)).toBe(code)
  })

  test('explains that JSON would round a numeric id', () => {
    expect(() => new Recorder().identify({ userId: (2 ** 53) as never })).toThrow(
      'id_not_exact: JSON would round userId. Send it as a string.',
    )
  })

  test('refuses exactly the timestamps in the table that are invalid for the service', () => {
    const codeOf = (timestamp: unknown) => thrownCode('identify', { userId: 'u', timestamp })
    expect(TIMESTAMP_FORMATS.read.filter(([text]) => codeOf(text) !== undefined)).toEqual([])
    const accepted = TIMESTAMP_FORMATS.refused.filter(
      (text) => codeOf(text) !== 'timestamp_invalid',
    )
    expect(accepted).toEqual([])
  })

  test.for([
    new Date(Number.NaN),
    new Date(8.64e15),
    Infinity,
    1e300,
    Number.NaN,
    true,
    {},
    [],
    { toJSON: () => 'yesterday' },
    { toJSON: () => null },
    { toJSON: () => '' },
    {
      toJSON: () => {
        throw new Error('no time')
      },
    },
  ])(
    'of the timestamp %s, which the service would replace with now, throws timestamp_invalid',
    (timestamp) => {
      expect(thrownCode('identify', { userId: 'u', timestamp })).toBe('timestamp_invalid')
    },
  )

  test.for([new Date(0), 0, 1_763_681_114, { toJSON: () => '2026-11-20' }, '', null, undefined])(
    'accepts the timestamp %s',
    (timestamp) => {
      expect(thrownCode('identify', { userId: 'u', timestamp })).toBeUndefined()
    },
  )

  test('accepts exactly the timestamps that the service accepts', () => {
    const date = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
    const forms = date.chain((each) => {
      const iso = each.toISOString()
      const texts = [iso, iso.slice(0, 10), ` ${iso} `, iso.replace('Z', '+0000'), `${iso}x`]
      return fc.constantFrom<string | number>(...texts, each.getTime())
    })
    fc.assert(
      fc.property(fc.oneof(forms, fc.string({ minLength: 1 }), fc.double()), (timestamp) => {
        const isReadable = parseTimestamp(timestamp) !== undefined
        const code = thrownCode('identify', { userId: 'u', timestamp })
        expect(code).toBe(isReadable ? undefined : 'timestamp_invalid')
      }),
    )
  })
})
