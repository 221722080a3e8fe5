import type { AcceptedEvent, DeliveryContent } from '@hookline/protocol'
import type { AuditEntry } from './audit.ts'
import type { Page, PageRequest } from './page.ts'

export interface DeletionRequest {
  readonly id: string
  readonly createdAt: number
  readonly sourceIds: readonly string[] | null
  readonly suppress: boolean
  readonly users: number
  readonly anonymousUsers?: number
}

export interface DeletedIds {
  readonly userIds: readonly string[]
  readonly anonymousIds?: readonly string[]
}

export interface Subject {
  readonly kind: 'user' | 'anonymous'
  readonly id: string
}

export type DeletionStep = 'suppress' | 'purge' | 'notify' | 'done'

export interface Deletion extends DeletionRequest {
  readonly step: DeletionStep
  readonly startedAt: number | null
  /** When each step was done; `null` before that, and for a skipped step. */
  readonly suppressedAt: number | null
  readonly purgedAt: number | null
  readonly notifiedAt: number | null
  readonly purged: {
    readonly events: number
    readonly anonymousEvents: number
    readonly deliveries: number
  }
}

export interface Purge extends DeletedIds {
  readonly deletionId: string
  readonly sourceIds: readonly string[] | null
  readonly cursor?: string
}

/** Deletion requests with their progress, and the removal of users from the archive. */
export interface Deletions {
  /** Stores a new request and its ids. Rejects if the id exists. */
  create(request: DeletionRequest, ids: DeletedIds, audit?: AuditEntry): Promise<void>

  find(id: string): Promise<Deletion | undefined>

  list(filter: { readonly isOpen?: true }, page: PageRequest): Promise<Page<Deletion>>

  /** The userIds or anonymousIds of a deletion, sorted, after the id `after`. */
  ids(
    id: string,
    kind: Subject['kind'],
    options: { readonly after: string; readonly limit: number },
  ): Promise<string[]>

  /** Records that the deletion begins, if `to` is the current step; otherwise that the current step is done and `to` is next. */
  advance(id: string, to: DeletionStep, now: number): Promise<void>

  /**
   * Removes a slice of the users' events appended before the step `purge` began, with their decisions, deliveries and attempts.
   * Covers:
   * - events with one of the ids, including aliases with it as `previousId`, and events with a purged anonymousId and any userId;
   * - computed events of the users, from any source;
   * - search texts of finished replays.
   *
   * From then on, records of a removed event are ignored, even after a restart.
   *
   * `isPurged` covers the users as soon as this is called, and on other reachable nodes before the
   * first event is removed. Resolves to the cursor of the next slice, or to `null` at the end, when
   * the slice is durable. Rejects if the step `purge` has not begun.
   */
  purge(purge: Purge): Promise<string | null>

  /** Erases the bytes of removed content, in slices. Resolves to false if `signal` aborted before the end. */
  erase(signal: AbortSignal): Promise<boolean>

  /**
   * Whether a purge in the last hour covers this event. If so, drop it from memory, and record
   * nothing.
   */
  isPurged(content: DeliveryContent): boolean
}

export interface Suppression extends Subject {
  readonly sourceId: string | null
  readonly since: number
  readonly deletionId: string
}

export interface SuppressionRecord extends Suppression {
  readonly droppedCalls: number
  readonly lastDroppedAt: number | null
}

export interface SuppressedCalls {
  readonly sourceId: string
  readonly users: readonly (Subject & { readonly calls: number })[]
  readonly at: number
}

/** Users whose new events are dropped: all in memory, the same on every node within 1 s. */
export interface Suppressions {
  /** Whether this user's events are dropped in this source. Called for each event. */
  has(sourceId: string, kind: Subject['kind'], id: string): boolean

  /** Counts dropped calls for users that are still suppressed. A crash shortly after may lose the counts. */
  countSuppressed(calls: SuppressedCalls): Promise<void>

  /**
   * Visible in `has` of every reachable node when it resolves. An existing suppression of the same
   * user and source is kept.
   */
  add(suppressions: readonly Suppression[]): Promise<void>

  /** Ends all suppressions of the user, durably and on every reachable node. Resolves to whether there was one. */
  remove(user: Subject, audit?: AuditEntry): Promise<boolean>

  find(
    user: Subject,
    limit: number,
  ): Promise<{ readonly data: readonly SuppressionRecord[]; readonly count: number }>

  list(filter: { readonly user?: Subject }, page: PageRequest): Promise<Page<SuppressionRecord>>
}

/** The subjects of an event: its previousId, and its userId or else its anonymousId. Only these can suppress it. */
export function subjectsOf(event: AcceptedEvent): readonly Subject[] {
  const { userId, previousId } = event
  const subjects: Subject[] = []
  if (userId !== undefined) subjects.push({ kind: 'user', id: userId })
  else if (event.anonymousId !== undefined)
    subjects.push({ kind: 'anonymous', id: event.anonymousId })
  if (previousId !== undefined && previousId !== userId)
    subjects.push({ kind: 'user', id: previousId })
  return subjects
}
