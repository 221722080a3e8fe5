import fc from 'fast-check'
import { expect, test } from 'vitest'
import { idFrom, isId, newId, timeOfId } from '../src/index.ts'

const time = fc.integer({ min: 0, max: 2 ** 48 - 1 })

test('an id contains its kind and its time, and ids sort by time', () => {
  const run = fc.property(time, time, (a, b) => {
    const [first, second] = [newId('evt', a), newId('evt', b)]
    expect(isId('evt', first)).toBe(true)
    expect(isId('src', first)).toBe(false)
    expect(timeOfId(first)).toBe(a)
    if (a !== b) expect(first < second).toBe(a < b)
  })
  fc.assert(run)
})

test('ids generated in the same millisecond differ', () => {
  expect(new Set(Array.from({ length: 10_000 }, () => newId('att', 1))).size).toBe(10_000)
})

test('an id from fixed bytes is always the same, and is a UUIDv7', () => {
  const id = idFrom('msg', 0x0123456789ab, new Uint8Array(10).fill(0xff))
  expect(id).toBe(idFrom('msg', 0x0123456789ab, new Uint8Array(12).fill(0xff)))
  expect(uuidOf(id)).toBe('0123456789ab7fffbfffffffffffffff')
})

/** The 32 hex digits that the base32 of an id encodes. */
function uuidOf(id: string): string {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
  const value = Array.from(id.slice(4)).reduce(
    (sum, letter) => sum * 32n + BigInt(alphabet.indexOf(letter)),
    0n,
  )
  return value.toString(16).padStart(32, '0')
}

test('a string that resembles an id is not an id', () => {
  for (const text of [
    'evt_',
    'evt_short',
    `evt_${'u'.repeat(26)}`,
    `evt_8${'0'.repeat(25)}`,
    'EVT_00000000000000000000000000',
  ]) {
    expect(isId('evt', text)).toBe(false)
  }
})
