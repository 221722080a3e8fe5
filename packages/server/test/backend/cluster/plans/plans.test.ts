import { newId } from '@hookline/protocol'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Backend } from '../../../../src/backend/backend.ts'
import { openClusterBackend } from '../../../../src/backend/cluster/open.ts'
import { DAY_MS } from '../../../../src/backend/days.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newReplay } from '@hookline/testing/records/new-replay'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { LANE, attemptOf, deliveryOf } from '../../conformance/deliveries/recorded-delivery.ts'
import { DAY, ErasedCluster } from '../erasure/erased-cluster.ts'
import { EVENTS, fillTables, idOf } from './filled-tables.ts'
import { PlanLog } from './plan-log.ts'

/** Scans of more rows than this are noticeably slow. */
const FEW = 3_000
const START = DAY * DAY_MS
/** A cursor deep in the list of events. */
const DEEP = `${START + 10}.${EVENTS + 10}`

type Use = (backend: Backend) => Promise<unknown>

const eventLists: readonly (readonly [string, Use])[] = [
  [{}, DEEP],
  [{ messageId: `message-${idOf('evt', DAY, 77)}` }],
  [{ userId: 'u77' }],
  [{ userId: 'u77' }, DEEP],
  [{ anonymousId: 'a77' }, DEEP],
  [{ type: 'page' as const }, DEEP],
  [{ sourceId: 'src_1' }, DEEP],
  [{ event: 'Event 7' }, DEEP],
  [{ text: 'event 7' }, DEEP],
  [{ from: START + 100, to: START + 5_000 }],
].map(([filter, cursor]) => [
  `events by ${JSON.stringify(filter)}${cursor === undefined ? '' : ', deep'}`,
  ({ events }) =>
    events.list(filter as object, {
      limit: 50,
      ...(cursor !== undefined && { cursor: cursor as string }),
    }),
])

const deliveryLists: readonly (readonly [string, Use])[] = [
  {},
  { destinationId: 'dst_1' },
  { state: 'rejected' as const },
  { state: 'pending' as const, destinationId: 'dst_1' },
  { waiting: true },
  { class: 'http_5xx' as const },
  { status: 500 },
  { from: START + 100, to: START + 5_000 },
  { eventId: idOf('evt', DAY, 77) },
].map((filter) => [
  `deliveries by ${JSON.stringify(filter)}`,
  async ({ deliveries }) => {
    await deliveries.list(filter, { limit: 50 })
    await deliveries.list(filter, { limit: 50, cursor: idOf('msg', DAY, 50) })
  },
])

const RECORDED = Array.from({ length: 20 }, () => acceptedEvent())

const others: readonly (readonly [string, Use])[] = [
  ['an event', ({ events }) => events.find(idOf('evt', DAY, 77))],
  [
    'the decided destinations',
    ({ events }) => events.decidedDestinations([1, 2].map((n) => idOf('evt', DAY, n))),
  ],
  [
    'archiving events and duplicates',
    async ({ events }) => {
      const entries = RECORDED.map((event) => ({ event, declined: [] }))
      await events.archive(entries)
      await events.archive(
        entries.map(({ event }) => ({
          event: acceptedEvent({ messageId: event.messageId }),
          declined: [{ destinationId: 'dst_a', reason: 'integrations' as const }],
        })),
      )
    },
  ],
  [
    'followers of the archive',
    ({ followedLog }) => followedLog.read({ after: EVENTS, limit: 500 }),
  ],
  [
    'followers that select events',
    ({ followedLog }) =>
      followedLog.read({
        after: 5,
        limit: 500,
        only: { events: ['Event 7'], types: ['identify'] },
      }),
  ],
  ['a delivery', ({ deliveries }) => deliveries.find(idOf('msg', DAY, 77))],
  [
    'recording, claiming and releasing deliveries',
    async ({ deliveries }) => {
      const recorded = RECORDED.map((event) => ({
        delivery: deliveryOf(event, { attemptCount: 1 }),
        attempts: [attemptOf({ id: newId('att', NOON) })],
      }))
      await deliveries.record(recorded)
      await deliveries.waiting()
      await deliveries.claim(LANE, { due: Date.now(), limit: 100 })
      await deliveries.claimUnsplit(100)
      await deliveries.release(recorded.map(({ delivery }) => delivery.id))
      await deliveries.record(
        RECORDED.map((event) => ({
          delivery: deliveryOf(event, { attemptCount: 2, state: 'delivered' }),
          attempts: [],
        })),
      )
    },
  ],
  [
    'reports of deliveries',
    async ({ reports }) => {
      await reports.failures({})
      await reports.waitingIn(LANE)
    },
  ],
  [
    'selecting and advancing a replay, and retrying a delivery',
    async ({ replays }) => {
      const range = { from: START, to: START + DAY_MS, text: 'event', includeDeclined: true }
      const replay = newReplay({ selection: { destinationId: 'dst_0', ...range } })
      const slice = { scan: 500, limit: 100 }
      const found = await replays.select(replay.selection, { ...slice, cursor: null })
      expect(found.eventIds.length).toBeGreaterThan(0)
      const declined = { ...replay.selection, destinationId: 'dst_declined' }
      const cursor = `${idOf('evt', DAY, 0).slice(0, 14)} `
      const enabled = await replays.select(declined, { ...slice, cursor })
      expect(enabled.eventIds.length).toBeGreaterThan(0)
      await replays.create(replay)
      const deliveries = [50, 51].map((n) => ({
        id: idOf('msg', DAY, n),
        eventId: idOf('evt', DAY, n),
      }))
      const step = { deliveries, scanned: 2, reachedAt: START, cursor: null, now: NOON }
      expect(await replays.advance(replay, step)).toMatchObject({ state: 'finished' })
      await replays.retry(idOf('msg', DAY, 50), NOON)
    },
  ],
  [
    'an item in quarantine',
    ({ quarantine }) => quarantine.add([{ id: idOf('evt', DAY, 5), reason: 'x', at: NOON }]),
  ],
  [
    'a deletion',
    async ({ deletions }) => {
      const id = newId('del', NOON)
      const created = { id, createdAt: NOON, sourceIds: null, suppress: false, users: 2 }
      await deletions.create(created, { userIds: ['u1', 'u2'], anonymousIds: ['a3'] })
      await deletions.ids(id, 'user', { after: '', limit: 200 })
      await deletions.advance(id, 'purge', NOON)
      const ids = { userIds: ['u1', 'u2'], anonymousIds: ['a3'] }
      const purge = { deletionId: id, ...ids, sourceIds: null, at: NOON }
      let cursor = await deletions.purge(purge)
      while (cursor !== null) cursor = await deletions.purge({ ...purge, cursor })
      await deletions.list({ isOpen: true }, { limit: 50 })
      await deletions.list({}, { limit: 50 })
    },
  ],
  [
    'suppressions',
    async ({ suppressions }) => {
      const user = { kind: 'user', id: 'gone77' } as const
      await suppressions.find(user, 9)
      await suppressions.list({}, { limit: 50 })
      await suppressions.list({ user }, { limit: 50 })
      await suppressions.add([
        { ...user, id: 'u9', sourceId: null, since: NOON, deletionId: 'del_a' },
      ])
      await suppressions.countSuppressed({
        sourceId: 'src_a',
        users: [{ ...user, calls: 1 }],
        at: NOON,
      })
      await suppressions.remove({ kind: 'user', id: 'u9' })
    },
  ],
  [
    'notices',
    async ({ notices, noticeQueue }) => {
      const subject = { kind: 'user', id: 'gone77' } as const
      const created = { deletionId: 'del_77', sourceId: 'src_a', destinationId: 'dst_a', subject }
      await notices.create([{ id: newId('msg', NOON), ...created, createdAt: NOON, dueAt: NOON }])
      await notices.list('del_77', { limit: 50 })
      await notices.progress('del_77')
      await noticeQueue.claimUnsplit(9)
      await noticeQueue.backlog()
    },
  ],
  [
    'profiles',
    async ({ profiles }) => {
      await profiles.find('default', 'u77')
      await profiles.count('default')
      await profiles.begin(100)
      const { through, purges } = await profiles.state()
      const base = {
        sourceId: 'src_a',
        space: 'default',
        type: 'identify',
        hasPlaceholder: false,
        facts: [],
      } as const
      const changes = Array.from({ length: 100 }, (_, n) => ({
        ...base,
        position: through! + 1 + n,
        eventId: idOf('evt', DAY, n),
        messageId: `message ${n}`,
        userId: `u${100 + n}`,
        anonymousId: `a${100 + n}`,
        links: [
          { kind: 'anonymous' as const, id: n % 2 === 0 ? `a${100 + n}` : `new${n}` },
          ...(n % 10 === 0 ? [{ kind: 'user' as const, id: `u${200 + n}` }] : []),
        ],
        timestamp: NOON,
        receivedAt: NOON,
        traits: { plan: 'free' },
      }))
      const slice = { after: through!, through: through! + 100, changes, purges, at: NOON }
      expect(await profiles.apply(slice)).toBeDefined()
    },
  ],
  [
    'evaluations',
    async ({ evaluations }) => {
      const due = await evaluations.due(NOON, 50)
      await evaluations.load([1, 2, 3])
      await evaluations.profilesOf([{ space: 'default', kind: 'user', id: 'u77' }])
      await evaluations.loadUser('default', 'u78')
      await evaluations.waiting(NOON)
      await evaluations.commit(
        due.map(({ profileId, version, userIds }) => ({
          profileId,
          version,
          recheckAt: null,
          results: [{ computationId: 'aud_a', value: true, since: NOON }],
          announcements: userIds.map((userId) => ({
            computationId: 'aud_a',
            userId,
            value: true,
            number: 2,
            at: NOON,
            event: acceptedEvent({ sourceId: 'aud_a', userId }),
          })),
        })),
      )
    },
  ],
  [
    'members and lists',
    async ({ memberships }) => {
      await memberships.sizes()
      await memberships.list('aud_a', { limit: 50, cursor: '9000' })
      await memberships.announced('aud_a', 'u5', 50)
      await memberships.listed('aud_list', { limit: 50, cursor: 'u5' })
      const list = { audienceId: 'aud_list', space: 'default' }
      await memberships.changeList(list, { add: ['u1', 'u3'], remove: ['u2'], at: NOON })
    },
  ],
  [
    'counts and sizes',
    async ({ upkeep }) => {
      await upkeep.backlog()
      await upkeep.inventory()
      await upkeep.usedBytes()
      await upkeep.missing()
    },
  ],
]

describe.skipIf(clusterSkipReason() !== undefined)('query plans', () => {
  let cluster: ErasedCluster | undefined
  let backend: Backend | undefined
  let log: PlanLog

  beforeAll(async () => {
    cluster = await ErasedCluster.open()
    await fillTables(cluster)
    log = await PlanLog.begin(cluster.server)
    backend = await openClusterBackend(cluster.options)
  }, 300_000)

  afterAll(async () => {
    await backend?.[Symbol.asyncDispose]()
    await cluster?.[Symbol.asyncDispose]()
  })

  describe('no table is scanned in full for', () => {
    test.each([...eventLists, ...deliveryLists, ...others])('%s', async (_, use) => {
      const scans = await log.scansOf(() => use(backend!))
      expect(scans.filter(({ rows }) => rows > FEW)).toEqual([])
    })

    test('a walk through all profiles, or through a sample', async () => {
      const walk = { space: 'default', clauses: [1], computationId: 'aud_a' }
      const scans = await log.scansOf(async () => {
        // From the sixth run on, the plan no longer depends on the values.
        for (let after = 0; after < 8_000; after += 1_000) {
          const profiles = await backend!.evaluations.walk({ ...walk, after })
          expect(profiles).toHaveLength(250)
          await backend!.evaluations.walk({ ...walk, after, every: 3 })
        }
      })
      expect(scans.filter(({ rows }) => rows > FEW)).toEqual([])
    })
  })

  test('a full scan by a statement without an index is detected', async () => {
    const scans = await log.scansOf(() => backend!.events.list({ userId: 'u1' }, { limit: 1 }))
    expect(scans.every(({ table }) => table !== '')).toBe(true)
    const planted = await log.scansOf(() =>
      cluster!.postgres.run(sql`SELECT count(*) FROM events WHERE rest = 'x'`),
    )
    expect(planted.some(({ rows }) => rows > FEW)).toBe(true)
  })
})
