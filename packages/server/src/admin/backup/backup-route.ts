import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { finished } from 'node:stream'
import Type from 'typebox'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { Problem } from '../problems/problem.ts'

const TYPE = 'application/vnd.sqlite3'

const backupSchema = {
  tags: ['Backup'],
  operationId: 'getBackup',
  summary: 'Downloads a copy of the database, while the service runs',
  description:
    'The copy contains every event and every change that was confirmed before this request. `hookline restore` makes a data folder from it. The key files beside the database are not part of it.',
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

/** `/backup`: one download at a time, because each needs room on the disk. */
export function addBackupRoute(app: AdminApp, { copyDatabase, logger }: AdminDeps): void {
  let isRunning = false

  app.get('/backup', { schema: backupSchema, exposeHeadRoute: false }, async (_request, reply) => {
    if (isRunning) {
      const detail = 'Another backup is running: try again when it is done.'
      throw new Problem('conflict', { detail, headers: { 'retry-after': '10' } })
    }
    isRunning = true
    const stack = new AsyncDisposableStack()
    stack.defer(() => {
      isRunning = false
    })
    const end = (): void => {
      stack.disposeAsync().catch((error: unknown) => {
        logger.warn({ err: error }, 'backup.copy_not_removed')
      })
    }
    try {
      const { file } = stack.use(await copyDatabase())
      const { size } = await stat(file)
      // Also runs if the client has disconnected in the meantime.
      finished(reply.raw, end)
      reply.type(TYPE).header('content-length', size)
      return await reply.send(createReadStream(file))
    } catch (error) {
      end()
      throw error
    }
  })
}
