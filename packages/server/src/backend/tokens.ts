/** What a token allows: a viewer reads, an editor changes things, an admin manages tokens and data as a whole. */
export const ROLES = ['viewer', 'editor', 'admin'] as const

export type Role = (typeof ROLES)[number]

/** A token of the management API, as it is kept: the token itself cannot be had from it. */
export interface StoredToken {
  /** `tok_…`. The token begins with it. */
  readonly id: string
  readonly name: string
  readonly role: Role
  /** SHA-256 of the token, in hex. */
  readonly hash: string
  readonly createdAt: number
  /** From when on it is refused; `null` for never. Milliseconds since the epoch. */
  readonly expiresAt: number | null
  /** To the minute; `null` while unused. */
  readonly lastUsedAt: number | null
}

/** Tokens of the management API: few, wholly in memory. */
export interface Tokens {
  /** By id, oldest first. Replaced whole at each change, never altered. */
  readonly current: ReadonlyMap<string, StoredToken>
  /** Keeps a new token. Durable, and in `current`, when it resolves. */
  add(token: StoredToken): Promise<void>
  /** Removing what is not there is no error. */
  remove(id: string): Promise<void>
  /** Keeps when a token was last used: in `current` at once, durable when it resolves. Of one that is not there it keeps nothing. */
  markUsed(id: string, at: number): Promise<void>
}
