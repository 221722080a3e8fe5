import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Backend } from '../../packages/server/src/backend/backend.ts'
import { ask, openIn, setUp } from '../../packages/server/test/deletions/deletion-requests.ts'
import { acceptedEvent } from '../../packages/server/test/harness/accepted-event.ts'
import { filesWith } from '../../packages/server/test/harness/bytes-in-folder.ts'
import { TemporaryFolder } from '../../packages/server/test/harness/temporary-folder.ts'

const FIXTURE = fileURLToPath(new URL('killed-deletion.ts', import.meta.url))
const PLANTED = 'PLANTED-VALUE'

/** What there is in the end, but for times. */
async function outcome(backend: Backend, id: string): Promise<object> {
  const { step, purged } = (await backend.deletions.find(id))!
  const notices = await backend.notices.list(id, { limit: 10_000 })
  const { data: left } = await backend.events.list({}, { limit: 200 })
  return {
    step,
    purged,
    notices: notices.data.map(({ id: noticeId, destinationId, subject, state }) => [
      noticeId,
      destinationId,
      subject,
      state,
    ]),
    left: left.map(({ event }) => event.userId),
    isSuppressed: backend.suppressions.has('src_b', 'user', 'user-249'),
  }
}

test('a deletion killed at any step and started again comes to the same end, each notice once with the same id', async () => {
  using folder = new TemporaryFolder()
  const prepared = join(folder.path, 'prepared')
  const userIds = Array.from({ length: 250 }, (_, index) => `user-${index}`)
  const id = await prepare(prepared, userIds)

  const whole = join(folder.path, 'whole')
  cpSync(prepared, whole, { recursive: true })
  expect(await run(whole, 0)).toBe(0)
  const expected = await readOutcome(whole, id)
  expect(expected).toMatchObject({ step: 'done', left: ['stranger'], isSuppressed: true })

  let kills = 0
  for (let killAt = 1; ; killAt++) {
    const dataDir = join(folder.path, `killed-${killAt}`)
    cpSync(prepared, dataDir, { recursive: true })
    const code = await run(dataDir, killAt)
    if (code === 0) break
    kills++
    expect(await run(dataDir, 0)).toBe(0)
    expect(await readOutcome(dataDir, id), `killed at ${killAt}`).toEqual(expected)
    expect(filesWith(dataDir, PLANTED), `killed at ${killAt}`).toEqual([])
  }
  // Begin, two slices of users and the end of each of three steps, the erasing: before and after each.
  // On a slow machine a purge takes more slices.
  expect(kills).toBeGreaterThanOrEqual(2 * (1 + 3 * 3 + 1))
})

async function prepare(dataDir: string, userIds: readonly string[]): Promise<string> {
  await using backend = await openIn(dataDir)
  await setUp(backend)
  const properties = { planted: PLANTED }
  const events = userIds.map((userId) => acceptedEvent({ userId, properties }))
  await backend.log.append([...events, acceptedEvent({ userId: 'stranger' })])
  return await ask(backend, userIds, { suppress: true })
}

async function readOutcome(dataDir: string, id: string): Promise<object> {
  await using backend = await openIn(dataDir)
  return await outcome(backend, id)
}

/** Carries the deletions out in a process that is killed at a moment; 0 for never. Returns its exit code. */
async function run(dataDir: string, killAt: number): Promise<number | null> {
  const args = ['--conditions=hookline-source', FIXTURE, dataDir, String(killAt)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  await once(child, 'exit')
  return child.exitCode
}
