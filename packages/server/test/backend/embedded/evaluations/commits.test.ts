import type { AcceptedEvent } from '@hookline/protocol'
import { expect, test } from 'vitest'
import type { Backend } from '../../../../src/backend/backend.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import type { Announcement, EvaluatedProfile } from '../../../../src/backend/evaluations.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { announce, changeOf } from '../../conformance/profiles/profile-changes.ts'

async function withBackend(use: (backend: Backend) => Promise<void>): Promise<void> {
  using folder = new TemporaryFolder()
  await using backend = await openEmbeddedBackend({
    dataDir: folder.path,
    maxWaitingBytes: 2 ** 26,
  })
  const { profiles } = backend
  await profiles.begin(100)
  const slice = { after: 0, through: 1, purges: 0, at: NOON }
  await profiles.apply({ ...slice, changes: [changeOf(1)] })
  await use(backend)
}

/** An evaluation of u1 with a result and announcements. */
async function evaluatedBy(
  backend: Backend,
  announcements: readonly Announcement[],
): Promise<EvaluatedProfile> {
  const { profileId, version } = (await backend.evaluations.loadUser('default', 'u1'))!
  const results = [{ computationId: 'aud_a', value: true, since: NOON }]
  return { profileId, version, results, announcements, recheckAt: null }
}

async function appended({ followedLog }: Backend): Promise<readonly AcceptedEvent[]> {
  const { events } = await followedLog.read({ after: 0, limit: 9 })
  return events.map(({ event }) => event)
}

test('a commit appends its events between earlier and later appends', () =>
  withBackend(async (backend) => {
    const [before, after] = [acceptedEvent({ messageId: 'a' }), acceptedEvent({ messageId: 'b' })]
    const announcements = [announce('u1', 1), announce('u1', 2)]
    const evaluated = await evaluatedBy(backend, announcements)
    await Promise.all([
      backend.log.append([before]),
      backend.evaluations.commit([evaluated]),
      backend.log.append([after]),
    ])
    expect(await appended(backend)).toEqual([
      before,
      ...announcements.map(({ event }) => event),
      after,
    ])
  }))

test('a commit appends and stores nothing if one of its events is refused', () =>
  withBackend(async (backend) => {
    const first = announce('u1')
    const profile = await backend.evaluations.loadUser('default', 'u1')
    const refused = await evaluatedBy(backend, [announce('u1', 2), first, first])
    await expect(backend.evaluations.commit([refused])).rejects.toThrow('SQLite')
    expect(await appended(backend)).toEqual([])
    expect(await backend.evaluations.loadUser('default', 'u1')).toEqual(profile)
    const later = await evaluatedBy(backend, [first])
    expect(await backend.evaluations.commit([later])).toEqual([later])
    expect(await appended(backend)).toEqual([first.event])
  }))
