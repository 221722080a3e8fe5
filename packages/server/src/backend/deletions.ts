import type { AcceptedEvent, Carried } from '@hookline/protocol'
import type { AuditEntry } from './audit.ts'
import type { Page, PageRequest } from './page.ts'

/** A request to delete users. */
export interface DeletionRequest {
  /** `del_…` */
  readonly id: string
  /** Milliseconds since the epoch, as the other times. */
  readonly createdAt: number
  /** `null`: every source. */
  readonly sourceIds: readonly string[] | null
  /** Whether new events of the users are dropped from now on. */
  readonly suppress: boolean
  /** The number of userIds. */
  readonly users: number
  /** The number of anonymousIds; absent for none. */
  readonly anonymousUsers?: number
}

/** Whom a deletion is about. */
export interface DeletedIds {
  readonly userIds: readonly string[]
  /** Absent for none. */
  readonly anonymousIds?: readonly string[]
}

/** Whom a suppression or a notice is about: a userId or an anonymousId. */
export interface Subject {
  readonly kind: 'user' | 'anonymous'
  readonly id: string
}

/** The steps of a deletion in their order; `done` when none is left. */
export type DeletionStep = 'suppress' | 'purge' | 'notify' | 'done'

/** A deletion request and its progress. */
export interface Deletion extends DeletionRequest {
  /** The next step. */
  readonly step: DeletionStep
  /** When the first step began; `null` before. */
  readonly startedAt: number | null
  /** When each step was done; `null` before, and if the step was left out. */
  readonly suppressedAt: number | null
  readonly purgedAt: number | null
  readonly notifiedAt: number | null
  /** What was removed so far. */
  readonly purged: {
    readonly events: number
    /** Those of the events that have no userId. */
    readonly anonymousEvents: number
    readonly deliveries: number
  }
}

/** One slice of a purge. */
export interface Purge {
  /** Its step `purge` has begun. */
  readonly deletionId: string
  readonly userIds: readonly string[]
  /** Absent for none. */
  readonly anonymousIds?: readonly string[]
  /** `null`: in every source. */
  readonly sourceIds: readonly string[] | null
  /** The result of the slice before; absent for the first. */
  readonly cursor?: string
}

/** Deletion requests with their progress, and the removal of users from the archive. */
export interface Deletions {
  /** Keeps a new request and its ids. Durable when it resolves, all or none. A second call with the id rejects. */
  create(request: DeletionRequest, ids: DeletedIds, audit?: AuditEntry): Promise<void>

  find(id: string): Promise<Deletion | undefined>

  /** Deletions, newest first; with `isOpen` only those with steps left. */
  list(filter: { readonly isOpen?: true }, page: PageRequest): Promise<Page<Deletion>>

  /** The userIds or the anonymousIds of a deletion, in their order, beginning after the id `after`. */
  ids(
    id: string,
    kind: Subject['kind'],
    options: { readonly after: string; readonly limit: number },
  ): Promise<string[]>

  /**
   * If `to` is the current step, records that the deletion begins. Otherwise records that the current step is done, and
   * that `to` is the next. When the step `purge` begins, the position of the log is recorded as well: the purge removes
   * what was appended before. Durable when it resolves. Safe to call twice: the second call changes nothing.
   */
  advance(id: string, to: DeletionStep, now: number): Promise<void>

  /**
   * Removes a slice of the users' events, and of the calls that name a user as their former id, with decisions,
   * deliveries and attempts, and adds their number to the deletion. An anonymousId removes every event that has it, whatever
   * its userId. It goes by the position in the log, whatever the
   * times of the events: what was appended before the step `purge` began is removed, and what was appended later stays.
   * Removes computed events of the users whatever the sources, and the search texts of ended replays. Other writes wait for a
   * few milliseconds at a time. Resolves to the cursor of the next slice, or `null` after the last; the slice is durable then.
   * `isPurged` covers the users as soon as this is called, and on the other nodes that can be reached before the first event is
   * removed. From then on the backend writes nothing of a removed event, also after a restart; a caller that tries gets no
   * error. Safe to call twice. Rejects if the step `purge` has not begun.
   */
  purge(purge: Purge): Promise<string | null>

  /**
   * Overwrites every byte of removed content that the backend has stored, in slices of a few milliseconds.
   * Safe to call twice. Resolves to whether it reached the end: false if `signal` aborted first.
   */
  erase(signal: AbortSignal): Promise<boolean>

  /**
   * Whether a purge of the last hour covers this event of the log. A part that has such an event in memory drops it and records
   * nothing of it. False for a notice.
   */
  isPurged(carried: Carried): boolean
}

/** A user whose new events are dropped. */
export interface Suppression extends Subject {
  /** `null`: in every source, later ones included. */
  readonly sourceId: string | null
  /** Milliseconds since the epoch. */
  readonly since: number
  /** `del_…` of the deletion that requested it. */
  readonly deletionId: string
}

/** A suppression, and the calls that it left out. */
export interface SuppressionRecord extends Suppression {
  readonly callsLeftOut: number
  /** When the last of them arrived, in milliseconds since the epoch; `null` if there is none. */
  readonly lastLeftOutAt: number | null
}

/** Calls of suppressed users in one request, which were not kept. */
export interface LeftOutCalls {
  readonly sourceId: string
  /** The number of calls of each user. */
  readonly users: readonly (Subject & { readonly calls: number })[]
  /** When they arrived. */
  readonly at: number
}

/** Users whose new events are dropped: all in memory, the same on every node within 1 s. */
export interface Suppressions {
  /** Whether events of this user are dropped in this source. Ingestion calls it for each event. */
  has(sourceId: string, kind: Subject['kind'], id: string): boolean

  /**
   * Adds the calls to those that the suppressions of each user in this source have left out. Durable when it resolves,
   * at most once: a crash shortly after the calls may lose it. Does nothing for a user who is not suppressed any more.
   */
  countLeftOut(calls: LeftOutCalls): Promise<void>

  /**
   * Durable, and visible in `has` of every node that is not cut off, when it resolves. Safe to call twice: a suppression of the same
   * user and source stays as it is.
   */
  add(suppressions: readonly Suppression[]): Promise<void>

  /**
   * Ends every suppression of the user, durably and on every node, as above. Resolves to whether there was one, so a second call
   * resolves to false.
   */
  remove(user: Subject, audit?: AuditEntry): Promise<boolean>

  /** The suppressions of one user, newest first: at most `limit`, and the number of all. */
  find(
    user: Subject,
    limit: number,
  ): Promise<{ readonly data: readonly SuppressionRecord[]; readonly count: number }>

  /** Suppressions, newest first; with `user` only those of this user. */
  list(filter: { readonly user?: Subject }, page: PageRequest): Promise<Page<SuppressionRecord>>
}

/**
 * Whom an event belongs to: its userId and its previousId; its anonymousId where it has no userId. Who has both ids is known
 * as a user, and only a suppression of the user leaves out the calls.
 */
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
