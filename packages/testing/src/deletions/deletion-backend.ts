import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Backend } from '../../../server/src/backend/backend.ts'
import { openClusterBackend } from '../../../server/src/backend/cluster/open.ts'
import { Redacted } from '../../../server/src/util/secrets/redacted.ts'
import { openBackendIn, requestDeletion, createSources } from './deletion-requests.ts'
import { acceptedEvent } from '../records/accepted-event.ts'

const FIXTURE = fileURLToPath(new URL('killed-deletion.ts', import.meta.url))
export const PLANTED = 'PLANTED-VALUE'

export type DeletionBackend =
  | { readonly dataDir: string }
  | {
      readonly databaseUrl: string
      readonly natsUrl: string
      readonly natsPrefix: string
      readonly encryptionKey: string
    }

export function openDeletionBackend(target: DeletionBackend): Promise<Backend> {
  if ('dataDir' in target) return openBackendIn(target.dataDir)
  const { databaseUrl, natsUrl, natsPrefix, encryptionKey } = target
  return openClusterBackend({
    databaseUrl: new Redacted(databaseUrl),
    natsUrl: new Redacted(natsUrl),
    natsPrefix,
    encryptionKey: new Redacted(encryptionKey),
  })
}

/** Stores events from users, and requests their deletion. Returns the id of the deletion. */
export async function prepareDeletion(
  target: DeletionBackend,
  userIds: readonly string[],
): Promise<string> {
  await using backend = await openDeletionBackend(target)
  await createSources(backend)
  const properties = { planted: PLANTED }
  const events = userIds.map((userId) => acceptedEvent({ userId, properties }))
  const all = [...events, acceptedEvent({ userId: 'stranger' })]
  if ('dataDir' in target) await backend.log.append(all)
  else await backend.events.archive(all.map((event) => ({ event, declined: [] })))
  return await requestDeletion(backend, userIds, { suppress: true })
}

/** The final state, without times. */
export async function outcomeOf(target: DeletionBackend, id: string): Promise<object> {
  await using backend = await openDeletionBackend(target)
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

/** Runs deletions in a process that is killed at kill point `killAt` (see killed-deletion.ts), or never if it is 0. Returns the exit code. */
export async function runDeletion(target: DeletionBackend, killAt: number): Promise<number | null> {
  const args = ['--conditions=hookline-source', FIXTURE, JSON.stringify(target), String(killAt)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  await once(child, 'exit')
  return child.exitCode
}
