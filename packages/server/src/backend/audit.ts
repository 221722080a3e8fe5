import type { ResponseToStore } from './idempotent-responses.ts'
import type { Page, PageRequest } from './page.ts'

/** A change made through the management API, with the state before and after, without secrets. */
export interface AuditEntry {
  /** `adt_…`; sorts by time. */
  readonly id: string
  readonly at: number
  /** The token of the request; the operator's own token has the id `admin-token`. */
  readonly actor: { readonly id: string; readonly name: string; readonly role: string }
  readonly action: string
  readonly targetId: string | null
  /** The resource before the change; `null` if it did not exist or may not be shown. */
  readonly before: object | null
  readonly after: object | null
  readonly requestId: string
  /** The entry is corrupted: `before` and `after` are `null`; `requestId` and the actor's name and role are empty. */
  readonly isUnreadable?: true
  /** The response to store with the change. Not part of the stored entry. */
  readonly response?: ResponseToStore
}

interface AuditFilter {
  readonly actorId?: string
  readonly action?: string
  readonly targetId?: string
}

/**
 * The audit log of changes made through the management API. Entries never change; old ones are removed.
 *
 * A method of another port that takes an `AuditEntry` writes the entry and its `response` in the
 * transaction of the change: when the method resolves, all of them are durable, or none. A method
 * that rejects or resolves to false writes no entry. If the response's key already has a response,
 * an earlier request with the key made the change: the method changes nothing and rejects with
 * `ResponseAlreadyStoredError`.
 */
export interface Audit {
  /** Adds an entry without a change in the backend. Not idempotent. */
  append(entry: AuditEntry): Promise<void>
  /**
   * Removes some of the oldest entries before `time`, within a few milliseconds. Resolves to their
   * number; 0 if none are left.
   */
  removeBefore(time: number): Promise<number>
  list(filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>>
}
