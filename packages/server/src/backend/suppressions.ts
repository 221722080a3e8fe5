import type { Page, PageRequest } from './page.ts'

/** A user whose new events are not kept. */
export interface Suppression {
  readonly userId: string
  /** `null`: in every source, those to come included. */
  readonly sourceId: string | null
  /** Milliseconds since the epoch. */
  readonly since: number
  /** `del_…` of the deletion that asked for it. */
  readonly deletionId: string
}

/** Users whose events are taken no more: wholly in memory, the same on every node within 1 s. */
export interface Suppressions {
  /** Whether events of this user are not kept in this source. Asked for each call that comes. */
  has(sourceId: string, userId: string): boolean

  /** Durable, and seen by `has` of this node, when it resolves. One that is there already stays as it is. */
  add(suppressions: readonly Suppression[]): Promise<void>

  /** Lets the user come back, in every source. Returns whether they were suppressed in any. */
  remove(userId: string): Promise<boolean>

  /** Suppressions, newest first. */
  list(page: PageRequest): Promise<Page<Suppression>>
}
