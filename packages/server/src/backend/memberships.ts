import type { Json } from '@hookline/protocol'
import type { AuditEntry } from './audit.ts'
import type { AnnouncedValue } from './evaluations.ts'
import type { Page, PageRequest } from './page.ts'

export interface Member {
  /** `null` for a profile without a userId. */
  readonly userId: string | null
  readonly value: Json
  readonly since: number
}

export interface AnnouncedUser extends AnnouncedValue {
  readonly userId: string
}

export interface Memberships {
  /** The number of profiles with a value, by computation. Cheap: it reads counters. */
  sizes(): Promise<ReadonlyMap<string, number>>

  /** Profiles with a value, each with its first userId, in the order of profiles. */
  list(computationId: string, page: PageRequest): Promise<Page<Member>>

  announced(computationId: string, after: string, limit: number): Promise<readonly AnnouncedUser[]>

  /**
   * Adds or removes up to a few thousand users of a manual audience. Creates missing profiles. All
   * changed profiles become dirty.
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

  listed(audienceId: string, page: PageRequest): Promise<Page<{ readonly userId: string }>>

  /** Removes some results, announcements, list entries, counts and syncs of a deleted computation. Resolves to whether there may be more. */
  forget(computationId: string): Promise<boolean>
}
