import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { IngestHarness } from '../ingest-harness.ts'

const NAMES = ['userId', 'anonymousId', 'groupId', 'previousId'] as const

let harness: IngestHarness
beforeAll(async () => {
  harness = await IngestHarness.open()
})
afterAll(() => harness[Symbol.asyncDispose]())

/** A call that has every id, one of them as this JSON. */
const callWith = (name: string, json: string): string => {
  const ids = NAMES.map((each) => `"${each}":${each === name ? json : '"x"'}`)
  return `{"type":"group",${ids.join(',')}}`
}

describe('an id that is a number', () => {
  test.for(['9007199254740993', '-12345678901234567890', '1e400', '1e-400', '5.00000000000000001'])(
    'is refused if JavaScript would make another id of it: %s',
    async (json) => {
      for (const name of NAMES) {
        const response = await harness.post('/v1/group', callWith(name, json))
        expect(response).toMatchObject({ status: 400, body: { code: 'id_not_exact' } })
        expect(response.body['message']).toContain('send it as a string')
      }
      expect(await harness.stored()).toEqual([])
    },
  )

  test('is refused alone: the other calls of its batch are stored', async () => {
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

  test('is refused in a single call that has a field named batch, and in one with repeated ids', async () => {
    const refused = { status: 400, body: { code: 'id_not_exact' } }
    const call = '"event":"e","batch":[],"userId":5.00000000000000001'
    expect(await harness.post('/v1/track', `{${call}}`)).toMatchObject(refused)
    const repeated = `{"event":"e","userId":5,"userId":5.00000000000000001}`
    expect(await harness.post('/v1/track', repeated)).toMatchObject(refused)
    // The last one counts.
    const corrected = `{"event":"e","userId":9007199254740993,"userId":5}`
    expect(await harness.post('/v1/track', corrected)).toMatchObject({ status: 200 })
    expect(await harness.stored()).toHaveLength(1)
  })

  test('is refused nowhere but among the ids of the call', async () => {
    const properties = '{"userId":9007199254740993,"price":5.00000000000000001}'
    const call = `{"userId":5,"event":"e","properties":${properties}}`
    expect(await harness.post('/v1/track', call)).toMatchObject({ status: 200 })
    expect(await harness.stored()).toMatchObject([{ marks: ['precision_lost'] }])
  })

  test('does not fail the request where other calls are nested deep', async () => {
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

/** The number times 10^1100, exactly. */
function decimalsOf(text: string): bigint {
  const [mantissa = '', exponent = '0'] = text.split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return BigInt(whole + fraction) * 10n ** BigInt(1_100 + Number(exponent) - fraction.length)
}
