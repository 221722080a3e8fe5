import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { type Dialect, SQLITE } from '../store/dialect.ts'
import type { Statement } from '../store/sql.ts'
import type { ChangeKind, Read, Store, Tx, Write, WriteOptions } from '../store/store.ts'
import { lastCommit } from './database/commit-mark.ts'
import { Statements } from './database/statements.ts'
import type { Destination } from '@hookline/protocol'
import type { SharedChange } from '../threads.ts'

interface Compiled {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

function compiled(statement: Statement): Compiled {
  const values = statement.values.map((value) =>
    typeof value === 'boolean' ? Number(value) : value,
  )
  return { sql: statement.text(() => '?'), values: values as readonly SQLInputValue[] }
}

/** The transaction that is open on a connection. Its promises are settled when they are returned. */
export class SqliteTx implements Tx {
  readonly dialect: Dialect = SQLITE
  readonly #db: DatabaseSync
  readonly #statements: Statements

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#statements = new Statements(db)
  }

  /** That of the commit, which is counted at its end. */
  get changeNumber(): number {
    return lastCommit(this.#db) + 1
  }

  async all<Row>(statement: Statement<Row>): Promise<Row[]> {
    const { sql, values } = compiled(statement)
    return this.#statements.all(sql, values) as Row[]
  }

  async run(statement: Statement): Promise<number> {
    const { sql, values } = compiled(statement)
    return this.#statements.run(sql, values)
  }
}

/** Posts reads to the threads of readers: `Readers`. */
interface ReaderThreads {
  run(name: 'select', statement: Compiled): Promise<unknown[]>
  read(name: string, input: unknown): Promise<unknown>
}

/** The store of one thread. The main thread makes the changes that the others follow. */
export class SqliteStore implements Store {
  readonly dialect: Dialect = SQLITE
  readonly #writer: Pick<Store, 'write'>
  readonly #readers: ReaderThreads
  readonly #statements: Statements
  readonly #changes: SharedChanges | undefined
  readonly #followers: { readonly kind: ChangeKind; readonly refresh: () => Promise<void> }[] = []

  /** @param changes notifies the other threads; only the main thread has it */
  constructor(
    writer: Pick<Store, 'write'>,
    reader: DatabaseSync,
    readers: ReaderThreads,
    changes?: SharedChanges,
  ) {
    this.#writer = writer
    this.#readers = readers
    this.#changes = changes
    this.#statements = new Statements(reader)
  }

  async lookUp<Row>(statement: Statement<Row>): Promise<Row[]> {
    const { sql, values } = compiled(statement)
    return this.#statements.all(sql, values) as Row[]
  }

  list<Row>(statement: Statement<Row>): Promise<Row[]> {
    return this.#readers.run('select', compiled(statement)) as Promise<Row[]>
  }

  read<Input, Result>({ name }: Read<Input, Result>, input: Input): Promise<Result> {
    return this.#readers.read(name, input) as Promise<Result>
  }

  write<Input, Result>(
    write: Write<Input, Result>,
    input: Input,
    options: WriteOptions = {},
  ): Promise<Result> {
    return this.#writer.write(write, input, options)
  }

  follow(kind: ChangeKind, refresh: () => Promise<void>): void {
    this.#followers.push({ kind, refresh })
  }

  async spread(kind: ChangeKind): Promise<void> {
    if (kind === 'suppressions' || kind === 'purges') await this.#changes?.tell({ kind })
  }

  /** The main thread has made such a change. Resolves when this thread has followed it. */
  async changed(changed: ChangeKind): Promise<void> {
    for (const { kind, refresh } of this.#followers)
      if (kind === changed) await refresh().catch(endThread)
  }
}

/** Ends this thread, which has missed a change: the next one reads everything. Never resolves, so no caller relies on the change. */
function endThread(error: unknown): Promise<never> {
  setImmediate(() => {
    throw error
  })
  return new Promise(() => undefined)
}

/** Tells other threads of changes. What makes a change resolves when every listener has applied it. */
export class SharedChanges {
  readonly #listeners = new Set<(change: SharedChange) => Promise<unknown>>()
  readonly #prepare: (destinations: Iterable<Destination>) => Promise<void>

  /** @param prepare makes destinations ready for other threads, before these know of them */
  constructor(prepare: (destinations: Iterable<Destination>) => Promise<void>) {
    this.#prepare = prepare
  }

  /** Returns the function that removes the listener. A listener must not reject. */
  onChange(listener: (change: SharedChange) => Promise<unknown>): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Destinations are to be put into the catalog. */
  async prepare(destinations: readonly Destination[]): Promise<void> {
    if (this.#listeners.size > 0) await this.#prepare(destinations)
  }

  async tell(change: SharedChange): Promise<void> {
    if (this.#listeners.size === 0) return
    await Promise.all([...this.#listeners].map((listener) => listener(change)))
  }
}
