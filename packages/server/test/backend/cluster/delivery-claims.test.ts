import type { Delivery } from '@hookline/protocol'
import type { RawBuilder } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type Backend, BackendUnavailableError } from '../../../src/backend/backend.ts'
import { PostgresDeliveries } from '../../../src/backend/cluster/deliveries/postgres-delivery-queue.ts'
import { ClaimingNode } from '../../../src/backend/cluster/deliveries/claiming-node.ts'
import { PostgresLanes } from '../../../src/backend/cluster/deliveries/postgres-lanes.ts'
import { openClusterBackend } from '../../../src/backend/cluster/open.ts'
import { PostgresReads } from '../../../src/backend/cluster/postgres/postgres-store.ts'
import { Postgres } from '../../../src/backend/cluster/postgres/postgres.ts'
import { SecretBox } from '../../../src/util/secrets/secret-box.ts'
import { type Clock, systemClock } from '../../../src/util/time/clock.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { purgeUser } from '../conformance/deletions/purge-requests.ts'
import {
  attemptOf,
  deliveryOf,
  idsOf,
  LANE,
  lastOf,
  OTHER_LANE,
  partOf,
  recordDelivery,
} from '../conformance/deliveries/recorded-delivery.ts'
import { type ClusterHarness, openClusterHarness } from './open-cluster-harness.ts'

type Node = Pick<Backend, 'deliveries'>

const BOTH = [partOf(), partOf({ url: OTHER_LANE.url })]
const claimIn = async ({ deliveries }: Node, lane = LANE, limit = 99): Promise<string[]> =>
  idsOf(await deliveries.claim(lane, { due: NOON, limit }))

/** A clock without timers: its node never renews a lease. */
const ASLEEP: Clock = { ...systemClock, after: () => () => undefined }

/** PostgreSQL behind a connection that can be interrupted once, after a statement and before its response. */
class InterruptedPostgres extends Postgres {
  afterNext: (() => unknown) | undefined

  override async run<Row>(statement: RawBuilder<Row>): Promise<Row[]> {
    const rows = await super.run(statement)
    const interrupt = this.afterNext
    this.afterNext = undefined
    await interrupt?.()
    return rows
  }
}

function loseResponse(): never {
  throw new BackendUnavailableError('The response was lost.')
}

interface OpenedNode extends Node, AsyncDisposable {
  readonly postgres: InterruptedPostgres
}

/** Opens only the deliveries of another node, on the harness's database. */
async function openNode(
  { options }: ClusterHarness,
  { clock = systemClock, claimMs }: { readonly clock?: Clock; readonly claimMs?: number } = {},
): Promise<OpenedNode> {
  const stack = new AsyncDisposableStack()
  const box = new SecretBox(SecretBox.keysIn(options.encryptionKey.reveal())!)
  const postgres = stack.use(new InterruptedPostgres({ url: options.databaseUrl }))
  const claiming = { postgres, clock, leaseMs: claimMs, schema: 0 }
  const node = stack.use(await ClaimingNode.open(claiming))
  const queue = { postgres, node, lanes: new PostgresLanes(postgres, box) }
  const deliveries = new PostgresDeliveries(queue, new PostgresReads(postgres))
  return { deliveries, postgres, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** Claims as usual, but runs `change` after the claim and before its deliveries are read. */
async function claimInterrupted(node: OpenedNode, change: () => unknown) {
  // The first claim in a lane looks up its number.
  await claimIn(node, LANE, 0)
  node.postgres.afterNext = change
  return node.deliveries.claim(LANE, { due: NOON, limit: 9 })
}

/** Opens a node whose lease expires right after a claim. */
const openSleeper = (harness: ClusterHarness): Promise<OpenedNode> =>
  openNode(harness, { clock: ASLEEP, claimMs: 1 })

async function recordMany(harness: ClusterHarness, count: number, change: Partial<Delivery> = {}) {
  const events = Array.from({ length: count }, () => acceptedEvent())
  await harness.backend.log.append(events)
  await harness.settle()
  const all = events.map((event) => deliveryOf(event, change))
  await harness.backend.deliveries.record(all.map((delivery) => ({ delivery, attempts: [] })))
  return all.map(({ id }) => id).toSorted()
}

describe.skipIf(clusterSkipReason() !== undefined)('claims of several nodes', () => {
  test('never overlap when the nodes claim in the same lane at once', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    const ids = await recordMany(harness, 300)
    const claimed: string[] = []
    while (claimed.length < ids.length) {
      const nodes = [harness.backend, other, harness.backend, other]
      const slices = await Promise.all(nodes.map((node) => claimIn(node, LANE, 20)))
      claimed.push(...slices.flat())
    }
    expect(claimed.toSorted()).toEqual(ids)
    expect(await claimIn(other)).toEqual([])
    expect((await other.deliveries.waiting()).lanes).toEqual([])
  })

  test('on parts of one delivery belong to one node, even in different lanes', async () => {
    await using harness = await openClusterHarness()
    await using other = await openNode(harness)
    const ids = await recordMany(harness, 50, { webhooks: BOTH })
    const mine = new Set<string>()
    const theirs = new Set<string>()
    while (mine.size + theirs.size < ids.length) {
      const [here, there] = await Promise.all([
        claimIn(harness.backend, LANE, 7),
        claimIn(other, OTHER_LANE, 7),
      ])
      for (const id of here) mine.add(id)
      for (const id of there) theirs.add(id)
    }
    expect(mine.intersection(theirs).size).toBe(0)
    expect(mine.union(theirs).size).toBe(ids.length)
    // The other parts wait for the node that claimed the delivery.
    expect((await claimIn(harness.backend, OTHER_LANE)).toSorted()).toEqual([...mine].toSorted())
    expect((await claimIn(other, LANE)).toSorted()).toEqual([...theirs].toSorted())
  })

  test('show the other parts of the delivery as waiting only to the node that claimed it', async () => {
    await using harness = await openClusterHarness()
    await using other = await openNode(harness)
    const { id } = await recordDelivery(harness, { webhooks: BOTH })
    expect(await claimIn(other)).toEqual([id])
    expect((await harness.backend.deliveries.waiting()).lanes).toEqual([])
    const { lanes } = await other.deliveries.waiting()
    expect(lanes).toEqual([{ ...OTHER_LANE, dueAt: NOON, isHeld: false }])
  })

  test('keep out a node that has created the same delivery from its event', async () => {
    await using harness = await openClusterHarness()
    await using other = await openNode(harness)
    const delivery = await recordDelivery(harness)
    expect(await claimIn(harness.backend)).toEqual([delivery.id])
    const ended = { ...delivery, state: 'rejected', dueAt: null } as const
    await other.deliveries.record([{ delivery: ended, attempts: [] }])
    expect(await harness.backend.deliveries.find(delivery.id)).toMatchObject(delivery)
    await harness.backend.deliveries.record([{ delivery: ended, attempts: [] }])
    expect(await other.deliveries.find(delivery.id)).toMatchObject(ended)
  })

  test('end immediately when their node is closed', async () => {
    await using harness = await openClusterHarness()
    const { id } = await recordDelivery(harness)
    {
      await using other = await openNode(harness)
      expect(await claimIn(other)).toEqual([id])
      expect(await claimIn(harness.backend)).toEqual([])
    }
    expect(await claimIn(harness.backend)).toEqual([id])
  })

  test('of a dead node end when its lease expires, not before', async () => {
    await using harness = await openClusterHarness()
    await using alive = await openNode(harness, { clock: ASLEEP })
    await using dead = await openSleeper(harness)
    const [first, second] = await recordMany(harness, 2)
    expect(await claimIn(alive, LANE, 1)).toEqual([first])
    expect(await claimIn(dead)).toEqual([second])
    await expect.poll(() => claimIn(harness.backend)).toEqual([second])
    expect(await claimIn(harness.backend)).toEqual([])
  })

  test('are renewed while their node is running', async () => {
    await using harness = await openClusterHarness()
    await using working = await openNode(harness, { claimMs: 400 })
    const leases = () =>
      harness.sql(`SELECT id, until > now() AS "isAlive", until::text FROM
      claiming_nodes ORDER BY until LIMIT 1`)
    const before = await leases()
    await recordDelivery(harness)
    expect(await claimIn(working)).toHaveLength(1)
    await expect.poll(async () => (await leases())[0]!['until']).not.toEqual(before[0]!['until'])
    expect((await leases())[0]!['isAlive']).toBe(true)
    expect(await claimIn(harness.backend)).toEqual([])
  })
})

describe.skipIf(clusterSkipReason() !== undefined)('a node that slept through its lease', () => {
  /** A delivery that the sleeper has claimed, and another node has taken over. */
  async function takenOver(harness: ClusterHarness, sleeper: OpenedNode): Promise<Delivery> {
    const delivery = await recordDelivery(harness)
    expect(await claimIn(sleeper)).toEqual([delivery.id])
    await expect.poll(() => claimIn(harness.backend)).toEqual([delivery.id])
    return delivery
  }

  const delivered = (delivery: Delivery): Delivery => {
    const lastAttempt = lastOf(
      attemptOf({ id: 'att_late', outcome: 'delivered', class: 'delivered' }),
    )
    const webhooks = [partOf({ state: 'delivered', lastAttempt })]
    return { ...delivery, state: 'delivered', attemptCount: 1, dueAt: null, webhooks }
  }

  test('changes no delivery that another node is working on or has rescheduled', async () => {
    await using harness = await openClusterHarness()
    await using sleeper = await openSleeper(harness)
    const { deliveries } = harness.backend
    const delivery = await takenOver(harness, sleeper)
    const late = { delivery: delivered(delivery), attempts: [attemptOf({ id: 'att_late' })] }
    await sleeper.deliveries.record([late])
    expect(await deliveries.find(delivery.id)).toMatchObject(delivery)
    const failed = attemptOf()
    const webhooks = [partOf({ dueAt: NOON + 5, lastAttempt: lastOf(failed) })]
    const retried = { ...delivery, attemptCount: 1, dueAt: NOON + 5, webhooks }
    await deliveries.record([{ delivery: retried, attempts: [failed] }])
    expect(await deliveries.find(delivery.id)).toMatchObject(retried)
    expect(await claimIn(harness.backend)).toEqual([])
  })

  test('does not end a delivery that the other node has rescheduled', async () => {
    await using harness = await openClusterHarness()
    await using sleeper = await openSleeper(harness)
    const { deliveries } = harness.backend
    const delivery = await takenOver(harness, sleeper)
    const webhooks = [partOf({ dueAt: NOON + 5 })]
    const retried = { ...delivery, attemptCount: 1, dueAt: NOON + 5, webhooks }
    await deliveries.record([{ delivery: retried, attempts: [] }])
    const ended = { ...delivered(delivery), state: 'rejected' } as const
    await sleeper.deliveries.record([{ delivery: ended, attempts: [] }])
    expect(await deliveries.find(delivery.id)).toMatchObject(retried)
    const later = await deliveries.claim(LANE, { due: NOON + 5, limit: 9 })
    expect(idsOf(later)).toEqual([delivery.id])
  })

  test('keeps its attempts as history, and does not end the claim of the other node', async () => {
    await using harness = await openClusterHarness()
    await using sleeper = await openSleeper(harness)
    const delivery = await takenOver(harness, sleeper)
    const failed = attemptOf({ id: 'att_late' })
    const ended = { ...delivery, state: 'rejected', dueAt: null } as const
    await sleeper.deliveries.record([{ delivery: ended, attempts: [failed] }])
    await sleeper.deliveries.release([delivery.id])
    const found = await harness.backend.deliveries.find(delivery.id)
    expect(found).toEqual({ ...delivery, attempts: [failed] })
    await using third = await openNode(harness)
    expect(await claimIn(third)).toEqual([])
  })

  test('changes no part of a delivery if another node has claimed one of them', async () => {
    await using harness = await openClusterHarness()
    await using sleeper = await openSleeper(harness)
    const { deliveries } = harness.backend
    const delivery = await recordDelivery(harness, { webhooks: BOTH })
    expect(await claimIn(sleeper, OTHER_LANE)).toEqual([delivery.id])
    await expect.poll(() => claimIn(harness.backend, LANE)).toEqual([delivery.id])
    const webhooks = [partOf({ dueAt: NOON + 5, lastAttempt: lastOf(attemptOf()) }), BOTH[1]!]
    const retried = { ...delivery, attemptCount: 1, webhooks }
    await deliveries.record([{ delivery: retried, attempts: [] }])
    const late = [BOTH[0]!, partOf({ url: OTHER_LANE.url, dueAt: NOON + 9 })]
    await sleeper.deliveries.record([
      { delivery: { ...delivery, attemptCount: 1, webhooks: late }, attempts: [] },
    ])
    expect(await deliveries.find(delivery.id)).toMatchObject(retried)
  })

  test('records a delivery that no other node has taken over', async () => {
    await using harness = await openClusterHarness()
    await using sleeper = await openSleeper(harness)
    const delivery = await recordDelivery(harness)
    expect(await claimIn(sleeper)).toEqual([delivery.id])
    const isDead = () => harness.sql('SELECT 1 FROM claiming_nodes WHERE until < now()')
    await expect.poll(isDead).toHaveLength(1)
    await sleeper.deliveries.record([{ delivery: delivered(delivery), attempts: [] }])
    const found = await harness.backend.deliveries.find(delivery.id)
    expect(found).toMatchObject({ state: 'delivered' })
    expect(await claimIn(harness.backend)).toEqual([])
  })
})

describe.skipIf(clusterSkipReason() !== undefined)('nodes that record deliveries', () => {
  test('create one delivery for an event that both have', async () => {
    await using harness = await openClusterHarness()
    await using other = await openNode(harness)
    const events = Array.from({ length: 40 }, () => acceptedEvent())
    await harness.backend.log.append(events)
    await harness.settle()
    const records = events.map((event) => ({
      delivery: deliveryOf(event, { state: 'delivered', attemptCount: 1 }),
      attempts: [],
    }))
    const [there, here] = [other.deliveries, harness.backend.deliveries]
    const parked = records.map(({ delivery }) => ({
      delivery: { ...delivery, state: 'pending', dueAt: NOON, webhooks: BOTH } as const,
      attempts: [],
    }))
    await Promise.all([there.record(parked), here.record(records.toReversed())])
    const { data } = await here.list({}, { limit: 99 })
    expect(data).toHaveLength(events.length)
    // A delivered event is not attempted again, in either order.
    expect(new Set(data.map(({ state }) => state))).toEqual(new Set(['delivered']))
    expect(await claimIn(harness.backend)).toEqual([])
  })

  test('give a new lane one number', async () => {
    await using harness = await openClusterHarness()
    await using other = await openNode(harness)
    const events = [acceptedEvent(), acceptedEvent()]
    await harness.backend.log.append(events)
    await harness.settle()
    await Promise.all(
      [harness.backend, other].map(({ deliveries }, index) =>
        deliveries.record([{ delivery: deliveryOf(events[index]!), attempts: [] }]),
      ),
    )
    expect(await harness.sql('SELECT number FROM lanes')).toHaveLength(1)
    expect(await claimIn(other)).toHaveLength(2)
  })

  test('encrypt webhook URLs in every table', async () => {
    await using harness = await openClusterHarness()
    const url = 'https://user:topsecret@example.com/'
    const failed = attemptOf({ url })
    const webhooks = [partOf({ url, lastAttempt: lastOf(failed) })]
    const delivery = await recordDelivery(harness, { attemptCount: 1, webhooks })
    await harness.backend.deliveries.record([{ delivery, attempts: [failed] }])
    const stored = await harness.sql(`SELECT webhooks AS text FROM deliveries UNION ALL
      SELECT document FROM attempts UNION ALL SELECT concat(lanes.*) FROM lanes`)
    expect(stored).toHaveLength(3)
    expect(JSON.stringify(stored)).not.toContain('topsecret')
  })
})

describe.skipIf(clusterSkipReason() !== undefined)(
  'a delivery that changes after its claim',
  () => {
    test('is not mistaken for a corrupted one, and its retry is not lost', async () => {
      await using harness = await openClusterHarness()
      await using node = await openNode(harness)
      const { id } = await recordDelivery(harness)
      const retry = () => harness.backend.replays.retry(id, NOON)
      const claim = await claimInterrupted(node, retry)
      expect(claim).toEqual({ deliveries: [], unreadable: [] })
      expect(idsOf(await harness.backend.deliveries.claimUnsplit(9))).toEqual([id])
    })

    test('is not quarantined if its user was purged', async () => {
      await using harness = await openClusterHarness()
      await using node = await openNode(harness)
      await recordDelivery(harness, {}, acceptedEvent({ userId: 'u1' }))
      const claim = await claimInterrupted(node, () => purgeUser(harness, 'u1'))
      expect(claim).toEqual({ deliveries: [], unreadable: [] })
    })
  },
)

describe.skipIf(clusterSkipReason() !== undefined)('a claim whose response was lost', () => {
  test('ends once the database responds again, and other claims are kept', async () => {
    await using harness = await openClusterHarness()
    await using node = await openNode(harness)
    const [first, second] = await recordMany(harness, 2)
    expect(await claimIn(node, LANE, 1)).toEqual([first])
    node.postgres.afterNext = loseResponse
    await expect(claimIn(node, LANE, 1)).rejects.toThrow(BackendUnavailableError)
    expect(await claimIn(harness.backend)).toEqual([])
    const { lanes } = await node.deliveries.waiting()
    expect(lanes).toEqual([{ ...LANE, dueAt: NOON, isHeld: false }])
    expect(await claimIn(harness.backend)).toEqual([second])
  })

  test('ends after a release whose response was lost', async () => {
    await using harness = await openClusterHarness()
    await using node = await openNode(harness)
    const { id } = await recordDelivery(harness)
    expect(await claimIn(node)).toEqual([id])
    node.postgres.afterNext = loseResponse
    await node.deliveries.release([id])
    await node.deliveries.waiting()
    expect(await claimIn(harness.backend)).toEqual([id])
  })
})
