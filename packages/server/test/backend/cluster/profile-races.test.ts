import { describe, expect, test } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import { openClusterBackend } from '../../../src/backend/cluster/open.ts'
import type { LoadedProfile } from '../../../src/backend/evaluations.ts'
import type { ProfileChange } from '../../../src/backend/profiles.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { purgeUser } from '../conformance/deletions/purge-requests.ts'
import { anonymous, changeOf, follow, user } from '../conformance/profiles/profile-changes.ts'
import { type ClusterHarness, openClusterHarness } from './open-cluster-harness.ts'

const ROUNDS = 30

/** Opens two nodes of one cluster. */
async function openTwo(): Promise<
  AsyncDisposable & { readonly harness: ClusterHarness; readonly other: Backend }
> {
  await using stack = new AsyncDisposableStack()
  const harness = stack.use(await openClusterHarness())
  const other = stack.use(await openClusterBackend(harness.options))
  const open = stack.move()
  return { harness, other, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** Finds rows without a profile, duplicate ids and wrong counts. */
async function strays(harness: ClusterHarness): Promise<readonly unknown[]> {
  return harness.sql(`
    SELECT 'facts' AS stray FROM facts WHERE identity NOT IN (SELECT id FROM identities) UNION ALL
    SELECT 'traits' FROM identity_traits WHERE identity NOT IN (SELECT id FROM identities) UNION ALL
    SELECT 'values' FROM trait_values WHERE identity NOT IN (SELECT id FROM identities) UNION ALL
    SELECT 'results' FROM results WHERE profile NOT IN (SELECT id FROM identities WHERE profile = id) UNION ALL
    SELECT 'claims' FROM claims WHERE anonymous NOT IN (SELECT id FROM identities)
      OR claimer NOT IN (SELECT id FROM identities) UNION ALL
    SELECT 'led' FROM identities WHERE profile NOT IN (SELECT id FROM identities WHERE profile = id) UNION ALL
    SELECT 'dirty' FROM identities WHERE dirty_since IS NOT NULL AND profile <> id UNION ALL
    SELECT name FROM identities GROUP BY space, kind, name HAVING count(*) > 1 UNION ALL
    SELECT name FROM spaces WHERE profiles <> (SELECT count(*) FROM identities WHERE space = spaces.name AND profile = id) UNION ALL
    SELECT id FROM computations WHERE size <> (SELECT count(*) FROM results WHERE computation = number)`)
}

/** Applies changes as the next slice, retrying until it is applied. */
async function applyNext({ profiles }: Backend, changes: readonly Partial<ProfileChange>[]) {
  for (;;) {
    const { through, purges } = await profiles.state()
    const after = through!
    const placed = changes.map((change, index) => changeOf(after + index + 1, change))
    const slice = { after, through: after + changes.length, changes: placed, purges, at: NOON }
    if (await profiles.apply(slice)) return
  }
}

const evaluatedOf = ({ profileId, version, results }: LoadedProfile) => ({
  profileId,
  version,
  recheckAt: null,
  announcements: [],
  results: [
    {
      computationId: 'aud_a',
      value: results.has('aud_a') ? undefined : true,
      since: NOON,
    },
  ],
})

describe.skipIf(clusterSkipReason() !== undefined)('two nodes', () => {
  test('that follow the archive together apply each slice once', async () => {
    await using open = await openTwo()
    const { harness, other } = open
    await follow(harness, [{}])
    for (let round = 0; round < ROUNDS; round++) {
      const { through: after, purges } = await other.profiles.state()
      const through = after! + 2
      const changes = [1, 2].map((step) =>
        changeOf(after! + step, {
          type: 'track',
          userId: `u${step}`,
          links: [user(`u${3 - step}`)],
        }),
      )
      const slice = { after: after!, through, changes, purges, at: NOON }
      const applied = await Promise.all(
        [harness.backend, other].map(({ profiles }) => profiles.apply(slice)),
      )
      expect(applied.filter(Boolean)).toHaveLength(1)
    }
    const profile = await other.profiles.find('default', 'u2')
    expect(profile).toMatchObject({ userIds: ['u1', 'u2'], counts: { track: 2 * ROUNDS } })
    expect(await strays(harness)).toEqual([])
  })

  test("leave no data about a user that one purges while the other applies a slice with that user's events", async () => {
    await using open = await openTwo()
    const { harness, other } = open
    await follow(harness, [{}])
    for (let round = 0; round < ROUNDS; round++) {
      const { through: after, purges } = await other.profiles.state()
      const change = changeOf(after! + 1, { traits: { round }, links: [user(`u${round + 2}`)] })
      const slice = { after: after!, through: after! + 1, changes: [change], purges, at: NOON }
      await Promise.all([other.profiles.apply(slice), purgeUser(harness, 'u1')])
      expect(await harness.backend.profiles.find('default', 'u1')).toBeUndefined()
    }
    expect(await harness.backend.profiles.count('default')).toBe(0)
    expect(await strays(harness)).toEqual([])
  })

  test('store no result for a profile that one evaluates while the other purges or links it', async () => {
    await using open = await openTwo()
    const { harness, other } = open
    await follow(harness, [{}])
    for (let round = 0; round < ROUNDS; round++) {
      const users = [1, 2, 3, 4].map((number) => `u${round}-${number}`)
      await applyNext(
        other,
        users.map((userId) => ({ userId, links: [anonymous(`a${userId}`)] })),
      )
      const due = await harness.backend.evaluations.due(NOON, 100)
      await Promise.all([
        harness.backend.evaluations.commit(due.map(evaluatedOf)),
        applyNext(other, [{ userId: users[3]!, links: users.slice(1, 3).map(user) }]),
        purgeUser({ ...harness, backend: other }, users[0]!),
      ])
    }
    expect(await other.profiles.count('default')).toBe(1 + ROUNDS)
    expect(await strays(harness)).toEqual([])
  })

  test('leave no value from a user in an index that one builds while the other purges the user', async () => {
    await using open = await openTwo()
    const { harness, other } = open
    await follow(harness, [])
    for (let round = 0; round < ROUNDS; round++) {
      await applyNext(other, [{ traits: { [`t${round % 10}`]: 'x' } }])
      const query = { space: 'default', trait: { name: `t${round % 10}`, value: 'x' } }
      await other.profiles.list(query, { limit: 1 }, NOON)
      await Promise.all([
        harness.backend.profiles.index(0),
        purgeUser({ ...harness, backend: other }, 'u1'),
      ])
    }
    expect(await harness.sql('SELECT * FROM trait_values')).toEqual([])
  })

  test('create one profile for a user that one adds to a list while the other applies an event from the user', async () => {
    await using open = await openTwo()
    const { harness, other } = open
    await follow(harness, [])
    for (let round = 0; round < ROUNDS; round++) {
      const list = { audienceId: 'aud_list', space: 'default' }
      const add = [`u${round}`, `v${round}`]
      await Promise.all([
        harness.backend.memberships.changeList(list, { add, remove: [], at: NOON }),
        applyNext(
          other,
          add.map((userId) => ({ userId })),
        ),
      ])
    }
    expect(await other.profiles.count('default')).toBe(2 * ROUNDS)
    expect(await strays(harness)).toEqual([])
  })

  test('add a clause once, and fill it while events are counted', async () => {
    await using open = await openTwo()
    const { harness, other } = open
    await follow(harness, [{}, {}, {}, {}])
    const clause = {
      definition: 'a',
      retention: { maxAgeMs: null, maxCount: 99 },
      reachesBackTo: null,
    }
    const [a, b] = await Promise.all([harness.backend, other].map(({ facts }) => facts.put(clause)))
    expect(a).toEqual(b)
    expect(await other.facts.clauses()).toEqual([a])
    const { purges } = await other.profiles.state()
    const facts = [1, 2, 3, 4].map((position) => ({
      clause: a!.number,
      space: 'default',
      ids: [user('u1')],
      at: NOON,
      position,
      value: null,
    }))
    const slice = { clauses: [a!.number], through: 4, facts, purges, at: NOON }
    const counted = { type: 'track', facts: [{ clause: a!.number, value: null }] } as const
    const filled = await Promise.all([
      harness.backend.facts.fill(slice),
      other.facts.fill(slice),
      applyNext(other, [counted, counted]),
      other.facts.prune({ now: NOON }),
    ])
    expect(filled.slice(0, 2)).toEqual([true, true])
    const { facts: kept } = (await other.evaluations.loadUser('default', 'u1'))!
    expect(kept.get(a!.number)?.map(({ position }) => position)).toEqual([6, 5, 4, 3, 2, 1])
  })
})
