import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SqliteTx } from '../../../../src/backend/embedded/sqlite-store.ts'
import { DataDir } from '../../../../src/backend/embedded/database/data-dir.ts'
import { purgeProfiles } from '../../../../src/backend/embedded/deletions/purge-events.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { changeOf } from '../../conformance/profiles/profile-changes.ts'

test('the profiles of 5,000 users are purged in slices of a few milliseconds', async () => {
  using folder = new TemporaryFolder()
  const userIds = Array.from({ length: 5_000 }, (_, user) => `user-${user}`)
  {
    await using backend = await openEmbeddedBackend({
      dataDir: folder.path,
      maxWaitingBytes: 2 ** 26,
    })
    const { profiles, facts, memberships } = backend
    const retention = { maxAgeMs: null, maxCount: 20 }
    const { number: clause } = await facts.put({ definition: 'a', retention, reachesBackTo: null })
    await profiles.begin(100)
    const changes = [...userIds, ...userIds].map((userId, index) =>
      changeOf(index + 1, { userId, facts: [{ clause, value: null }] }),
    )
    const through = changes.length
    await profiles.apply({ after: 0, through, changes, purges: 0, at: NOON })
    const list = { audienceId: 'aud_a', space: 'default' }
    await memberships.changeList(list, { add: userIds, remove: [], at: NOON })
  }
  using db = DataDir.openForWriting(join(folder.path, 'hookline.db'))
  const tx = new SqliteTx(db)
  const durations: number[] = []
  const subjects = userIds.map((id) => ({ kind: 'user', id }) as const)
  for (let done = 0; done < subjects.length;) {
    const before = performance.now()
    db.exec('BEGIN IMMEDIATE')
    done += await purgeProfiles(tx, { subjects: subjects.slice(done), sourceIds: null, at: NOON })
    db.exec('COMMIT')
    durations.push(performance.now() - before)
  }
  const left = ['identities', 'claims', 'facts', 'listed_users'].map(
    (table) => db.prepare(`SELECT COUNT(*) AS count FROM ${table}`).get()!['count'],
  )
  expect(left).toEqual([0, 0, 0, 0])
  // A slice ends after 5 ms, and the commit syncs the disk. Only the median is checked, because
  // other processes may delay slices.
  expect(durations.length).toBeGreaterThan(1)
  expect(durations.toSorted((a, b) => a - b)[Math.floor(durations.length / 2)]).toBeLessThan(50)
})
