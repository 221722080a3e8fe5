import { describe, expect, it } from 'vitest'
import { TIMESTAMP_FORMATS } from '@hookline/testing/records/timestamp-formats'
import { parseLine } from '../../src/import/parse-line.ts'

const fingerprint = { bytes: 1000, startSha256: 'a'.repeat(64) }
const user = { userId: 'u1' }

function parsed(
  content: string | Buffer,
  { number = 2, isCut = false, type = undefined as 'track' | undefined } = {},
) {
  const line = { number, bytes: Buffer.from(content), end: 0, isCut }
  return parseLine(line, { fingerprint, type })
}

const parsedCall = (call: object) => parsed(JSON.stringify({ type: 'page', ...user, ...call }))

describe('a line', () => {
  it('is a call with all its fields, and with its timestamp unchanged', () => {
    const call = { messageId: 'm1', timestamp: '2013-05-01 09:30', properties: { a: [1, null] } }
    expect(parsedCall(call)).toEqual({ type: 'page', ...user, ...call })
  })

  it('keeps its type, or gets the default type', () => {
    expect(parsed('{"event":"E"}', { type: 'track' })).toMatchObject({ type: 'track' })
    expect(parsed('{"type":"page"}', { type: 'track' })).toMatchObject({ type: 'page' })
  })

  it('may have its time in originalTimestamp, as in exports from other services', () => {
    const call = parsedCall({ originalTimestamp: '2013-05-01', timestamp: null })
    expect(call).toMatchObject({ timestamp: '2013-05-01' })
    expect(call).not.toHaveProperty('originalTimestamp')
  })

  it('preserves integers that JavaScript cannot represent', () => {
    const text = '{"type":"track","properties":{"big":12345678901234567890,"small":1}}'
    expect(JSON.stringify(parsed(text))).toContain('{"big":12345678901234567890,"small":1}')
  })

  it('may start with a byte order mark if it is the first line, and end with CR', () => {
    const text = '\ufeff{"type":"page"}\r'
    expect(parsed(text, { number: 1 })).toMatchObject({ type: 'page' })
    expect(parsed(text, { number: 2 })).toMatchObject({ code: 'invalid_json' })
  })

  it('without a messageId always gets the same one, derived from line number and content', () => {
    const idOf = (text: string, number: number) => parsed(text, { number })
    const first = idOf('{"type":"page"}', 2)
    expect(first).toMatchObject({ messageId: expect.stringMatching(/^import-[0-9a-f]{40}$/) })
    expect(idOf('{"type":"page"}', 2)).toEqual(first)
    expect(idOf('{"type":"page"}', 3)).not.toEqual(first)
    expect(idOf('{"type":"page"} ', 2)).not.toEqual(first)
    expect(parsedCall({ messageId: '' })).toMatchObject({
      messageId: expect.stringMatching(/^import-/),
    })
  })

  it.for([
    ['invalid_json', '{"type":"page"'],
    ['invalid_json', Buffer.from([0x22, 0xff, 0x22])],
    ['not_an_object', '[]'],
    ['not_an_object', 'null'],
    ['unknown_type', '{}'],
    ['unknown_type', '{"type":"delete"}'],
    ['id_not_string', '{"type":"page","messageId":{}}'],
    ...['messageId', 'userId', 'anonymousId', 'groupId', 'previousId'].flatMap((name) =>
      [
        '12345678901234567890',
        '-9007199254740993',
        '0.10000000000000000555',
        '1e400',
        '1e-400',
      ].map((number) => ['id_not_exact', `{"type":"page","${name}":${number}}`] as const),
    ),
    ...['1e400', '-1e400', '9'.repeat(310), 'NaN', '-Infinity'].map(
      (number) =>
        ['number_not_finite', `{"type":"page","properties":{"a":[{"b":${number}}]}}`] as const,
    ),
    ['invalid_json', '{"type":"page",NaN}'],
    ['nested_too_deep', `{"type":"page","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['timestamp_invalid', '{"type":"page","timestamp":"yesterday"}'],
    ['timestamp_invalid', '{"type":"page","timestamp":"2013-02-30"}'],
    ['timestamp_invalid', '{"type":"page","timestamp":{}}'],
  ] as const)('is rejected as %s: %s', ([code, content]) => {
    expect(parsed(content)).toMatchObject({ code, message: expect.any(String) })
  })

  it('keeps a timestamp that the service can read, and is rejected otherwise', () => {
    for (const name of ['timestamp', 'originalTimestamp']) {
      for (const [timestamp] of TIMESTAMP_FORMATS.read)
        expect(parsedCall({ [name]: timestamp })).toMatchObject({ timestamp })
      for (const timestamp of TIMESTAMP_FORMATS.refused) {
        const rejected = { code: 'timestamp_invalid' }
        expect([timestamp, parsedCall({ [name]: timestamp })]).toMatchObject([timestamp, rejected])
      }
    }
  })

  it('is rejected as message_too_large if only its beginning was read', () => {
    expect(parsed('{}', { isCut: true })).toMatchObject({ code: 'message_too_large' })
  })
})
