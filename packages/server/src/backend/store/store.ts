import type { AuditEntry } from '../audit.ts'
import type { Dialect } from './dialect.ts'
import type { Statement } from './sql.ts'

/** One transaction. Any text can be a value: if a database cannot store U+0000, its `Tx` escapes it. */
export interface Tx {
  readonly dialect: Dialect
  /** The number of a write with `changes`: a reader that has seen a number has seen every change with a smaller one. */
  readonly changeNumber: number
  all<Row>(statement: Statement<Row>): Promise<Row[]>
  run(statement: Statement): Promise<number>
}

export type ReadTx = Pick<Tx, 'dialect' | 'all'>

/** Several statements in one read transaction. Must await only its `tx`; input and result can be posted to a thread. */
export type Read<Input, Result> = (tx: ReadTx, input: Input) => Promise<Result>

/** A change in one transaction, which may be repeated or run on another thread: it must await only its `tx`, and its input can be posted. */
export type Write<Input, Result> = (tx: Tx, input: Input) => Promise<Result>

/** Data that every node has in memory, and reads again after each change. */
export type ChangeKind =
  'catalog' | 'key-uses' | 'tokens' | 'token-uses' | 'suppressions' | 'purges'

export interface WriteOptions {
  /** Written in the same transaction, unless the change resolves to false. */
  readonly audit?: AuditEntry | undefined
  /** Every node is notified. Changes of one kind are serialised: each sees those before it. */
  readonly changes?: ChangeKind
  /** How long it may wait to share a transaction with other writes. */
  readonly maxWaitMs?: number | undefined
}

/** Reads of the database. Every method may reject with `BackendUnavailableError`. */
export interface Reads {
  readonly dialect: Dialect
  /** For a few rows found by an index, within a millisecond. */
  lookUp<Row>(statement: Statement<Row>): Promise<Row[]>
  /** Like `lookUp`, if many rows may be examined. */
  list<Row>(statement: Statement<Row>): Promise<Row[]>
  /** Like `list`, for several statements with one consistent view. */
  read<Input, Result>(read: Read<Input, Result>, input: Input): Promise<Result>
}

/** A `ReadTx` for lookups of a few rows. */
export function lookUpTx(reads: Reads): ReadTx {
  return { dialect: reads.dialect, all: (statement) => reads.lookUp(statement) }
}

/** The database as the ports in this folder use it: written once, for both engines. */
export interface Store extends Reads {
  /** Resolves to the result of the change when it is durable. */
  write<Input, Result>(
    write: Write<Input, Result>,
    input: Input,
    options?: WriteOptions,
  ): Promise<Result>
  /** Calls `refresh`, which must read all committed changes, soon and after each change of this kind by another node or thread. */
  follow(kind: ChangeKind, refresh: () => Promise<void>): void
  /** Resolves when other nodes and threads have applied the changes of this kind that were made before the call. */
  spread(kind: ChangeKind): Promise<void>
}
