import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { IngestHarness } from '../ingest-harness.ts'

const NAMES = ['messageId', 'userId', 'anonymousId', 'groupId', 'previousId'] as const

let harness: IngestHarness
beforeAll(async () => {
  harness = await IngestHarness.open()
})
afterAll(() => harness[Symbol.asyncDispose]())

/** A call with every id, one of them as this JSON. */
const callWith = (name: string, json: string): string => {
  const ids = NAMES.map((each) => `"${each}":${each === name ? json : '"x"'}`)
  return `{"type":"group",${ids.join(',')}}`
}

describe('a numeric id', () => {
  test.for(['9007199254740993', '-12345678901234567890', '1e400', '1e-400', '5.00000000000000001'])(
    'is refused if JavaScript cannot represent it exactly: %s',
    async (json) => {
      for (const name of NAMES) {
        const response = await harness.post('/v1/group', callWith(name, json))
        expect(response).toMatchObject({ status: 400, body: { code: 'id_not_exact' } })
        expect(response.body['message']).toContain('send it as a string')
      }
      expect(await harness.stored()).toEqual([])
    },
  )

  test('is rejected without failing the rest of the batch', async () => {
    const calls = ['7', '9007199254740993', '1.50', '0.30000000000000004', '1e400', '"1e400"']
    const batch = calls.map((json) => callWith('userId', json)).join(',')
    const response = await harness.post('/v1/batch', `{"batch":[${batch}]}`)
    const code = 'id_not_exact'
    expect(response.body['rejected']).toMatchObject([
      { index: 1, code },
      { index: 4, code },
    ])
    const users = (await harness.stored()).map(({ event }) => event.userId)
    expect(users).toEqual(['7', '1.5', '0.30000000000000004', '1e400'])
  })

  test('is refused in a single call with a field named batch, or with repeated ids', async () => {
    const refused = { status: 400, body: { code: 'id_not_exact' } }
    const call = '"event":"e","batch":[],"userId":5.00000000000000001'
    expect(await harness.post('/v1/track', `{${call}}`)).toMatchObject(refused)
    const repeated = `{"event":"e","userId":5,"userId":5.00000000000000001}`
    expect(await harness.post('/v1/track', repeated)).toMatchObject(refused)
    // The last one is used.
    const corrected = `{"event":"e","userId":9007199254740993,"userId":5}`
    expect(await harness.post('/v1/track', corrected)).toMatchObject({ status: 200 })
    expect(await harness.stored()).toHaveLength(1)
  })

  test('is refused only as an id of the call', async () => {
    const properties = '{"userId":9007199254740993,"price":5.00000000000000001}'
    const call = `{"userId":5,"event":"e","properties":${properties}}`
    expect(await harness.post('/v1/track', call)).toMatchObject({ status: 200 })
    expect(await harness.stored()).toMatchObject([{ warnings: ['precision_lost'] }])
  })

  test('is reported for its call even if another call is deeply nested', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const body = `{"batch":[{"type":"identify","userId":5},${deep},{"type":"x","n":1e5}]}`
    const { status, body: response } = await harness.post('/v1/batch', body)
    expect(status).toBe(400)
    expect(response['rejected']).toMatchObject([{ code: 'id_not_exact' }, {}, {}])
  })

  test('is stored as the same number, or refused', async () => {
    const digits = fc.stringMatching(/^-?(0|[1-9]\d{0,20})(\.\d{1,20})?(e[+-]?\d{1,3})?$/)
    await fc.assert(
      fc.asyncProperty(digits, async (json) => {
        const { status } = await harness.post('/v1/identify', `{"userId":${json}}`)
        const [stored] = await harness.stored()
        if (status === 400) expect(stored).toBeUndefined()
        else expect(decimalsOf(stored!.event.userId!)).toBe(decimalsOf(json))
      }),
      { numRuns: 200 },
    )
  })
})

describe('a numeric messageId', () => {
  test('does not make its call a duplicate of another', async () => {
    const call = (id: string) => `{"type":"track","userId":"u","event":"e","messageId":${id}}`
    const ids = ['1234567890123456781', '1234567890123456782', '7', '0.5', '1e2', '-3']
    const { body } = await harness.post('/v1/batch', `{"batch":[${ids.map(call).join(',')}]}`)
    const code = 'id_not_exact'
    expect(body['rejected']).toMatchObject([
      { index: 0, code },
      { index: 1, code },
    ])
    const stored = (await harness.stored()).map(({ event }) => event.messageId)
    expect(stored).toEqual(['7', '0.5', '100', '-3'])
  })
})

describe('a number that JavaScript rounds', () => {
  const warningsOf = async (...properties: readonly string[]) => {
    const calls = properties.map((x) => `{"type":"track","userId":"u","event":"e","x":${x}}`)
    await harness.post('/v1/batch', `{"batch":[${calls.join()}]}`)
    return (await harness.stored()).map(({ warnings }) => warnings.length)
  }

  test('flags only its own call', async () => {
    expect(await warningsOf('9007199254740992', '9007199254740993', '1')).toEqual([0, 1, 0])
    expect(await warningsOf('0', '1e-400', '"9007199254740993"', '0.1')).toEqual([0, 1, 0, 0])
    expect(await warningsOf('12345678901234567890.0', '9007199254740993e0')).toEqual([1, 1])
    expect(await warningsOf('1e18', '1.234567890123456789e18', '[{"a":-1e-400}]')).toEqual([
      0, 1, 1,
    ])
  })
})

describe('bytes that are not UTF-8', () => {
  const BYTES = [[0xff], [0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xed, 0xa0, 0xbd], [0xc0, 0x80]]

  /** A call with every id, one of them with these bytes. */
  const callOf = (name: string, bytes: readonly number[]) =>
    Buffer.from(callWith(name, '"ada?"').replace('?', String.fromCharCode(...bytes)), 'latin1')

  test.for(BYTES)('in an id cause the call to be rejected: %j', async (bytes) => {
    for (const name of NAMES) {
      const response = await harness.post('/v1/group', callOf(name, bytes))
      expect(response).toMatchObject({ status: 400, body: { code: 'id_not_unicode' } })
    }
    expect(await harness.stored()).toEqual([])
  })

  test('in an id do not fail the rest of the batch, where such bytes become U+FFFD', async () => {
    const open = Buffer.from('{"batch":[')
    const calls = [callOf('userId', [0xe9]), callOf('event', [0xe9])]
    const name = Buffer.from('{"type":"track","userId":"ok","event":"caf\xe9"}', 'latin1')
    const comma = Buffer.from(',')
    const body = Buffer.concat([open, calls[0]!, comma, calls[1]!, comma, name, Buffer.from(']}')])
    const response = await harness.post('/v1/batch', body)
    expect(response.body['rejected']).toMatchObject([{ index: 0, code: 'id_not_unicode' }])
    const stored = (await harness.stored()).map(({ event }) => [event.userId, event.event])
    expect(stored).toEqual([
      ['x', undefined],
      ['ok', 'caf\ufffd'],
    ])
  })

  test('elsewhere in a call flag it, because two keys may have become one', async () => {
    const latin1 = (properties: string) =>
      `{"type":"track","userId":"u","event":"e","properties":${properties}}`
    const calls = ['{"k\xe8":1,"k\xe9":2}', '{"k":"caf\xe9"}', '{"k":"cafe"}'].map(latin1)
    const body = Buffer.from(`{"batch":[${calls.join()}]}`, 'latin1')
    expect(await harness.post('/v1/batch', body)).toMatchObject({ status: 200 })
    const stored = (await harness.stored()).map(({ event, warnings }) => [
      event.properties,
      warnings,
    ])
    expect(stored).toEqual([
      [{ 'k\ufffd': 2 }, ['characters_lost']],
      [{ k: 'caf\ufffd' }, ['characters_lost']],
      [{ k: 'cafe' }, []],
    ])
    const shared = `{"context":{"k":"caf\xe9"},"batch":[${calls[2]}]}`
    await harness.post('/v1/batch', Buffer.from(shared, 'latin1'))
    expect(await harness.stored()).toMatchObject([{ warnings: ['characters_lost'] }])
    await harness.post('/v1/track', latin1('{"k":"caf\ufffd"}'))
    expect(await harness.stored()).toMatchObject([{ warnings: [] }])
  })

  test('can be distinguished from a U+FFFD sent by the client', async () => {
    await harness.post('/v1/identify', { userId: 'ada\ufffd' })
    expect((await harness.stored()).map(({ event }) => event.userId)).toEqual(['ada\ufffd'])
  })
})

describe('an id with a control character', () => {
  test.for(['\0', '\t', '\n', '\r', '\u001b', '\u007f', '\u0085'])(
    'is refused: %j',
    async (character) => {
      for (const name of NAMES) {
        for (const id of [`ada${character}`, `${character}ada`, `a${character}da`]) {
          const response = await harness.post('/v1/group', callWith(name, JSON.stringify(id)))
          expect(response).toMatchObject({ status: 400, body: { code: 'id_control_character' } })
        }
      }
      expect(await harness.stored()).toEqual([])
    },
  )

  test('is rejected without failing the rest of the batch, and other characters are allowed', async () => {
    const ids = ['ada\0', 'ada lovelace', ' ada ', 'a\u00a0da', '\u200bada', '👩‍💻', '\ufeffada']
    const batch = ids.map((userId) => ({ type: 'identify', userId }))
    const { body } = await harness.post('/v1/batch', { batch })
    expect(body['rejected']).toMatchObject([{ index: 0, code: 'id_control_character' }])
    expect((await harness.stored()).map(({ event }) => event.userId)).toEqual(ids.slice(1))
  })
})

describe('a number beyond the range of JavaScript', () => {
  const SPELLINGS = [
    '1e400',
    '-1e400',
    '1E+309',
    '1.8e308',
    '9'.repeat(310),
    `${'1'.repeat(400)}.5`,
  ]
  const PLACES = [
    '"properties":{"x":?}',
    '"properties":{"a":[{"b":[1,?]}]}',
    '"context":{"x":?}',
    '"traits":{"x":?}',
    '"integrations":{"x":?}',
    '"other":?',
    '"timestamp":?',
  ]

  test.for([...SPELLINGS, 'NaN', 'Infinity', '-Infinity'])('is refused: %s', async (number) => {
    for (const place of PLACES) {
      const call = `{"type":"track","userId":"u","event":"e",${place.replace('?', number)}}`
      const refused = { body: { code: 'number_not_finite' } }
      expect(await harness.post('/v1/track', call)).toMatchObject({ status: 400, ...refused })
      const good = '{"type":"identify","userId":"good"}'
      const { body } = await harness.post('/v1/batch', `{"batch":[${call},${good}]}`)
      expect(body['rejected']).toMatchObject([{ index: 0, ...refused.body }])
      expect(await harness.stored()).toMatchObject([{ event: { userId: 'good' } }])
    }
    for (const shared of [`"context":{"x":${number}}`, `"integrations":{"x":${number}}`]) {
      const body = `{${shared},"batch":[{"type":"identify","userId":"u"}]}`
      const refused = { status: 400, body: { code: 'number_not_finite' } }
      expect(await harness.post('/v1/batch', body)).toMatchObject(refused)
    }
  })

  test('is allowed within a string, and the largest numbers are stored', async () => {
    const properties = '{"a":"1e400","1e400":1,"b":1.7976931348623157e308,"c":5e-324,"d":1e-400}'
    await harness.post('/v1/track', `{"userId":"u","event":"e","properties":${properties}}`)
    const [stored] = await harness.stored()
    const expected = { a: '1e400', '1e400': 1, b: Number.MAX_VALUE, c: 5e-324, d: 0 }
    expect(stored!.event.properties).toEqual(expected)
  })
})

/** The number times 10^1100, exactly. */
function decimalsOf(text: string): bigint {
  const [mantissa = '', exponent = '0'] = text.split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return BigInt(whole + fraction) * 10n ** BigInt(1_100 + Number(exponent) - fraction.length)
}
