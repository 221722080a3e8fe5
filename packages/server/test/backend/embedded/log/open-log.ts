import type { AcceptedEvent } from '@hookline/protocol'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DataDir } from '../../../../src/backend/embedded/database/data-dir.ts'
import { blockOf } from '../../../../src/backend/embedded/log/event-block.ts'
import { SqliteLog } from '../../../../src/backend/embedded/log/sqlite-log.ts'
import { DamageWatch } from '../../../../src/backend/embedded/damage/damage-watch.ts'
import { Readers } from '../../../../src/backend/embedded/readers.ts'
import type { Writer } from '../../../../src/backend/embedded/writer.ts'
import { WriterHost } from '../../../../src/backend/embedded/writer-host.ts'
import { newSecretBox } from '../../../harness/new-secret-box.ts'
import { TemporaryFolder } from '../../../harness/temporary-folder.ts'
import { migrateWithKey } from '../database/migrate-with-key.ts'

/** A log on a database of its own, with the parts of the backend that it needs. */
export class OpenLog implements AsyncDisposable {
  readonly log: SqliteLog
  readonly reader: DatabaseSync
  readonly readers: Readers
  readonly #writer: Writer
  readonly #stack: AsyncDisposableStack

  /** @param change is made to the database before the log opens it */
  constructor(change: (db: DatabaseSync) => void = () => undefined) {
    const stack = new AsyncDisposableStack()
    const file = join(stack.use(new TemporaryFolder()).path, 'hookline.db')
    {
      using db = DataDir.openForWriting(file)
      migrateWithKey(db, file)
      change(db)
    }
    this.#stack = stack
    this.reader = stack.use(new DatabaseSync(file, { readOnly: true }))
    const watch = new DamageWatch(file)
    this.readers = stack.use(new Readers(file, () => Promise.resolve(), watch))
    const start = { file, dedupeWindowMs: 60_000 }
    this.#writer = stack.use(new WriterHost(start, newSecretBox(), watch)).writer
    const options = { maxWaitingBytes: 2 ** 30, duplicates: new Set<string>() }
    this.log = new SqliteLog(this.#writer, this.reader, options)
  }

  /** Appends as an operation does that has more to do than to append. Its caller awaits more than that of `append`. */
  async appendOtherwise(events: readonly AcceptedEvent[]): Promise<void> {
    await Promise.resolve()
    await this.#writer.runWith('appendEvents', blockOf(events), {
      onCommitted: (appended) => this.log.appended({ events, ...appended }),
    })
    await Promise.resolve()
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
