import type { AuditEntry } from './audit.ts'

/** The permissions of a token: viewers read, editors also make changes, admins also manage tokens and all data. */
export const ROLES = ['viewer', 'editor', 'admin'] as const

export type Role = (typeof ROLES)[number]

/**
 * A token of the management API or a session of the console, as stored: with a hash that does not
 * reveal it.
 */
export interface StoredToken {
  /** `tok_…`, or `ses_…` for a session. The token begins with it. */
  readonly id: string
  readonly name: string
  readonly role: Role
  readonly hash: string
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly lastUsedAt: number | null
  /** The token that opened a session: its id, or a name and fingerprint of the admin token. */
  readonly openedBy?: string
}

export interface Tokens {
  /** By id, oldest first. A change replaces the map. */
  readonly current: ReadonlyMap<string, StoredToken>
  /** Durable, and visible in `current` of every reachable node, when it resolves. Rejects if the id exists. */
  add(token: StoredToken, audit?: AuditEntry): Promise<void>
  /** Durable, and removed from `current` of every reachable node, when it resolves. */
  remove(id: string, audit?: AuditEntry): Promise<void>
  /** Stores the last use: visible in `current` immediately, durable when it resolves. Ignores unknown ids. */
  markUsed(id: string, at: number): Promise<void>
}
