import type { AuditEntry } from '../audit.ts'
import type { Dialect } from './dialect.ts'
import type { Statement } from './sql.ts'

/**
 * One transaction. Any text can be a value: if a database cannot store U+0000, its `Tx` escapes and unescapes it.
 */
export interface Tx {
  readonly dialect: Dialect
  /**
   * The number of this change, for a write with `changes`. It is larger than the numbers of all changes of its kind before it: a
   * reader that has seen a number has seen everything that was changed under smaller ones.
   */
  readonly changeNumber: number
  all<Row>(statement: Statement<Row>): Promise<Row[]>
  /** Resolves to the number of rows that were inserted, updated or deleted. */
  run(statement: Statement): Promise<number>
}

/** A transaction that only reads. */
export type ReadTx = Pick<Tx, 'dialect' | 'all'>

/**
 * A read of several statements, made in one transaction. SQLite makes it on another thread, by its name. So it awaits nothing but
 * its `tx`, and its input and result can be posted to a thread.
 */
export type Read<Input, Result> = (tx: ReadTx, input: Input) => Promise<Result>

/**
 * A change, made in one transaction: all of it or nothing. An engine may run it again after a conflict, or on another thread,
 * by its name. So it awaits nothing but its `tx`, and its input can be posted to a thread.
 */
export type Write<Input, Result> = (tx: Tx, input: Input) => Promise<Result>

/** Data that nodes keep in memory, and read again when one of them has changed it. */
export type ChangeKind =
  'catalog' | 'key-uses' | 'tokens' | 'token-uses' | 'suppressions' | 'purges'

export interface WriteOptions {
  /** Written in the same transaction, unless the change resolves to false. */
  readonly audit?: AuditEntry | undefined
  /** Every node is notified of it. Changes of one kind are made one after the other: each sees those before it. */
  readonly changes?: ChangeKind
  /** No caller waits for it: it may wait some milliseconds for other writes. */
  readonly canWait?: boolean
}

/** The database as ports read it. Every method may reject with `BackendUnavailable`. */
export interface Reads {
  readonly dialect: Dialect
  /** Rows that an index leads to: few, within a millisecond. */
  lookUp<Row>(statement: Statement<Row>): Promise<Row[]>
  /** As `lookUp`, where many rows may be looked at. */
  list<Row>(statement: Statement<Row>): Promise<Row[]>
  /** As `list`, of several statements, which see the data as it is at one moment. */
  read<Input, Result>(read: Read<Input, Result>, input: Input): Promise<Result>
}

/** For a `Read` that only looks up a few rows. */
export function lookingUp(reads: Reads): ReadTx {
  return { dialect: reads.dialect, all: (statement) => reads.lookUp(statement) }
}

/** The database as the ports in this folder use it: each is written once, for both engines. */
export interface Store extends Reads {
  /** Makes a change, and resolves to its result when that is durable. */
  write<Input, Result>(
    write: Write<Input, Result>,
    input: Input,
    options?: WriteOptions,
  ): Promise<Result>
  /**
   * Calls `refresh` soon, and after each change of this kind by another node, or by another thread. A call has to find all
   * changes committed before it.
   */
  follow(kind: ChangeKind, refresh: () => Promise<void>): void
  /** Resolves when the other nodes and threads have followed the changes of this kind that were made before the call. */
  spread(kind: ChangeKind): Promise<void>
}
