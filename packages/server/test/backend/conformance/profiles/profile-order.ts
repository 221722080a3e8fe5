import type { Json } from '@hookline/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ProfileChange } from '../../../../src/backend/profiles.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import type { BackendHarness, OpenBackendHarness } from '../backend-harness.ts'
import { anonymous, changeOf, follow, settle, user } from './profile-changes.ts'
import { SEED } from '@hookline/testing/run/seed'

const RUNS = 60
const USERS = ['u1', 'u2', 'u3', 'u4']
const ANONYMOUS = ['a1', 'a2', 'u1']

const userId = fc.constantFrom(...USERS)
const anonymousId = fc.constantFrom(...ANONYMOUS)
/** Few distinct times, so that many are equal. */
const time = fc.integer({ min: NOON, max: NOON + 3 })
const traits = fc.dictionary(
  fc.constantFrom('plan', '__proto__', 'a.b"'),
  fc.constantFrom<Json>(null, 1, 'x', { a: [null] }),
)

const event = fc.oneof(
  fc.record({ type: fc.constant('identify' as const), userId, traits }),
  fc.record({ type: fc.constant('identify' as const), anonymousId, traits }),
  fc.record({ userId, anonymousId, traits }).map(({ anonymousId: id, ...rest }) => ({
    type: 'identify' as const,
    links: [anonymous(id)],
    ...rest,
  })),
  fc.record({ userId, previousId: userId }).map(({ previousId, ...rest }) => ({
    type: 'alias' as const,
    links: [user(previousId)],
    ...rest,
  })),
  fc.record({ type: fc.constant('track' as const), userId, counts: fc.boolean() }),
  fc.record({ type: fc.constant('page' as const), anonymousId, counts: fc.boolean() }),
)

/** Events in the order of the log, and an order in which they are applied. */
const history = fc
  .array(fc.record({ event, timestamp: time, receivedAt: time }), { minLength: 1, maxLength: 24 })
  .chain((events) =>
    fc.record({
      events: fc.constant(events),
      order: fc.shuffledSubarray([...events.keys()], { minLength: events.length }),
      slices: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 24, maxLength: 24 }),
      repeats: fc.array(fc.boolean(), { minLength: 24, maxLength: 24 }),
    }),
  )

type History = typeof history extends fc.Arbitrary<infer T> ? T : never

/** Uses one space per case, because the cases share a backend. */
function changesOf({ events }: History, space: string, clause: number): ProfileChange[] {
  return events.map(({ event: { ...fields }, timestamp, receivedAt }, index) => {
    const { counts = false, ...rest } = fields as Partial<ProfileChange> & { counts?: boolean }
    const facts = counts ? [{ clause, value: index }] : []
    // Old facts are trimmed at each of these positions.
    return changeOf(index * 32, { ...rest, space, timestamp, receivedAt, facts })
  })
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : 1

/** All readable data in a space. Linked anonymousIds are read through their users. */
async function readAll({ backend }: BackendHarness, space: string): Promise<unknown> {
  const users = await Promise.all(
    USERS.map(async (id) => {
      const facts = (await backend.evaluations.loadUser(space, id))?.facts
      const profile = await backend.profiles.find(space, id)
      return { profile, facts: [...(facts?.values() ?? [])] }
    }),
  )
  const all = await backend.evaluations.due(NOON, 10_000)
  const mine = all.filter((profile) => profile.space === space)
  const withoutUser = mine
    .filter(({ userIds }) => userIds.length === 0)
    .map(({ traits: kept, facts }) =>
      JSON.stringify([Object.entries(kept).toSorted(byName), [...facts]]),
    )
  return { users, withoutUser: withoutUser.toSorted(), count: await backend.profiles.count(space) }
}

/** Applies the changes slice by slice, and repeats some slices as after a lost ack. */
async function applyAll(
  harness: BackendHarness,
  changes: readonly ProfileChange[],
  { slices, repeats }: Pick<History, 'slices' | 'repeats'>,
): Promise<void> {
  const { profiles } = harness.backend
  let from = 0
  for (let slice = 0; from < changes.length; slice++) {
    const some = changes.slice(from, from + slices[slice]!)
    from += some.length
    const { through: after, purges } = await profiles.state()
    const input = { after: after!, through: after! + some.length, changes: some, purges, at: NOON }
    expect(await profiles.apply(input)).toBeDefined()
    if (repeats[slice]) expect(await profiles.apply(input)).toBeUndefined()
  }
}

export function profileOrderConformance(open: OpenBackendHarness): void {
  describe('profiles do not depend on the order of events', () => {
    test(`for any permutation and repetition (seed ${SEED})`, { timeout: 120_000 }, async () => {
      await using harness = await open()
      await follow(harness, [])
      const retention = { maxAgeMs: null, maxCount: 3 }
      const clause = await harness.backend.facts.put({
        definition: 'a',
        retention,
        reachesBackTo: null,
      })
      let cases = 0
      const run = fc.asyncProperty(history, async (generated) => {
        const spaces = [`in order ${cases}`, `in disorder ${cases++}`] as const
        const inOrder = changesOf(generated, spaces[0], clause.number)
        const whole = { slices: [inOrder.length], repeats: [false] }
        await applyAll(harness, inOrder, whole)
        const changes = changesOf(generated, spaces[1], clause.number)
        await applyAll(
          harness,
          generated.order.map((index) => changes[index]!),
          generated,
        )
        const expected = await readAll(harness, spaces[0])
        const seen = await readAll(harness, spaces[1])
        await settle(harness)
        const renamed = JSON.parse(JSON.stringify(seen).replaceAll(spaces[1], spaces[0])) as object
        expect(renamed).toEqual(JSON.parse(JSON.stringify(expected)))
      })
      await fc.assert(run, { seed: SEED, numRuns: RUNS })
    })
  })
}
