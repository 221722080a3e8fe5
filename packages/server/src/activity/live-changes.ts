import type { Signals } from '../backend/signals.ts'
import type { UpdateActivity } from '../telemetry/activity-listener.ts'
import type { Clock } from '../util/time/clock.ts'
import { RecentItems } from './recent-items.ts'

/** A change that makes displayed data stale. */
export interface LiveChange {
  readonly at: number
  /** Collection of the management API; `null` after missed changes: any record may have changed. */
  readonly resource: string | null
  /** `null` if the change is not about a single record. */
  readonly id: string | null
  /** The operationId of the request; `null` for a change by Hookline. Shown only to readers of the audit log. */
  readonly action?: string | null
  /** Who made the request. Shown only to readers of the audit log. */
  readonly actorId?: string | null
}

export interface RequestedChange {
  readonly resource: string
  readonly id: string | null
  readonly action: string
  readonly actorId: string
}

/** Which changes a reader sees. */
export interface ChangeView {
  readonly isShown: (resource: string) => boolean
  /** Whether the reader sees who made a change, and with which request. */
  readonly showsRequests: boolean
}

/** The number of changes kept for readers that reconnect: enough for a tab that was in the background for an hour. */
const MAX_BUFFERED = 1_000
/** How often changes without a request, such as replay progress, are published. */
const UPDATES_EVERY_MS = 1_000
/** Beyond this number of records, only the changed collections are published. */
const MAX_UPDATES = 100

interface Update extends UpdateActivity {
  /** Whether other nodes need a message about it. */
  readonly mustPublish: boolean
}

/** The newest changes on all nodes, numbered by this node. Those without a request are published once a second. */
export class LiveChanges {
  readonly changes = new RecentItems<LiveChange>(MAX_BUFFERED)
  readonly #clock: Clock
  readonly #signals: Pick<Signals, 'publish'>
  readonly #updates = new Map<string, Update>()

  constructor(clock: Clock, signals: Pick<Signals, 'publish' | 'onMessage' | 'onMissed'>) {
    this.#clock = clock
    this.#signals = signals
    signals.onMessage('changes', (message) => this.#receive(message as ChangeMessage))
    signals.onMissed(() => this.changes.add(this.unknownChange()))
  }

  requested(change: RequestedChange): void {
    const stamped = { at: this.#clock.wall(), ...change }
    this.#add(stamped)
    this.#signals.publish('changes', { changes: [stamped] } satisfies ChangeMessage)
  }

  /** Publishes a change within a second, once per record. `isLocal`: only here, because other nodes see the change themselves. */
  updated({ resource, id }: UpdateActivity, { isLocal = false } = {}): void {
    if (this.#updates.size === 0) this.#clock.after(UPDATES_EVERY_MS, () => this.#publish())
    const update = { resource, id: this.#updates.size < MAX_UPDATES ? id : null }
    const mustPublish = !isLocal || this.#updates.get(keyOf(update))?.mustPublish === true
    this.#updates.set(keyOf(update), { ...update, mustPublish })
  }

  /** The change with this number, as the reader may see it; `undefined` if it is hidden from the reader. */
  shown(number: number, { isShown, showsRequests }: ChangeView): LiveChange | undefined {
    const { at, resource, id, action, actorId } = this.changes.at(number)
    if (resource === null) return this.changes.at(number)
    if (!isShown(resource)) return undefined
    return { at, resource, id, ...(showsRequests && { action, actorId }) }
  }

  /** A change with `resource: null`, which makes a reader that missed changes refetch everything. */
  unknownChange(): LiveChange {
    return { at: this.#clock.wall(), resource: null, id: null }
  }

  #publish(): void {
    const at = this.#clock.wall()
    const toPublish: LiveChange[] = []
    for (const { mustPublish, ...update } of this.#updates.values()) {
      const change = { at, ...update, action: null, actorId: null }
      this.changes.add(change)
      if (mustPublish) toPublish.push(change)
    }
    this.#updates.clear()
    if (toPublish.length > 0)
      this.#signals.publish('changes', { changes: toPublish } satisfies ChangeMessage)
  }

  #receive({ changes }: ChangeMessage): void {
    for (const change of changes) this.#add(change)
  }

  #add(change: LiveChange): void {
    // The request caused the pending update.
    const { resource, id, action } = change
    if (resource !== null && action) this.#updates.delete(keyOf({ resource, id }))
    this.changes.add(change)
  }
}

interface ChangeMessage {
  readonly changes: readonly LiveChange[]
}

function keyOf({ resource, id }: Pick<LiveChange, 'resource' | 'id'>): string {
  return `${resource} ${id ?? ''}`
}
