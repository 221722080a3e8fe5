import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { finished } from 'node:stream'
import Type from 'typebox'
import { type AlertStates, LAST_BACKUP } from '../backend/alert-states.ts'
import { CopyNotSupportedError } from '../backend/backend.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Clock } from '../util/time/clock.ts'
import type { AdminApp } from './api/admin-app.ts'
import * as Schema from './api/schema.ts'
import { Problem } from './problems/problem.ts'

const TYPE = 'application/vnd.sqlite3'

const schema = {
  ...Schema.operationsTagged('Backup').admin(
    'getBackup',
    'Downloads a copy of the database without stopping the service',
  ),
  description:
    'The copy contains every event and change confirmed before this request, but no key files. `hookline restore` creates a data folder from it. The download is aborted after backupTimeout. It is also aborted when a deletion purges users: then start it again.',
  response: Schema.media(TYPE, 'A SQLite database.', Type.String({ format: 'binary' })),
}

/** A copy of the database in a file. Disposing of it removes the file. */
export interface DatabaseCopy extends AsyncDisposable {
  readonly file: string
}

interface BackupDeps {
  readonly copyDatabase: () => Promise<DatabaseCopy>
  readonly backups: Backups
  readonly backupTimeoutMs: number
  readonly clock: Clock
  readonly logger: Logger
}

/** `/backup`: one download at a time. The copy is removed when the download ends. */
export function addBackupRoute(app: AdminApp, deps: BackupDeps): void {
  const { backups, copyDatabase, backupTimeoutMs, clock, logger } = deps

  app.get('/backup', { schema, exposeHeadRoute: false }, async (_request, reply) => {
    const copies = new AsyncDisposableStack()
    const backup = backups.begin(() => copies.disposeAsync())
    if (backup === undefined) {
      const detail = 'Another backup is running.'
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
        const detail = 'A deletion purged users: start the backup again.'
        throw new Problem('conflict', { detail, headers: { 'retry-after': '1' } })
      }
      const stop = (reason: string): void => {
        if (reply.raw.destroyed) return
        logger.warn({ reason }, 'backup.stopped')
        reply.raw.destroy()
      }
      const cancel = clock.after(backupTimeoutMs, () => stop('backupTimeout exceeded'))
      backup.outdated.addEventListener('abort', () => stop('a deletion has purged users'))
      // Also runs if the client has already disconnected.
      finished(reply.raw, (error) => {
        cancel()
        if (!error) {
          void backups.finished(clock.wall())
          logger.info({ bytes: size }, 'backup.finished')
        }
        end()
      })
      reply.type(TYPE).header('content-length', size)
      return await reply.send(createReadStream(file))
    } catch (error) {
      end()
      if (!(error instanceof CopyNotSupportedError)) throw error
      throw new Problem('backup_unsupported', { detail: error.message, cause: error })
    }
  })
}

interface Backup {
  /** Aborts when the copy contains data that a deletion has removed. */
  readonly outdated: AbortSignal
  end(): Promise<void>
}

/** Runs one backup at a time: each needs disk space. */
export class Backups {
  readonly #states: AlertStates
  #lastAt: number | null = null
  #running: { readonly abort: AbortController; readonly ended: Promise<void> } | undefined

  constructor(states: AlertStates) {
    this.#states = states
  }

  /** Reads the time of the last finished download, as stored by an earlier process. */
  static async open(states: AlertStates): Promise<Backups> {
    const backups = new Backups(states)
    const stored = (await states.all()).get(LAST_BACKUP)
    if (stored !== undefined) backups.#lastAt = Number(stored)
    return backups
  }

  /** When the last download was completed, in milliseconds since the epoch; `null` before the first one. */
  get lastAt(): number | null {
    return this.#lastAt
  }

  /** Stores the time of a finished download. If that fails, the time is lost on the next restart. */
  async finished(at: number): Promise<void> {
    this.#lastAt = at
    await this.#states.put(new Map([[LAST_BACKUP, String(at)]])).catch(() => undefined)
  }

  /** Begins a backup; `undefined` while another one is running. */
  begin(removeCopy: () => Promise<void>): Backup | undefined {
    if (this.#running !== undefined) return undefined
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const abort = new AbortController()
    this.#running = { abort, ended }
    return {
      outdated: abort.signal,
      end: async () => {
        try {
          await removeCopy()
        } finally {
          this.#running = undefined
          resolve()
        }
      },
    }
  }

  /** Stops a running backup, whose copy may contain data that has since been erased. Resolves when the copy is removed. */
  async endOutdated(): Promise<void> {
    this.#running?.abort.abort()
    await this.#running?.ended
  }
}
