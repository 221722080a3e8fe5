import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { finished } from 'node:stream'
import Type from 'typebox'
import { NoCopy } from '../../backend/backend.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { Problem } from '../problems/problem.ts'

const TYPE = 'application/vnd.sqlite3'

const backupSchema = {
  tags: ['Backup'],
  operationId: 'getBackup',
  summary: 'Downloads a copy of the database, while the service runs',
  description:
    'The copy contains every event and every change that was confirmed before this request. `hookline restore` makes a data folder from it. The key files beside the database are not part of it. The download ends incomplete when it takes longer than the setting backupTimeout, or when a deletion erases users meanwhile: then start it again.',
  response: {
    200: {
      description: 'A SQLite database.',
      content: { [TYPE]: { schema: Type.String({ format: 'binary' }) } },
    },
    default: {
      description: 'A problem.',
      content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } },
    },
  },
}

/**
 * `/backup`: one download at a time. The copy is removed when the download ends, takes longer than `backupTimeoutMs`, or
 * has users whom a deletion has erased meanwhile. The connection of a client that reads nothing is closed, as for every
 * response.
 */
export function addBackupRoute(app: AdminApp, deps: AdminDeps): void {
  const { backups, copyDatabase, backupTimeoutMs, clock, logger } = deps

  app.get('/backup', { schema: backupSchema, exposeHeadRoute: false }, async (_request, reply) => {
    const copies = new AsyncDisposableStack()
    const backup = backups.begin(() => copies.disposeAsync())
    if (backup === undefined) {
      const detail = 'Another backup is running: try again when it is done.'
      throw new Problem('conflict', { detail, headers: { 'retry-after': '10' } })
    }
    const end = (): void => {
      backup.end().catch((error: unknown) => {
        logger.warn({ err: error }, 'backup.copy_not_removed')
      })
    }
    try {
      const { file } = copies.use(await copyDatabase())
      const { size } = await stat(file)
      if (backup.outdated.aborted) {
        const detail = 'A deletion of users has ended meanwhile: make the backup again.'
        throw new Problem('conflict', { detail, headers: { 'retry-after': '1' } })
      }
      const stop = (reason: string): void => {
        if (reply.raw.destroyed) return
        logger.warn({ reason }, 'backup.stopped')
        reply.raw.destroy()
      }
      const cancel = clock.after(backupTimeoutMs, () => stop('backupTimeout is over'))
      backup.outdated.addEventListener('abort', () => stop('a deletion has erased users'))
      // Also runs if the client has disconnected in the meantime.
      finished(reply.raw, (error) => {
        cancel()
        if (!error) {
          backups.completed(clock.wall())
          logger.info({ bytes: size }, 'backup.finished')
        }
        end()
      })
      reply.type(TYPE).header('content-length', size)
      return await reply.send(createReadStream(file))
    } catch (error) {
      end()
      if (!(error instanceof NoCopy)) throw error
      throw new Problem('no_backup_file', { detail: error.message, cause: error })
    }
  })
}
