import type { Carried } from '@hookline/protocol'
import type { Page, PageRequest } from './page.ts'

/** What a deletion request asks for. */
export interface DeletionRequest {
  /** `del_…` */
  readonly id: string
  /** Milliseconds since the epoch, as the other times. */
  readonly createdAt: number
  /** `null`: every source. */
  readonly sourceIds: readonly string[] | null
  /** Whether new events of the users are not kept from now on. */
  readonly suppress: boolean
  /** How many users it is about. */
  readonly users: number
}

/** The steps of a deletion, in their order; `done` when none is left. */
export type DeletionStep = 'suppress' | 'purge' | 'notify' | 'done'

/** A deletion request, and how far it is. */
export interface Deletion extends DeletionRequest {
  /** The step to be done next. */
  readonly step: DeletionStep
  /** When the first step began; `null` before. Events received by then are purged. */
  readonly startedAt: number | null
  /** When each step was done; `null` before, and where it was left out. */
  readonly suppressedAt: number | null
  readonly purgedAt: number | null
  readonly notifiedAt: number | null
  /** What was removed so far. */
  readonly purged: { readonly events: number; readonly deliveries: number }
}

/** One slice of a purge. */
export interface Purge {
  readonly deletionId: string
  readonly userIds: readonly string[]
  /** `null`: in every source. */
  readonly sourceIds: readonly string[] | null
  /** Only what was received by then, in milliseconds since the epoch. */
  readonly until: number
  /** What the slice before said; absent for the first. */
  readonly cursor?: string
}

/** Deletion requests with their progress, and what removes users from the archive. */
export interface Deletions {
  /** Keeps a new request and its users. Durable when it resolves, all or none. */
  create(request: DeletionRequest, userIds: readonly string[]): Promise<void>

  find(id: string): Promise<Deletion | undefined>

  /** Deletions, newest first; with `isOpen` only those with steps left. */
  list(filter: { readonly isOpen?: true }, page: PageRequest): Promise<Page<Deletion>>

  /** Users of a deletion in the order of their ids, those behind `after`. */
  users(id: string, options: { readonly after: string; readonly limit: number }): Promise<string[]>

  /**
   * Notes that the deletion begins, or that its step is done and `to` is the next. Durable when it
   * resolves. Does nothing the second time.
   */
  advance(id: string, to: DeletionStep, now: number): Promise<void>

  /**
   * Removes events of the users, and calls that name one as their former id, with decisions, deliveries
   * and attempts, and counts them at the deletion; and the search texts of replays that have ended. Takes a
   * few milliseconds; resolves to where the next slice begins, `null` after the last. From the call on,
   * `isPurged` knows of it. Safe to call twice.
   */
  purge(purge: Purge): Promise<string | null>

  /**
   * Leaves no byte of what was removed where it was stored, as far as that is in the hands of the
   * backend. Works in slices of a few milliseconds. Safe to call twice. Resolves to whether it came to the
   * end: not where `signal` aborted first.
   */
  erase(signal: AbortSignal): Promise<boolean>

  /**
   * Whether a purge has taken this event: who still has it in memory lets go of it, and records nothing.
   * A notice is never taken.
   */
  isPurged(carried: Carried): boolean
}
