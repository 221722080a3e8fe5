import type { Page, PageRequest } from './page.ts'

/** Who changed what, and how it was before and after. Holds no secret. */
export interface AuditEntry {
  /** `aud_…`; sorts by time. */
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Whose token it was. The operator's own has the id `admin-token`. */
  readonly actor: { readonly id: string; readonly name: string; readonly role: string }
  /** The operation, as the OpenAPI document names it. */
  readonly action: string
  /** The id of what was changed; `null` where it has none. */
  readonly targetId: string | null
  /** What it was before; `null` where there was nothing, or nothing to show. */
  readonly before: object | null
  readonly after: object | null
  /** The id that the answer and the log carry. */
  readonly requestId: string
}

export interface AuditFilter {
  readonly actorId?: string
  readonly action?: string
  readonly targetId?: string
}

/** The audit log: every change made through the management API. Nothing in it ever changes; what is old goes. */
export interface Audit {
  /** Durable when it resolves. */
  append(entry: AuditEntry): Promise<void>
  /**
   * Removes some of the oldest entries, as far as they were made before a time, in milliseconds since the
   * epoch. Resolves to how many: 0 when no such entry is left. Takes a few milliseconds.
   */
  removeBefore(time: number): Promise<number>
  /** Entries, newest first. */
  list(filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>>
}
