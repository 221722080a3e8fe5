import type { AcceptedEvent } from '@hookline/protocol'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { MaxAmount } from '../../../../src/backend/accepted-event.ts'
import { DataDir } from '../../../../src/backend/embedded/database/data-dir.ts'
import { blockOf } from '../../../../src/backend/embedded/log/event-block.ts'
import { SqliteLog } from '../../../../src/backend/embedded/log/sqlite-log.ts'
import { CorruptionWatch } from '../../../../src/backend/embedded/corruption/watch.ts'
import { Readers } from '../../../../src/backend/embedded/readers.ts'
import { Writer } from '../../../../src/backend/embedded/writer.ts'
import { WriterHost } from '../../../../src/backend/embedded/writer-host.ts'
import type { SecretBox } from '../../../../src/util/secrets/secret-box.ts'
import { newSecretBox } from '@hookline/testing/engine/new-secret-box'
import { ByteBudget } from '../../../../src/util/limits/byte-budget.ts'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { migrate, MIGRATIONS } from '../../../../src/backend/embedded/migrations/migrate.ts'

/** A log on a new database, with the parts of the backend that it needs. */
export class OpenLog implements AsyncDisposable {
  readonly log: SqliteLog
  readonly reader: DatabaseSync
  readonly readers: Readers
  readonly host: WriterHost
  readonly #box: SecretBox
  readonly #stack: AsyncDisposableStack
  readonly #file: string

  /** @param change changes the database before the log opens it */
  constructor(
    change: (db: DatabaseSync) => void = () => undefined,
    bounds: { readonly maxOutstanding?: MaxAmount } = {},
  ) {
    const stack = new AsyncDisposableStack()
    const file = join(stack.use(new TemporaryFolder()).path, 'hookline.db')
    this.#file = file
    {
      using db = DataDir.openForWriting(file)
      migrate(db, file, MIGRATIONS)
      change(db)
    }
    this.#stack = stack
    this.reader = stack.use(new DatabaseSync(file, { readOnly: true }))
    const watch = new CorruptionWatch(file)
    this.readers = stack.use(new Readers(file, () => Promise.resolve(), watch))
    const start = { file, dedupeWindowMs: 60_000 }
    this.#box = newSecretBox()
    this.host = stack.use(new WriterHost(start, this.#box, watch))
    const waiting = new ByteBudget(2 ** 30)
    const options = { waiting, duplicates: new Set<string>(), ...bounds }
    this.log = new SqliteLog(this.host, this.reader, options)
  }

  /** Appends like an operation that does more than append. It takes more microtasks than `append`. */
  async appendWithOtherWrite(events: readonly AcceptedEvent[]): Promise<void> {
    await Promise.resolve()
    await this.host.writer.run('appendEvents', blockOf(events), {
      onCommitted: (appended) => this.log.appended({ events, ...appended }),
    })
    await Promise.resolve()
  }

  /** The writer of another thread, and a promise that resolves when the thread has exited. */
  connect(): { readonly writer: Writer; readonly gone: Promise<void> } {
    const { port, gone } = this.host.connect()
    const watch = new CorruptionWatch(this.#file)
    return { writer: new Writer({ port, box: this.#box, watch }), gone }
  }

  /** The ids of the events in the table, in the order of seq. */
  get stored(): string[] {
    const rows = this.reader.prepare('SELECT id FROM events ORDER BY seq').all()
    return rows.map(({ id }) => String(id))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync()
  }
}
