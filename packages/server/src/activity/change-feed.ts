import type { Signals } from '../backend/signals.ts'
import type { UpdateActivity } from '../telemetry/activity-listener.ts'
import type { Clock } from '../util/time/clock.ts'
import { RecentItems } from './recent-items.ts'

/** A record has changed, and what shows it is out of date. */
export interface Change {
  readonly at: number
  /** The collection of the management API; `null` where changes were missed: any record may have changed. */
  readonly resource: string | null
  /** `null` where it is not about one record. */
  readonly id: string | null
  /** The operationId of the request; `null` for a change by Hookline. Only for readers of the audit log. */
  readonly action?: string | null
  /** Who made the request, in the same way. */
  readonly actorId?: string | null
}

/** A change that a request made. */
export interface RequestedChange {
  readonly resource: string
  readonly id: string | null
  readonly action: string
  readonly actorId: string
}

/** Which changes a reader of the feed learns of, and how much. */
export interface ChangeView {
  readonly isShown: (resource: string) => boolean
  /** Whether it learns who made a change, and with which request. */
  readonly showsRequests: boolean
}

/** More than people make while a tab is away for an hour. */
const MAX_KEPT = 1_000
/** How often changes without a request, such as the progress of a replay, are reported. */
const UPDATES_EVERY_MS = 1_000
/** Beyond this number at once, the readers learn only which collections have changed. */
const MAX_UPDATES = 100

/** A record that has changed, and whether only this node knows. */
interface Update extends UpdateActivity {
  readonly isOwn: boolean
}

/**
 * The newest changes of records, by requests and by Hookline, on all nodes, as this node numbers them. Changes by requests are
 * sent to the other nodes immediately, and the rest once a second.
 */
export class ChangeFeed {
  readonly changes = new RecentItems<Change>(MAX_KEPT)
  readonly #clock: Clock
  readonly #signals: Pick<Signals, 'tell'>
  readonly #updates = new Map<string, Update>()

  constructor(clock: Clock, signals: Pick<Signals, 'tell' | 'onTold' | 'onMissed'>) {
    this.#clock = clock
    this.#signals = signals
    signals.onTold('changes', (told) => this.#told(told as Told))
    signals.onMissed(() => this.changes.add(this.anything()))
  }

  /** A request has changed a record. */
  requested(change: RequestedChange): void {
    const made = { at: this.#clock.wall(), ...change }
    this.#add(made)
    this.#signals.tell('changes', { changes: [made] } satisfies Told)
  }

  /**
   * A record has changed. Told within a second, once however often it is called. `isKnown`: every node finds it out by
   * itself, so it is not told to the others.
   */
  updated({ resource, id }: UpdateActivity, { isKnown = false } = {}): void {
    if (this.#updates.size === 0) this.#clock.after(UPDATES_EVERY_MS, () => this.#tell())
    const update = { resource, id: this.#updates.size < MAX_UPDATES ? id : null }
    const isOwn = !isKnown || this.#updates.get(keyOf(update))?.isOwn === true
    this.#updates.set(keyOf(update), { ...update, isOwn })
  }

  /** The change with this number as the reader learns of it; `undefined` where it does not. */
  shown(number: number, { isShown, showsRequests }: ChangeView): Change | undefined {
    const { at, resource, id, action, actorId } = this.changes.at(number)
    if (resource === null) return this.changes.at(number)
    if (!isShown(resource)) return undefined
    return { at, resource, id, ...(showsRequests && { action, actorId }) }
  }

  /** For a reader that has missed changes. */
  anything(): Change {
    return { at: this.#clock.wall(), resource: null, id: null }
  }

  #tell(): void {
    const at = this.#clock.wall()
    const own: Change[] = []
    for (const { isOwn, ...update } of this.#updates.values()) {
      const change = { at, ...update, action: null, actorId: null }
      this.changes.add(change)
      if (isOwn) own.push(change)
    }
    this.#updates.clear()
    if (own.length > 0) this.#signals.tell('changes', { changes: own } satisfies Told)
  }

  #told({ changes }: Told): void {
    for (const change of changes) this.#add(change)
  }

  #add(change: Change): void {
    // The request has caused the pending update.
    const { resource, id, action } = change
    if (resource !== null && action) this.#updates.delete(keyOf({ resource, id }))
    this.changes.add(change)
  }
}

/** A message between nodes. */
interface Told {
  readonly changes: readonly Change[]
}

function keyOf({ resource, id }: Pick<Change, 'resource' | 'id'>): string {
  return `${resource} ${id ?? ''}`
}
