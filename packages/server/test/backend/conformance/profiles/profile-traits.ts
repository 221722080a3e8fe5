import { describe, expect, test } from 'vitest'
import type { ProfileChange } from '../../../../src/backend/profiles.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import type { OpenBackendHarness } from '../backend-harness.ts'
import { changeOf, follow, loadProfile, profileOf, traitsOf } from './profile-changes.ts'

const identify = (plan: string | null, change: Partial<ProfileChange> = {}) => ({
  traits: { plan },
  ...change,
})

/** Two identify calls, and the resulting traits in either order. */
const RULES: readonly [
  name: string,
  first: Partial<ProfileChange>,
  second: Partial<ProfileChange>,
  wins: object,
][] = [
  [
    'the newest timestamp',
    identify('new', { timestamp: NOON + 1, receivedAt: NOON }),
    identify('old', { timestamp: NOON, receivedAt: NOON + 9 }),
    { plan: 'new' },
  ],
  [
    'the later receivedAt of equal timestamps',
    identify('later', { receivedAt: NOON + 9, eventId: 'evt_a' }),
    identify('sooner', { receivedAt: NOON + 8, eventId: 'evt_b' }),
    { plan: 'later' },
  ],
  [
    'the greater event id of equal times',
    identify('b', { eventId: 'evt_b' }),
    identify('a', { eventId: 'evt_a' }),
    { plan: 'b' },
  ],
  [
    'a newer removal',
    identify(null, { timestamp: NOON + 1 }),
    identify('old', { timestamp: NOON }),
    {},
  ],
  [
    'a value newer than a removal',
    identify('new', { timestamp: NOON + 1 }),
    identify(null, { timestamp: NOON }),
    { plan: 'new' },
  ],
]

const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'a.b',
  'a"b',
  "it's",
  'a\\b',
  '$',
  '[0]',
  '0',
  '',
  'é',
  '日本',
  '😀',
  'a\u0000b',
  '\ud800',
  'a\nb',
  '\u2028',
  ' ',
  'x'.repeat(500),
]

export function profileTraitsConformance(open: OpenBackendHarness): void {
  describe('a trait keeps', () => {
    test.each(RULES)('%s', async (_, first, second, wins) => {
      for (const order of [
        [first, second],
        [second, first],
      ]) {
        await using harness = await open()
        await follow(harness, order)
        expect(await traitsOf(harness)).toEqual(wins)
        await using slices = await open()
        for (const change of order) await follow(slices, [change])
        expect(await traitsOf(slices)).toEqual(wins)
      }
    })

    test('a time and an origin for each name', async () => {
      await using harness = await open()
      await follow(harness, [
        { traits: { a: 1, b: 1, c: 1 }, timestamp: NOON },
        { traits: { b: 2, c: null }, timestamp: NOON + 2, sourceId: 'src_b' },
        { traits: { a: 3, b: 3, c: 3 }, timestamp: NOON + 1 },
      ])
      const traits = (await profileOf(harness))?.traits
      expect(traits).toEqual({
        a: { value: 3, at: NOON + 1, eventId: 'evt_000003', sourceId: 'src_a' },
        b: { value: 2, at: NOON + 2, eventId: 'evt_000002', sourceId: 'src_b' },
      })
    })

    test('a removal over older values, after a restart and a merge', async () => {
      await using harness = await open()
      await follow(harness, [{ traits: { plan: null }, timestamp: NOON + 5 }])
      await harness.reopen()
      await follow(harness, [
        { userId: 'u2', traits: { plan: 'old' }, timestamp: NOON + 1 },
        { userId: 'u2', links: [{ kind: 'user', id: 'u1' }], timestamp: NOON + 1 },
        { userId: 'u1', traits: { plan: 'older' }, timestamp: NOON },
      ])
      expect(await traitsOf(harness)).toEqual({})
      expect((await loadProfile(harness)).traits).toEqual({})
    })
  })

  describe('a trait', () => {
    test('can have any name', async () => {
      await using harness = await open()
      const traits = Object.fromEntries(NAMES.map((name) => [name, `is ${name}`]))
      expect(Object.keys(traits)).toHaveLength(NAMES.length)
      await follow(harness, [{ traits, timestamp: NOON }])
      await follow(harness, [{ traits: { other: 1 }, timestamp: NOON + 1 }])
      await harness.reopen()
      const all = { ...traits, other: 1 }
      const entries = new Map(Object.entries(all))
      expect(new Map(Object.entries(await traitsOf(harness)))).toEqual(entries)
      expect(new Map(Object.entries((await loadProfile(harness)).traits))).toEqual(entries)
      expect(Object.getPrototypeOf(await traitsOf(harness))).toBe(Object.prototype)
      await follow(harness, [
        { traits: Object.fromEntries(NAMES.map((name) => [name, null])), timestamp: NOON + 2 },
      ])
      expect(await traitsOf(harness)).toEqual({ other: 1 })
    })

    test.each([
      [false],
      [0],
      [-0.5],
      [1e308],
      [''],
      [[null, [], {}]],
      [JSON.parse('{"__proto__": {"a": 1}, "b": null}') as object],
      ['\ud800 \u0000 😀 "\\'],
      ['x'.repeat(50_000)],
    ])('can have the value %j', async (value) => {
      await using harness = await open()
      await follow(harness, [changeOf(1, { traits: { value: value as never } })])
      await harness.reopen()
      const { traits } = (await profileOf(harness))!
      expect(JSON.stringify(traits['value']?.value)).toBe(JSON.stringify(value))
      expect(JSON.stringify((await loadProfile(harness)).traits['value'])).toBe(
        JSON.stringify(value),
      )
    })
  })
}
