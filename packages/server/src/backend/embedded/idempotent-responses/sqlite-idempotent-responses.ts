import type { DatabaseSync } from 'node:sqlite'
import type {
  IdempotentResponse,
  IdempotentResponses,
  ResponseToKeep,
} from '../../idempotent-responses.ts'
import { Statements } from '../database/statements.ts'
import type { Writer } from '../writer.ts'

/** Idempotent responses on the table `kept_answers`. */
export class SqliteIdempotentResponses implements IdempotentResponses {
  readonly #writer: Writer
  readonly #statements: Statements
  /** In memory: one process has the database, and a request does not outlive it. */
  readonly #reserved = new Set<string>()

  constructor(writer: Writer, reader: DatabaseSync) {
    this.#writer = writer
    this.#statements = new Statements(reader)
  }

  async reserve(key: string, { now }: { readonly now: number }): Promise<boolean> {
    if (this.#reserved.has(key)) return false
    this.#reserved.add(key)
    if ((await this.find(key, now)) === undefined) return true
    this.#reserved.delete(key)
    return false
  }

  async release(key: string): Promise<void> {
    this.#reserved.delete(key)
  }

  async add(kept: ResponseToKeep): Promise<void> {
    await this.#writer.run('addIdempotentResponse', kept)
  }

  async find(key: string, now: number): Promise<IdempotentResponse | undefined> {
    const [row] = this.#statements.all(
      `SELECT key, fingerprint, sealed, expires_at AS expiresAt FROM kept_answers
       WHERE key = ? AND expires_at > ?`,
      [key, now],
    )
    return row && ({ ...row } as unknown as IdempotentResponse)
  }
}
