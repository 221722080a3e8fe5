import type { Computation } from '@hookline/protocol'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { newSync } from '../../src/audiences/syncs/needed-syncs.ts'
import type { Sync } from '../../src/backend/syncs.ts'
import { nextTurn } from '../../src/util/time/clock.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { newAudience } from '@hookline/testing/records/catalog-records'
import { OpenAudiences } from './open-audiences.ts'
import { membersOf, plan, announcedValues } from './announced-values.ts'

const DAY_MS = 24 * 60 * 60 * 1000

describe('a destination is added by a sync', () => {
  const audience: Computation = newAudience({ version: 3, destinationIds: ['dst_a', 'dst_b'] })
  const sync = (change: Partial<Sync>): Sync => ({
    ...newSync(audience, 'requested', { open: undefined, last: undefined, now: NOON }),
    state: 'done',
    ...change,
  })
  const added = (before: { open?: Sync; last?: Sync }): readonly string[] => {
    const context = { open: before.open, last: before.last, now: NOON }
    return newSync(audience, 'requested', context).addedDestinationIds
  }

  test.each<[string, { open?: Sync; last?: Sync }, readonly string[]]>([
    ['but not before the first sync', {}, []],
    [
      'if the last sync did not include it',
      { last: sync({ destinationIds: ['dst_a'] }) },
      ['dst_b'],
    ],
    ['but not if the last sync included all destinations', { last: sync({}) }, []],
    [
      'with all others if the last sync failed',
      { last: sync({ state: 'failed' }) },
      ['dst_a', 'dst_b'],
    ],
    [
      'if the open sync does not include it, although the last one did',
      { last: sync({}), open: sync({ state: 'running', destinationIds: ['dst_a'] }) },
      ['dst_b'],
    ],
    [
      'if the first sync is not done and does not include it',
      { open: sync({ state: 'running', destinationIds: ['dst_a'] }) },
      ['dst_b'],
    ],
    [
      'if the open sync includes it, and is not done',
      { last: sync({}), open: sync({ state: 'running', addedDestinationIds: ['dst_b'] }) },
      ['dst_b'],
    ],
  ])('%s', (_, before, expected) => {
    expect(added(before)).toEqual(expected)
  })
})

test.each<[string, readonly [version: number, state: Sync['state']] | null, Sync['reason']]>([
  ['was never synced', null, 'created'],
  ['has changed since its last sync', [2, 'done'], 'changed'],
  ['was not fully synced', [3, 'failed'], 'changed'],
  ['was synced', [3, 'done'], 'requested'],
])('a requested sync of an audience that %s has the right reason', (_, ended, reason) => {
  const audience = newAudience({ version: 3 })
  const none = { open: undefined, last: undefined, now: NOON }
  const [version, state] = ended ?? [3, 'done']
  const last = { ...newSync(audience, 'requested', none), version, state }
  const context = { ...none, last: ended === null ? undefined : last }
  expect(newSync(audience, 'requested', context).reason).toBe(reason)
})

async function opened(): Promise<OpenAudiences> {
  const open = await OpenAudiences.start()
  await open.append(plan('u1', 'pro'), plan('u2', 'pro'))
  return open
}

test('a deletion requested during a sync is not lost', async () => {
  await using open = await opened()
  await open.put(newAudience())
  await open.settle()
  const { computations } = open.audiences
  const running = { ...(await computations.requestSync('aud_a', 'requested')), announced: 1 }
  const { syncs } = open.backend
  const requested = (await syncs.open())[0]!
  await computations.requestSync('aud_a', 'deleted')
  // The step of the running sync completes only now.
  expect(await syncs.advance(requested, { ...running, state: 'running' })).toBe(false)
  await open.settle()
  expect(open.backend.catalog.current.computations.size).toBe(0)
  expect((await announcedValues(open)).toSorted()).toEqual([
    'u1 false',
    'u1 true',
    'u2 false',
    'u2 true',
  ])
})

test('a deletion requested before the first sync is done takes effect', async () => {
  await using open = await opened()
  await open.put(newAudience())
  const { computations } = open.audiences
  expect(await computations.requestSync('aud_a', 'deleted')).toMatchObject({ reason: 'deleted' })
  await open.settle()
  expect(open.backend.catalog.current.computations.size).toBe(0)
})

test('a deletion continues after a crash between its last step and the removal', async () => {
  await using open = await opened()
  await open.put(newAudience())
  await open.settle()
  const { syncs } = open.backend
  const last = (await syncs.last()).get('aud_a')!
  await syncs.put({ ...last, id: 'syn_z', reason: 'deleted' })
  await open.restart()
  await expect.poll(() => open.backend.catalog.current.computations.size).toBe(0)
  await expect.poll(() => open.backend.memberships.sizes()).toEqual(new Map())
})

test('a deletion waits for its plan, so that it is announced for every member', async () => {
  await using open = await opened()
  await open.put(newAudience())
  await open.settle()
  const { catalog, syncs } = open.backend
  const last = (await syncs.last()).get('aud_a')!
  const waiting = { state: 'waiting', finishedAt: null, afterProfile: 0, afterUser: '' } as const
  // No one has requested new plans, and syncs are checked every minute.
  await syncs.put({ ...last, ...waiting, id: 'syn_z', reason: 'deleted' })
  for (let times = 0; times < 500; times++) {
    open.clock.advance(250)
    await nextTurn()
  }
  expect(catalog.current.computations.size).toBe(1)
  await open.restart()
  await expect.poll(() => open.backend.catalog.current.computations.size).toBe(0)
  expect((await announcedValues(open)).toSorted()).toEqual([
    'u1 false',
    'u1 true',
    'u2 false',
    'u2 true',
  ])
})

test('an audience that has never had a member leaves no syncs when it is removed', async () => {
  await using open = await opened()
  await open.put(newAudience({ condition: { trait: 'none', op: 'exists' } }))
  await open.settle()
  const { catalog, syncs } = open.backend
  expect((await syncs.last()).size).toBe(1)
  await catalog.removeComputation('aud_a')
  await open.settle()
  expect(await syncs.last()).toEqual(new Map())
})

test('a failed sync is reported, the others continue, and the next one sends to its destinations again', async () => {
  await using open = await opened()
  using db = new DatabaseSync(open.file, { timeout: 10_000 })
  db.exec(`CREATE TRIGGER fault BEFORE UPDATE ON syncs
    WHEN NEW.computation = 'aud_a' AND NEW.document LIKE '%"state":"done"%'
    BEGIN SELECT RAISE(ABORT, 'a fault'); END`)
  const other = newAudience({ id: 'aud_b', name: 'B', key: 'b' })
  const computations = [newAudience(), other]
  await open.backend.catalog.putAll({ sources: [], destinations: [], computations })
  await open.settle()
  const [failed, done] = await open.audiences.computations.statusesOf(computations)
  expect(failed).toMatchObject({
    state: 'failed',
    reason: 'A bug in Hookline stopped the sync. See sync.failed in the log.',
    lastSync: { state: 'failed', finishedAt: expect.any(Number) },
  })
  expect(done).toMatchObject({ size: 2, lastSync: { state: 'done', evaluated: 2 } })
  // The audience is still evaluated in real time.
  await open.append(plan('u3', 'pro'))
  await open.settle()
  expect(await membersOf(open)).toEqual(['u1', 'u2', 'u3'])
  db.exec('DROP TRIGGER fault')
  await open.audiences.computations.requestSync('aud_a', 'requested')
  await open.settle()
  const last = (await open.backend.syncs.last()).get('aud_a')
  expect(last).toMatchObject({
    state: 'done',
    addedDestinationIds: ['dst_a'],
    announced: 3,
    missed: 0,
  })
})

test('a sync counts the changes that real-time evaluation missed, and no others', async () => {
  await using open = await opened()
  await open.put(newAudience())
  await open.settle()
  open.clock.advance(DAY_MS)
  await open.settle()
  const { syncs, memberships, evaluations } = open.backend
  await expect
    .poll(async () => (await syncs.last()).get('aud_a'))
    .toMatchObject({ reason: 'daily', state: 'done', evaluated: 2, entered: 0, left: 0, missed: 0 })
  // As a bug would do: remove the result without marking the profile as dirty.
  const [profile] = await evaluations.load([1])
  const lost = { computationId: 'aud_a', value: undefined, since: NOON }
  const nothing = { announcements: [], recheckAt: null }
  const { profileId, version } = profile!
  await evaluations.commit([{ profileId, version, results: [lost], ...nothing }])
  expect(await memberships.sizes()).toEqual(new Map([['aud_a', 1]]))
  await open.audiences.computations.requestSync('aud_a', 'requested')
  await open.settle()
  expect((await syncs.last()).get('aud_a')).toMatchObject({ reason: 'requested', missed: 1 })
  expect(await membersOf(open)).toEqual(['u1', 'u2'])
  expect((await announcedValues(open)).toSorted()).toEqual(['u1 true', 'u2 true'])
})

const BOUGHT = { event: 'Order Completed' } as const

test('the first sync counts everyone who entered, including users that real-time evaluation found first', async () => {
  await using open = await opened()
  // For the first audience, profiles are built from the log and evaluated along the way.
  await open.put(newAudience())
  await open.settle()
  const { syncs } = open.backend
  expect((await syncs.last()).get('aud_a')).toMatchObject({
    reason: 'created',
    entered: 2,
    left: 0,
    missed: 0,
  })
  // For another one, events are counted from the archive, and their users evaluated immediately.
  await open.append({ userId: 'u1' }, { userId: 'u3' })
  await open.put(newAudience({ id: 'aud_b', name: 'B', key: 'b', condition: BOUGHT }))
  await open.settle()
  expect(await membersOf(open, 'aud_b')).toEqual(['u1', 'u3'])
  expect((await syncs.last()).get('aud_b')).toMatchObject({ reason: 'created', entered: 2 })
})

test('a sync for a new definition counts who entered and left, and the next one does not count them again', async () => {
  await using open = await opened()
  await open.put(newAudience())
  await open.settle()
  await open.append({ userId: 'u3' }, plan('u4', 'pro'))
  await open.settle()
  await open.put(newAudience({ version: 2, condition: BOUGHT }))
  await open.settle()
  expect(await membersOf(open)).toEqual(['u3'])
  const { syncs } = open.backend
  expect((await syncs.last()).get('aud_a')).toMatchObject({
    reason: 'changed',
    entered: 1,
    left: 3,
  })
  await open.append({ userId: 'u5' })
  await open.settle()
  await open.audiences.computations.requestSync('aud_a', 'requested')
  await open.settle()
  expect((await syncs.last()).get('aud_a')).toMatchObject({ reason: 'requested', entered: 0 })
})

test('a sync checks every profile, however many there are', async () => {
  await using open = await OpenAudiences.start()
  const { profiles, syncs } = open.backend
  await profiles.begin(100)
  const change = {
    eventId: 'evt_a',
    messageId: 'm1',
    hasPlaceholder: false,
    sourceId: 'src_a',
    space: 'default',
    type: 'identify',
  } as const
  const changes = Array.from({ length: 5_300 }, (_, index) => ({
    ...change,
    position: index + 1,
    userId: `u${index}`,
    links: [],
    timestamp: NOON,
    receivedAt: NOON,
    traits: { plan: index % 1_000 === 0 ? 'pro' : 'free' },
    facts: [],
  }))
  await profiles.apply({ after: 0, through: 5_300, changes, purges: 0, at: NOON })
  await open.put(newAudience())
  await open.settle()
  const last = (await syncs.last()).get('aud_a')
  expect(last).toMatchObject({ state: 'done', evaluated: 5_300, entered: 6 })
})
