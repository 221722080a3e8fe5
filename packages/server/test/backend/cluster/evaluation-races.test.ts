import { describe, expect, test } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import { openClusterBackend } from '../../../src/backend/cluster/open.ts'
import type { EvaluatedProfile, LoadedProfile } from '../../../src/backend/evaluations.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { purgeUser } from '../conformance/deletions/purge-requests.ts'
import { announce, follow } from '../conformance/profiles/profile-changes.ts'
import { type ClusterHarness, openClusterHarness } from './open-cluster-harness.ts'

const USERS = Array.from({ length: 40 }, (_, index) => `u${index}`)
const LIST = { audienceId: 'aud_list', space: 'default' }

interface Nodes extends AsyncDisposable {
  readonly harness: ClusterHarness
  readonly a: Backend
  readonly b: Backend
}

async function openNodes(): Promise<Nodes> {
  const stack = new AsyncDisposableStack()
  const harness = stack.use(await openClusterHarness())
  const b = stack.use(await openClusterBackend(harness.options))
  return { harness, a: harness.backend, b, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** A profile that enters two audiences. Each call announces it with new events, as each node would. */
function evaluatedOf({ profileId, version, userIds }: LoadedProfile): EvaluatedProfile {
  const results = ['aud_a', 'aud_b'].map((computationId) => ({
    computationId,
    value: true,
    since: NOON,
  }))
  const announcements = userIds.map((userId) => announce(userId))
  return { profileId, version, results, announcements, recheckAt: null }
}

/** Counts the rows in a FROM clause. */
async function count(harness: ClusterHarness, from: string): Promise<number> {
  const [row] = await harness.sql(`SELECT count(*)::int AS count FROM ${from}`)
  return Number(row!['count'])
}

const RESULTS_OF_NOTHING = `results AS r WHERE NOT EXISTS (SELECT FROM identities WHERE id = r.profile AND profile = id)
  OR NOT EXISTS (SELECT FROM computations WHERE number = r.computation)`

describe.skipIf(clusterSkipReason() !== undefined)('two nodes', () => {
  test('that evaluate the same profiles concurrently store and announce each change once', async () => {
    await using nodes = await openNodes()
    const { harness, a, b } = nodes
    await follow(
      harness,
      USERS.map((userId) => ({ userId })),
    )
    const due = await Promise.all([a, b].map(({ evaluations }) => evaluations.due(NOON, 100)))
    const [ofA, ofB] = due.map((profiles) => profiles.map(evaluatedOf))
    // Overlapping slices, in a different order on each node.
    const commits = [0, 10, 20, 30].flatMap((from) => [
      a.evaluations.commit(ofA!.slice(from, from + 15)),
      b.evaluations.commit(ofB!.toReversed().slice(from, from + 15)),
    ])
    const stored = (await Promise.all(commits)).flat()
    expect(stored.map(({ profileId }) => profileId).toSorted((x, y) => x - y)).toEqual(
      due[0]!.map(({ profileId }) => profileId).toSorted((x, y) => x - y),
    )
    expect(Object.fromEntries(await b.memberships.sizes())).toEqual({ aud_a: 40, aud_b: 40 })
    expect(await b.memberships.announced('aud_a', '', 99)).toHaveLength(40)
    await harness.settle()
    const { data } = await b.events.list({}, { limit: 99 })
    const announced = stored.flatMap(({ announcements }) =>
      announcements.map(({ event }) => event.id),
    )
    expect(data.map(({ id }) => id).toSorted()).toEqual(announced.toSorted())
    expect(data.filter(({ duplicates }) => duplicates > 0)).toEqual([])
    expect(await a.evaluations.due(NOON, 9)).toEqual([])
  })

  test('leave no data about a user that one purges while the other evaluates', async () => {
    await using nodes = await openNodes()
    const { harness, a, b } = nodes
    for (const userId of USERS.slice(0, 10)) {
      await follow(harness, [{ userId }])
      const due = (await b.evaluations.due(NOON, 9)).map(evaluatedOf)
      await Promise.all([purgeUser(harness, userId), b.evaluations.commit(due)])
    }
    expect(await count(harness, 'results')).toBe(0)
    expect(await count(harness, 'announced')).toBe(0)
    expect(Object.fromEntries(await a.memberships.sizes())).toEqual({ aud_a: 0, aud_b: 0 })
  })

  test('leave no results of a computation that one removes while the other evaluates', async () => {
    await using nodes = await openNodes()
    const { harness, a, b } = nodes
    await follow(
      harness,
      USERS.map((userId) => ({ userId })),
    )
    const due = (await b.evaluations.due(NOON, 99)).map(evaluatedOf)
    const forget = async (): Promise<void> => {
      while (await a.memberships.forget('aud_a'));
    }
    await Promise.all(due.flatMap((each) => [b.evaluations.commit([each]), forget()]))
    expect(await count(harness, RESULTS_OF_NOTHING)).toBe(0)
    await forget()
    expect(Object.fromEntries(await b.memberships.sizes())).toEqual({ aud_b: 40 })
    expect(await count(harness, 'announced')).toBe(0)
  })

  test('create each profile once while they change lists, evaluate profiles and follow the log', async () => {
    await using nodes = await openNodes()
    const { harness, a, b } = nodes
    const evaluate = async (): Promise<void> => {
      const due = await b.evaluations.due(NOON, 99)
      await b.evaluations.commit(due.toReversed().map(evaluatedOf))
    }
    const change = { add: USERS, remove: [], at: NOON }
    await Promise.all([
      a.memberships.changeList(LIST, change),
      b.memberships.changeList(LIST, { ...change, add: USERS.toReversed() }),
      a.memberships.changeList({ ...LIST, audienceId: 'aud_a' }, change),
      follow(
        harness,
        USERS.map((userId) => ({ userId })),
      ),
      evaluate(),
      evaluate(),
    ])
    expect(await b.profiles.count('default')).toBe(40)
    expect(await count(harness, 'identities')).toBe(40)
    const { data } = await b.memberships.listed('aud_list', { limit: 99 })
    expect(data.map(({ userId }) => userId)).toEqual(USERS.toSorted())
  })

  test('that advance a sync from the same state advance it once', async () => {
    await using nodes = await openNodes()
    const { a, b } = nodes
    const sync = {
      id: 'syn_a',
      computationId: 'aud_a',
      reason: 'requested',
      version: 1,
      destinationIds: [],
      addedDestinationIds: [],
      formerDestinationIds: [],
      state: 'running',
      createdAt: NOON,
      startedAt: NOON,
      finishedAt: null,
      evaluated: 0,
      announced: 0,
      entered: 0,
      left: 0,
      missed: 0,
      afterProfile: 0,
      afterUser: null,
      error: null,
    } as const
    await a.syncs.put(sync)
    const advanced = await Promise.all(
      [a, b, a, b].map(({ syncs }, evaluated) =>
        syncs.advance(sync, { ...sync, evaluated: evaluated + 1 }),
      ),
    )
    expect(advanced.filter((isAdvanced) => isAdvanced)).toHaveLength(1)
    expect(await b.syncs.open()).toEqual([{ ...sync, evaluated: advanced.indexOf(true) + 1 }])
  })
})

describe.skipIf(clusterSkipReason() !== undefined)('a commit on PostgreSQL', () => {
  test('stores nothing if its events cannot be appended', async () => {
    await using harness = await openClusterHarness()
    const { evaluations, memberships } = harness.backend
    await follow(harness, [{ userId: 'u1' }])
    const [profile] = await evaluations.due(NOON, 9)
    await harness.sql(`ALTER TABLE outbox ADD CONSTRAINT refuse CHECK (false)`)
    await expect(evaluations.commit([evaluatedOf(profile!)])).rejects.toThrow('refuse')
    expect(await evaluations.due(NOON, 9)).toEqual([profile])
    expect((await memberships.sizes()).size).toBe(0)
    await harness.sql(`ALTER TABLE outbox DROP CONSTRAINT refuse`)
    expect(await evaluations.commit([evaluatedOf(profile!)])).toHaveLength(1)
  })

  test(
    'appends any number of events, in order for each computation',
    { timeout: 30_000 },
    async () => {
      await using harness = await openClusterHarness()
      const { evaluations } = harness.backend
      await follow(harness, [{ userId: 'u1' }])
      const [profile] = await evaluations.due(NOON, 9)
      const announcements = Array.from({ length: 5_000 }, (_, number) => announce('u1', number))
      await evaluations.commit([{ ...evaluatedOf(profile!), announcements }])
      await harness.settle()
      const { events } = await harness.backend.followedLog.read({ after: 0, limit: 9_999 })
      expect(events.map(({ event }) => event.messageId)).toEqual(
        announcements.map(({ event }) => event.messageId),
      )
    },
  )
})
