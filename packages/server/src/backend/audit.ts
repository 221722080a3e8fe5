import type { ResponseToKeep } from './idempotent-responses.ts'
import type { Page, PageRequest } from './page.ts'

/** One change made through the management API: by whom, of what, with the state before and after. Has no secrets. */
export interface AuditEntry {
  /** `adt_…`; sorts by time. */
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The token of the request. The operator's own token has the id `admin-token`. */
  readonly actor: { readonly id: string; readonly name: string; readonly role: string }
  /** The operationId of the OpenAPI document. */
  readonly action: string
  /** The id of the changed resource; `null` where it has none. */
  readonly targetId: string | null
  /** The resource before the change; `null` where it did not exist, or has nothing that may be shown. */
  readonly before: object | null
  /** The resource after the change, in the same way. */
  readonly after: object | null
  /** The id that the response and the log lines of the request carry. */
  readonly requestId: string
  /** The stored entry is damaged: `before` and `after` are `null`, the request and the name of the actor are empty. */
  readonly isUnreadable?: true
  /** No part of what is stored of the entry: the response to the request, to be kept with the change. */
  readonly response?: ResponseToKeep
}

/** Which entries a list shows: those that meet every condition. */
interface AuditFilter {
  readonly actorId?: string
  readonly action?: string
  readonly targetId?: string
}

/**
 * The audit log: every change made through the management API. Entries never change; old ones are removed.
 *
 * A method of another port that takes an `AuditEntry` writes it in the same transaction as its change: both are
 * durable when it resolves, or neither. Where the method rejects or resolves to false, it writes no entry.
 * The same is true of the `response` that the entry brings. The method rejects and changes nothing where there is a response
 * with its key (`ResponseKept`, if another node keeps it): a request with this key has made its change before.
 */
export interface Audit {
  /** For an entry without a change in the backend. Durable when it resolves. Two calls make two entries. */
  append(entry: AuditEntry): Promise<void>
  /**
   * Removes some of the oldest entries that were made before `time`, in milliseconds since the epoch. Resolves
   * to their number: 0 when no such entry is left. Takes a few milliseconds; safe to call twice.
   */
  removeBefore(time: number): Promise<number>
  /** Entries, newest first. */
  list(filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>>
}
