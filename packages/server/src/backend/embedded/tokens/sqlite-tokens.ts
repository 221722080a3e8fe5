import type { DatabaseSync } from 'node:sqlite'
import type { AuditEntry } from '../../audit.ts'
import type { StoredToken, Tokens } from '../../tokens.ts'
import { timeOrNull } from '../database/rows.ts'
import type { Writer } from '../writer.ts'

/** Tokens on the table `tokens`, read once at the start: only this process writes it. */
export class SqliteTokens implements Tokens {
  readonly #writer: Writer
  #current: ReadonlyMap<string, StoredToken>

  constructor(writer: Writer, reader: DatabaseSync) {
    this.#writer = writer
    const rows = reader.prepare('SELECT last_used_at, document FROM tokens ORDER BY id').all()
    const tokens = rows.map(({ last_used_at: usedAt, document }) => {
      const stored = JSON.parse(String(document)) as StoredToken
      return { ...stored, lastUsedAt: timeOrNull(usedAt) }
    })
    this.#current = new Map(tokens.map((token) => [token.id, token]))
  }

  get current(): ReadonlyMap<string, StoredToken> {
    return this.#current
  }

  async add(token: StoredToken, audit?: AuditEntry): Promise<void> {
    const { lastUsedAt: _, ...kept } = token
    await this.#writer.run('addToken', { id: token.id, document: JSON.stringify(kept) }, audit)
    this.#current = new Map(this.#current).set(token.id, token)
  }

  async remove(id: string, audit?: AuditEntry): Promise<void> {
    await this.#writer.run('removeToken', id, audit)
    this.#current = new Map([...this.#current].filter(([each]) => each !== id))
  }

  async markUsed(id: string, at: number): Promise<void> {
    const token = this.#current.get(id)
    if (token === undefined) return
    this.#current = new Map(this.#current).set(id, { ...token, lastUsedAt: at })
    await this.#writer.run('markTokenUsed', { id, at })
  }
}
