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
  summary: 'A copy of the database, while the service goes on',
  description:
    'Whatever was answered 200 before the request is in it. `hookline restore` makes a data folder of it; the keys beside the database are not in it.',
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

/** `/backup`: one at a time, for each needs room on the disk. */
export function addBackupRoute(app: AdminApp, { copyDatabase, logger }: AdminDeps): void {
  let isUnderWay = false

  app.get('/backup', { schema: backupSchema, exposeHeadRoute: false }, async (_request, reply) => {
    if (isUnderWay) {
      const detail = 'Another backup is being made: try again when it is done.'
      throw new Problem('conflict', { detail, headers: { 'retry-after': '10' } })
    }
    isUnderWay = true
    const stack = new AsyncDisposableStack()
    stack.defer(() => {
      isUnderWay = false
    })
    const end = (): void => {
      stack.disposeAsync().catch((error: unknown) => {
        logger.warn({ err: error }, 'copy for a backup not removed')
      })
    }
    try {
      const { file } = stack.use(await copyDatabase())
      const { size } = await stat(file)
      // Also where the client has gone meanwhile.
      finished(reply.raw, end)
      reply.type(TYPE).header('content-length', size)
      return await reply.send(createReadStream(file))
    } catch (error) {
      end()
      throw error
    }
  })
}
