import { LIMITS } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { NOON } from '@hookline/testing/records/accepted-event'
import { newSource } from '@hookline/testing/records/catalog-records'
import {
  type EventName,
  type EventNameFilter,
  type SeenName,
} from '../../../src/backend/event-names.ts'
import type { ProfileId } from '../../../src/backend/profiles.ts'
import { InvalidCursorError } from '../../../src/backend/page.ts'
import { shortHash } from '../../../src/util/short-hash.ts'
import type { BackendHarness, OpenBackendHarness } from './backend-harness.ts'
import { purgeAnonymous, purgeUser } from './deletions/purge-requests.ts'
import { anonymous, user } from './profiles/profile-changes.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const TODAY = NOON / DAY_MS - 0.5

type Property = SeenName['properties'][number]

const property = (name: string, change: Partial<Property> = {}): Property => ({
  name,
  types: ['string'],
  lastSeenAt: NOON,
  soleUser: '',
  ...change,
})

/** One event of `src_a` with the name `Order Completed`. */
const seen = (change: Partial<SeenName> = {}): SeenName => ({
  sourceId: 'src_a',
  type: 'track',
  name: 'Order Completed',
  count: 1,
  firstSeenAt: NOON,
  lastSeenAt: NOON,
  hasMoreProperties: false,
  days: new Map([[TODAY, 1]]),
  soleUser: '',
  properties: [],
  ...change,
})

const soleUserOf = ({ kind, id }: ProfileId): string => shortHash(`${kind} ${id}`)

const numbered = (count: number, change: Partial<SeenName> = {}): SeenName[] =>
  Array.from({ length: count }, (_, index) => seen({ name: `Name ${index}`, ...change }))

async function add({ backend }: BackendHarness, ...names: readonly SeenName[]): Promise<void> {
  const { through, purges } = await backend.eventNames.state()
  const added = await backend.eventNames.add({
    after: through,
    through: through + 1,
    purges,
    names,
  })
  expect(added).toBe(true)
}

async function listed(
  { backend }: BackendHarness,
  filter: EventNameFilter = {},
): Promise<readonly EventName[]> {
  const all: EventName[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await backend.eventNames.list(filter, { limit: 200, ...(cursor && { cursor }) })
    all.push(...page.data)
    cursor = page.nextCursor
  }
  return all
}

const namesOf = (names: readonly EventName[]): readonly string[] => names.map(({ name }) => name)

/** Opens a backend with the sources `src_a` and `src_b`. */
async function opened(open: OpenBackendHarness): Promise<BackendHarness> {
  const harness = await open()
  const sources = [newSource(), newSource({ id: 'src_b' })]
  await harness.backend.catalog.putAll({ sources, destinations: [] })
  return harness
}

export function eventNamesConformance(open: OpenBackendHarness): void {
  describe('event names', () => {
    test('have the sum of all writes, with the first and the last time, and are the same after a restart', async () => {
      await using harness = await opened(open)
      await add(harness, seen({ count: 2, properties: [property('total'), property('old')] }))
      const later = NOON + DAY_MS
      const total = property('total', { types: ['number', 'null'], lastSeenAt: later })
      const days = new Map([[TODAY + 1, 3]])
      const times = { firstSeenAt: later, lastSeenAt: later }
      await add(harness, seen({ count: 3, days, ...times, properties: [total] }))
      await harness.reopen()
      expect(await listed(harness)).toEqual([
        {
          sourceId: 'src_a',
          type: 'track',
          name: 'Order Completed',
          count: 5,
          firstSeenAt: NOON,
          lastSeenAt: later,
          days: new Map([
            [TODAY, 1],
            [TODAY + 1, 3],
          ]),
          hasMoreProperties: false,
          properties: [
            { name: 'old', types: ['string'], lastSeenAt: NOON },
            { name: 'total', types: ['string', 'number', 'null'], lastSeenAt: later },
          ],
        },
      ])
    })

    test('keep only the counts for the last seven days', async () => {
      await using harness = await opened(open)
      for (let day = 0; day < 10; day++)
        await add(harness, seen({ days: new Map([[TODAY + day, day]]) }))
      const [name] = await listed(harness)
      expect([...name!.days.keys()]).toEqual([3, 4, 5, 6, 7, 8, 9].map((day) => TODAY + day))
      expect(name!.count).toBe(10)
    })

    test('keep the counts for other days if one is in the future, because a clock was ahead', async () => {
      await using harness = await opened(open)
      await add(harness, seen({ days: new Map([[TODAY + 1_000, 1]]) }))
      await add(harness, seen({ days: new Map([[TODAY, 2]]) }))
      await add(harness, seen({ days: new Map([[TODAY + 1, 3]]) }))
      const [name] = await listed(harness)
      expect(name!.days.get(TODAY)).toBe(2)
      expect(name!.days.get(TODAY + 1)).toBe(3)
    })

    test('do not change if the position is outdated', async () => {
      await using harness = await opened(open)
      const { eventNames } = harness.backend
      const { purges } = await eventNames.state()
      const write = { after: 0, through: 7, purges, names: [seen()] }
      expect(await Promise.all([eventNames.add(write), eventNames.add(write)])).toEqual(
        expect.arrayContaining([true, false]),
      )
      await harness.reopen()
      expect(await harness.backend.eventNames.add(write)).toBe(false)
      expect(await harness.backend.eventNames.state()).toEqual({ through: 7, purges })
      expect(await listed(harness)).toMatchObject([{ count: 1 }])
    })

    test('are listed by source, type and name, in pages, and filtered by source and type', async () => {
      await using harness = await opened(open)
      const b = { sourceId: 'src_b' }
      const page = { type: 'page', name: '' } as const
      await add(harness, seen(b), ...numbered(3), seen({ ...b, ...page }), seen(page))
      const { eventNames } = harness.backend
      const keys = (names: readonly EventName[]) =>
        names.map(({ sourceId, type, name }) => `${sourceId} ${type} ${name}`)
      const all = [
        'src_a page ',
        ...[0, 1, 2].map((index) => `src_a track Name ${index}`),
        'src_b page ',
        'src_b track Order Completed',
      ]
      expect(keys(await listed(harness))).toEqual(all)
      const first = await eventNames.list({}, { limit: 2 })
      const second = await eventNames.list({}, { limit: 4, cursor: first.nextCursor! })
      expect(keys([...first.data, ...second.data])).toEqual(all)
      expect(second.nextCursor).toBeNull()
      expect(keys(await listed(harness, { sourceId: 'src_b' }))).toEqual(all.slice(4))
      expect(keys(await listed(harness, { type: 'page' }))).toEqual([all[0], all[4]])
      const invalid = eventNames.list({}, { limit: 2, cursor: '{}' })
      await expect(invalid).rejects.toThrow(InvalidCursorError)
    })

    test('of any text are stored unchanged, except lone surrogates', async () => {
      await using harness = await opened(open)
      const names = ['__proto__', 'constructor', 'a\0b', 'ünïcödé 🎉', `'; DROP TABLE events; --`]
      const properties = names.map((name) => property(name))
      await add(harness, ...names.map((name) => seen({ name, properties })))
      await add(harness, ...names.map((name) => seen({ name, properties })))
      const found = await listed(harness)
      expect(namesOf(found).toSorted()).toEqual(names.toSorted())
      for (const { count, properties: each } of found) {
        expect(count).toBe(2)
        expect(each.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
      }
    })

    test('beyond the limit of their source are counted together, and known ones are still counted separately', async () => {
      await using harness = await opened(open)
      const max = LIMITS.eventNamesPerSource
      await add(harness, ...numbered(max - 1))
      const tooLong = seen({ type: '', name: '', count: 4 })
      const over = ['x', 'y', 'z'].map((name) => seen({ name, properties: [property('a')] }))
      await add(harness, ...over, tooLong)
      await add(harness, seen({ name: 'y' }), seen({ name: 'Name 5' }), seen({ sourceId: 'src_b' }))
      const found = await listed(harness)
      expect(found).toHaveLength(max + 2)
      const [other] = found
      expect(other).toMatchObject({ type: '', name: '', count: 2 + 4 + 1, properties: [] })
      expect(other!.days).toEqual(new Map([[TODAY, 4]]))
      expect(found.find(({ name }) => name === 'Name 5')).toMatchObject({ count: 2 })
      expect(namesOf(found)).toContain('x')
      expect(namesOf(found)).not.toContain('y')
      expect(found.at(-1)).toMatchObject({ sourceId: 'src_b', count: 1 })
    })

    test('not seen for 30 days make room for new ones', async () => {
      await using harness = await opened(open)
      const properties = [property('a')]
      await add(harness, ...numbered(LIMITS.eventNamesPerSource, { properties }))
      const at = NOON + 30 * DAY_MS
      const times = { firstSeenAt: at, lastSeenAt: at + 1 }
      await add(harness, seen({ ...times, name: 'Name 5' }))
      await add(harness, ...[1, 2].map((index) => seen({ ...times, name: `New ${index}` })))
      const found = await listed(harness)
      expect(found).toHaveLength(LIMITS.eventNamesPerSource)
      expect(namesOf(found)).toEqual(expect.arrayContaining(['New 1', 'New 2', 'Name 5']))
      expect(found.filter(({ properties: [first] }) => first?.name === 'a')).toHaveLength(
        LIMITS.eventNamesPerSource - 2,
      )
    })

    test('seen again in the same write are not removed for new ones', async () => {
      await using harness = await opened(open)
      await add(harness, ...numbered(LIMITS.eventNamesPerSource))
      const at = NOON + 30 * DAY_MS
      const times = { firstSeenAt: at, lastSeenAt: at + 1 }
      const again = numbered(LIMITS.eventNamesPerSource, times)
      await add(harness, ...again, seen({ ...times, name: 'New' }))
      const found = await listed(harness)
      expect(namesOf(found)).not.toContain('New')
      expect(found.filter(({ type, count }) => type === 'track' && count === 2)).toHaveLength(
        LIMITS.eventNamesPerSource,
      )
    })

    test('list at most 100 properties, and note that there are more', async () => {
      await using harness = await opened(open)
      const max = LIMITS.propertiesPerEventName
      const some = (from: number, count: number): Property[] =>
        Array.from({ length: count }, (_, index) => property(`p${from + index}`))
      await add(harness, seen({ properties: some(0, max - 1) }))
      expect(await listed(harness)).toMatchObject([{ hasMoreProperties: false }])
      await add(harness, seen({ properties: some(max - 2, 3) }), seen({ name: 'Other' }))
      await add(harness, seen({ properties: some(0, 1) }))
      const [name, other] = await listed(harness)
      expect(name).toMatchObject({ hasMoreProperties: true })
      expect(name!.properties).toHaveLength(max)
      expect(name!.properties.map((each) => each.name)).toContain(`p${max - 1}`)
      expect(other).toMatchObject({ hasMoreProperties: false })
      await add(harness, seen({ name: 'Other', hasMoreProperties: true }))
      expect((await listed(harness))[1]).toMatchObject({ hasMoreProperties: true })
    })

    test('of a removed or unknown source are not kept', async () => {
      await using harness = await opened(open)
      const unknown = seen({ sourceId: 'src_c' })
      const properties = [property('a')]
      await add(harness, seen({ properties }), seen({ sourceId: 'src_b' }), unknown)
      await harness.backend.catalog.removeSource('src_a')
      await add(harness, seen({ properties }))
      expect(await listed(harness)).toMatchObject([{ sourceId: 'src_b' }])
      await harness.backend.catalog.putSource(newSource())
      await add(harness, seen())
      expect(await listed(harness)).toMatchObject([
        { sourceId: 'src_a', count: 1, properties: [] },
        { sourceId: 'src_b' },
      ])
    })

    test('and properties that only one user sent are removed with the user', async () => {
      await using harness = await opened(open)
      const soleUser = soleUserOf(user('u1'))
      const mine = property('mine', { soleUser })
      const ours = property('ours', { soleUser })
      await add(
        harness,
        seen({ name: 'Mine', soleUser, properties: [mine] }),
        seen({ name: 'Ours', soleUser, properties: [ours, mine] }),
        seen({ name: 'Of another kind', soleUser: soleUserOf(anonymous('u1')) }),
        seen({ name: 'Mine', sourceId: 'src_b', soleUser }),
      )
      const yours = property('ours', { soleUser: soleUserOf(user('u2')) })
      await add(
        harness,
        seen({ name: 'Ours', soleUser: soleUserOf(user('u2')), properties: [yours] }),
      )
      await add(harness, seen({ name: 'Mine', soleUser, properties: [mine] }))
      await purgeUser(harness, 'u2')
      expect(await listed(harness)).toHaveLength(4)
      await purgeUser(harness, 'u1', ['src_a'])
      expect(namesOf(await listed(harness))).toEqual(['Of another kind', 'Ours', 'Mine'])
      const [, name] = await listed(harness)
      expect(name!.properties.map((each) => each.name)).toEqual(['ours'])
      await purgeAnonymous(harness, ['u1'])
      await purgeUser(harness, 'u1')
      expect(namesOf(await listed(harness))).toEqual(['Ours'])
    })

    test('read before a purge are refused after it', async () => {
      await using harness = await opened(open)
      const { eventNames } = harness.backend
      const { through, purges } = await eventNames.state()
      await purgeUser(harness, 'u1')
      const names = [seen({ soleUser: soleUserOf(user('u1')) })]
      const write = { after: through, through: through + 1, purges, names }
      expect(await eventNames.add(write)).toBe(false)
      expect(await listed(harness)).toEqual([])
    })
  })
}
