import type { DatabaseSync } from 'node:sqlite'
import type { KeptAnswer, KeptAnswers } from '../../kept-answers.ts'
import { Statements } from '../database/statements.ts'
import type { Writer } from '../writer.ts'

/** Answers by Idempotency-Key on the table `kept_answers`. */
export class SqliteKeptAnswers implements KeptAnswers {
  readonly #writer: Writer
  readonly #statements: Statements

  constructor(writer: Writer, reader: DatabaseSync) {
    this.#writer = writer
    this.#statements = new Statements(reader)
  }

  async keep(answer: KeptAnswer, now: number): Promise<void> {
    await this.#writer.run('keepAnswer', { answer, now })
  }

  async find(key: string, now: number): Promise<KeptAnswer | undefined> {
    const [row] = this.#statements.all(
      `SELECT key, fingerprint, sealed, expires_at AS expiresAt FROM kept_answers
       WHERE key = ? AND expires_at > ?`,
      [key, now],
    )
    return row && ({ ...row } as unknown as KeptAnswer)
  }
}
