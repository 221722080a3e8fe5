import { sql, type Transaction } from 'kysely'
import type { AuditEntry } from '../../audit.ts'
import type { StoredToken, Tokens } from '../../tokens.ts'
import type { AuditWriter } from '../audit/audit-writer.ts'
import type { ChangeFeed } from '../changes/change-feed.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { toText } from '../postgres/text.ts'
import { TokenReplica } from './token-replica.ts'

export interface PostgresTokensOptions {
  readonly postgres: Postgres
  readonly feed: ChangeFeed
  readonly audit: AuditWriter
}

/** Tokens in the table `tokens`. Each node has all of them in memory, and follows the changes of the others. */
export class PostgresTokens implements Tokens {
  readonly #options: PostgresTokensOptions
  readonly #replica: TokenReplica

  private constructor(options: PostgresTokensOptions) {
    this.#options = options
    this.#replica = new TokenReplica(options.postgres)
  }

  /** Reads all of them. */
  static async open(options: PostgresTokensOptions): Promise<PostgresTokens> {
    const opened = new PostgresTokens(options)
    await opened.#replica.refresh()
    options.feed.on('tokens', () => opened.#replica.refresh())
    options.feed.on('token-uses', () => opened.#replica.refreshUses())
    return opened
  }

  get current(): ReadonlyMap<string, StoredToken> {
    return this.#replica.current
  }

  async add(token: StoredToken, audit?: AuditEntry): Promise<void> {
    const { lastUsedAt: _, ...kept } = token
    await this.#change(audit, async (transaction) => {
      await sql`INSERT INTO tokens (id, document) VALUES (${toText(token.id)}, ${JSON.stringify(kept)})`.execute(
        transaction,
      )
    })
    // It is durable, so the call does not fail where only the read does. The feed reads again.
    await this.#replica.refresh().catch(() => this.#replica.set(token))
    await this.#options.feed.spread('tokens')
  }

  async remove(id: string, audit?: AuditEntry): Promise<void> {
    await this.#change(audit, async (transaction) => {
      await sql`DELETE FROM tokens WHERE id = ${toText(id)}`.execute(transaction)
    })
    await this.#replica.refresh().catch(() => this.#replica.delete(id))
    await this.#options.feed.spread('tokens')
  }

  async markUsed(id: string, at: number): Promise<void> {
    const token = this.current.get(id)
    if (token === undefined) return
    this.#replica.set({ ...token, lastUsedAt: Math.max(at, token.lastUsedAt ?? at) })
    const { postgres, feed } = this.#options
    await postgres.write(async (transaction) => {
      const number = await feed.tell(transaction, 'token-uses')
      await sql`UPDATE tokens SET last_used_at = ${at}, use_number = ${number}
        WHERE id = ${toText(id)} AND coalesce(last_used_at < ${at}, true)`.execute(transaction)
    })
  }

  #change(
    audit: AuditEntry | undefined,
    change: (transaction: Transaction<unknown>) => Promise<void>,
  ): Promise<void> {
    const { postgres, feed, audit: writeAudit } = this.#options
    return postgres.write(async (transaction) => {
      await feed.tell(transaction, 'tokens')
      await change(transaction)
      await writeAudit(transaction, audit)
    })
  }
}
