import type { Json } from '@hookline/protocol'
import type { AuditEntry } from './audit.ts'
import type { Announced } from './evaluations.ts'
import type { Page, PageRequest } from './page.ts'

/** A user with a value: of an audience, a member. */
export interface Member {
  /** `null` for a profile without a userId. */
  readonly userId: string | null
  readonly value: Json
  /** Milliseconds since the epoch. */
  readonly since: number
}

/** How many profiles got or lost a value in an hour. */
export interface ChangeCounts {
  /** The beginning of the hour, in milliseconds since the epoch. */
  readonly start: number
  /** Entered an audience; or got a first or another value. */
  readonly entered: number
  readonly left: number
}

/** A user as the last announcement says. */
export interface AnnouncedUser extends Announced {
  readonly userId: string
}

/** The members of audiences and the values of computed traits, as the management API shows them. */
export interface Memberships {
  /** Profiles that have a value, by computation. Cheap: it reads counts. */
  sizes(): Promise<ReadonlyMap<string, number>>

  /** In the order of profiles: their first userId each. */
  list(computationId: string, page: PageRequest): Promise<Page<Member>>

  /** The counts of changes since a time, the oldest first. */
  changes(computationId: string, since: number): Promise<readonly ChangeCounts[]>

  /** Users for whom something was announced, in the order of userIds, after one of them. */
  announced(computationId: string, after: string, limit: number): Promise<readonly AnnouncedUser[]>

  /**
   * Adds users to the list of a manual audience, and removes others. Makes a profile for a user without one. Their profiles
   * are dirty then. At most a few thousand users. Durable when it resolves. Safe to call twice.
   */
  changeList(
    list: { readonly audienceId: string; readonly space: string },
    change: {
      readonly add: readonly string[]
      readonly remove: readonly string[]
      readonly at: number
    },
    audit?: AuditEntry,
  ): Promise<void>

  /** Users on the list of a manual audience, in the order of userIds. */
  listed(audienceId: string, page: PageRequest): Promise<Page<{ readonly userId: string }>>

  /** Removes some of what belongs to a computation that is gone: results, announcements, list, counts, syncs. Resolves to whether there may be more. */
  forget(computationId: string): Promise<boolean>
}
