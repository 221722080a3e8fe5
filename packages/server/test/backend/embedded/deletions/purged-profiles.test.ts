import { newId } from '@hookline/protocol'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Backend } from '../../../../src/backend/backend.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { filesWith } from '@hookline/testing/files/bytes-in-folder'
import { purgeAll } from '@hookline/testing/engine/purge-all'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { changeOf } from '../../conformance/profiles/profile-changes.ts'

const PLANTED = 'PLANTED-VALUE'
const maxWaitingBytes = 2 ** 26
const USERS = 1_500
const EVENTS = 6_000

/** The userIds of a profile. */
const idsOf = (user: number): string[] => [`user-${user}`, `alias-${user}`]

/** Applies events that create, grow and link the profiles of many users. Those of user-7 have the planted value. */
async function fill({ profiles, facts }: Backend, random: () => number): Promise<number> {
  const retention = { maxAgeMs: null, maxCount: 20 }
  const { number: clause } = await facts.put({ definition: 'a', retention, reachesBackTo: null })
  await profiles.begin(100)
  for (let after = 0; after < EVENTS; after += 500) {
    const changes = Array.from({ length: 500 }, (_, index) => {
      const user = random() < 0.02 ? 7 : Math.floor(random() * USERS)
      const text = `${user === 7 ? PLANTED : ''}${'x'.repeat(random() * (random() < 0.05 ? 6_000 : 300))}`
      return changeOf(after + index + 1, {
        userId: idsOf(user)[random() < 0.5 ? 0 : 1]!,
        traits: { [`trait ${text.slice(0, 30)}`]: text, plan: random() },
        links: [
          ...idsOf(user).map((id) => ({ kind: 'user', id }) as const),
          { kind: 'anonymous', id: `${user === 7 ? PLANTED : user} ${random()}` },
        ],
        facts: [{ clause, value: text.slice(0, 60) }],
      })
    })
    const through = after + changes.length
    expect(await profiles.apply({ after, through, changes, purges: 0, at: NOON })).toBeDefined()
  }
  return clause
}

/** Gives every user a result, an announcement and a list entry. */
async function evaluate({ evaluations, memberships }: Backend): Promise<void> {
  const all = await evaluations.due(NOON, 10_000)
  for (let from = 0; from < all.length; from += 500) {
    const evaluated = all.slice(from, from + 500).map(({ profileId, version, userIds }) => ({
      profileId,
      version,
      recheckAt: NOON,
      results: [{ computationId: 'trt_a', value: `${userIds.at(-1)} is`, since: NOON }],
      announcements: userIds.map((userId) => ({
        computationId: 'trt_a',
        userId,
        value: `${userId} is`,
        number: 1,
        at: NOON,
        event: acceptedEvent({ sourceId: 'trt_a', userId: userId.replace(/^.*-/, 'user-') }),
      })),
    }))
    await evaluations.commit(evaluated)
  }
  const add = Array.from({ length: USERS }, (_, user) => idsOf(user)).flat()
  const list = { audienceId: 'aud_a', space: 'default' }
  await memberships.changeList(list, { add, remove: [], at: NOON })
}

test('no data from a purged profile is left in any file, and none reappears with later writes', async () => {
  using folder = new TemporaryFolder()
  const random = seededRandom(7)
  const backend = await openEmbeddedBackend({ dataDir: folder.path, maxWaitingBytes })
  await using stack = new AsyncDisposableStack()
  stack.use(backend)
  const clause = await fill(backend, random)
  await evaluate(backend)
  expect(filesWith(folder.path, PLANTED)).toContain('hookline.db')

  const id = newId('del', NOON)
  // These ids lack the planted value, because the deletion stores them.
  const userIds = idsOf(7)
  const request = { id, createdAt: NOON, sourceIds: null, suppress: false, users: 2 }
  await backend.deletions.create(request, { userIds })
  await purgeAll(backend.deletions, { deletionId: id, userIds, sourceIds: null })
  await backend.deletions.erase(new AbortController().signal)
  expect(filesWith(folder.path, PLANTED)).toEqual([])

  const { purges } = await backend.profiles.state()
  const changes = Array.from({ length: 500 }, (_, index) =>
    changeOf(EVENTS + index + 1, { userId: `user-${index}`, facts: [{ clause, value: 'later' }] }),
  )
  const slice = { after: EVENTS, through: EVENTS + 500, changes, purges, at: NOON }
  expect(await backend.profiles.apply(slice)).toBeDefined()
  await stack.disposeAsync()
  expect(filesWith(folder.path, PLANTED)).toEqual([])
  using db = new DatabaseSync(join(folder.path, 'hookline.db'))
  expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
})
