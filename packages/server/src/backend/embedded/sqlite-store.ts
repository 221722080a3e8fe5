import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { type Dialect, SQLITE } from '../store/dialect.ts'
import type { Statement } from '../store/sql.ts'
import type { ChangeKind, Read, Store, Tx, Write, WriteOptions } from '../store/store.ts'
import { lastCommit } from './database/commit-mark.ts'
import { Statements } from './database/statements.ts'
import type { Destination } from '@hookline/protocol'
import type { SharedChange } from '../threads.ts'

interface CompiledStatement {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

function compileStatement(statement: Statement): CompiledStatement {
  const values = statement.values.map((value) =>
    typeof value === 'boolean' ? Number(value) : value,
  )
  return { sql: statement.text(() => '?'), values: values as readonly SQLInputValue[] }
}

export class SqliteTx implements Tx {
  readonly dialect: Dialect = SQLITE
  readonly #db: DatabaseSync
  readonly #statements: Statements

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#statements = new Statements(db)
  }

  /** The number of the current commit, counted when it ends. */
  get changeNumber(): number {
    return lastCommit(this.#db) + 1
  }

  async all<Row>(statement: Statement<Row>): Promise<Row[]> {
    const { sql, values } = compileStatement(statement)
    return this.#statements.all(sql, values) as Row[]
  }

  async run(statement: Statement): Promise<number> {
    const { sql, values } = compileStatement(statement)
    return this.#statements.run(sql, values)
  }
}

interface ReaderThreads {
  run(name: 'select', statement: CompiledStatement): Promise<unknown[]>
  read(name: string, input: unknown): Promise<unknown>
}

/** The store of one thread. Only the main thread changes the data that the others follow. */
export class SqliteStore implements Store {
  readonly dialect: Dialect = SQLITE
  readonly #writer: Pick<Store, 'write'>
  readonly #readers: ReaderThreads
  readonly #reader: SqliteTx
  readonly #changes: SharedChanges | undefined
  readonly #followers: { readonly kind: ChangeKind; readonly refresh: () => Promise<void> }[] = []

  constructor(
    writer: Pick<Store, 'write'>,
    reader: DatabaseSync,
    readers: ReaderThreads,
    changes?: SharedChanges,
  ) {
    this.#writer = writer
    this.#readers = readers
    this.#changes = changes
    this.#reader = new SqliteTx(reader)
  }

  lookUp<Row>(statement: Statement<Row>): Promise<Row[]> {
    return this.#reader.all(statement)
  }

  list<Row>(statement: Statement<Row>): Promise<Row[]> {
    return this.#readers.run('select', compileStatement(statement)) as Promise<Row[]>
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
    if (kind === 'suppressions' || kind === 'purges') await this.#changes?.publish({ kind })
  }

  /** Resolves when this thread has applied a change made by the main thread. */
  async changed(changed: ChangeKind): Promise<void> {
    for (const { kind, refresh } of this.#followers)
      if (kind === changed) await refresh().catch(endThread)
  }
}

/** Crashes this thread, which has missed a change: its successor reads everything. Never resolves. */
function endThread(error: unknown): Promise<never> {
  setImmediate(() => {
    throw error
  })
  return new Promise(() => undefined)
}

/** Notifies other threads of changes. A change resolves once every listener has applied it. */
export class SharedChanges {
  readonly #listeners = new Set<(change: SharedChange) => Promise<unknown>>()
  readonly #prepare: (destinations: Iterable<Destination>) => Promise<void>

  /** @param prepare makes destinations usable by other threads before they are published */
  constructor(prepare: (destinations: Iterable<Destination>) => Promise<void>) {
    this.#prepare = prepare
  }

  /** Returns a function that removes the listener. A listener must not reject. */
  onChange(listener: (change: SharedChange) => Promise<unknown>): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Called before destinations are put into the catalog. */
  async prepare(destinations: readonly Destination[]): Promise<void> {
    if (this.#listeners.size > 0) await this.#prepare(destinations)
  }

  async publish(change: SharedChange): Promise<void> {
    await Promise.all([...this.#listeners].map((listener) => listener(change)))
  }
}
