import type { AuditEntry } from './audit.ts'

/** What a token allows: a viewer reads, an editor also makes changes, an admin also manages tokens and all data. */
export const ROLES = ['viewer', 'editor', 'admin'] as const

export type Role = (typeof ROLES)[number]

/** A token of the management API, or a session of the console, as it is stored: the hash does not reveal the token. */
export interface StoredToken {
  /** `tok_…`, or `ses_…` for a session. The token begins with it. */
  readonly id: string
  readonly name: string
  readonly role: Role
  /** SHA-256 of the token, in hex. */
  readonly hash: string
  readonly createdAt: number
  /** From when on requests with it are refused, in milliseconds since the epoch; `null` for never. */
  readonly expiresAt: number | null
  /** To the minute; `null` while unused. */
  readonly lastUsedAt: number | null
  /** What opened a session: the id of a token, or a name and fingerprint of the admin token. Absent for tokens. */
  readonly openedBy?: string
}

/** Tokens of the management API: few, all in memory. */
export interface Tokens {
  /** By id, oldest first. A change replaces the map; it never alters one. */
  readonly current: ReadonlyMap<string, StoredToken>
  /** Durable, and visible in `current` of every node that is not cut off, when it resolves. A second call with the id rejects. */
  add(token: StoredToken, audit?: AuditEntry): Promise<void>
  /** Durable, and gone from `current` of every node that is not cut off, when it resolves. Safe to call twice. */
  remove(id: string, audit?: AuditEntry): Promise<void>
  /** Keeps when a token was last used: visible in `current` at once, durable when it resolves. Ignores unknown ids. */
  markUsed(id: string, at: number): Promise<void>
}
