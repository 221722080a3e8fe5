import type { EventType } from '@hookline/protocol'
import type { AliasCall, EventMap, GroupCall, IdentifyCall, TrackCall, ViewCall } from './call.ts'
import type { Clock } from '../clock.ts'
import { type Snapshot, snapshotOf } from './snapshot.ts'
import { validate } from './validate.ts'
import { LIBRARY } from '../version.ts'

/** A call that was checked and made a message. */
export interface MadeCall extends Snapshot {
  readonly type: EventType
  readonly messageId: string
}

/** The six calls, each of which throws a `ValidationError` for what the service could never accept. */
export abstract class AnalyticsCalls<Events extends EventMap> {
  readonly #maxBytes: number
  readonly #clock: Clock

  constructor(maxMessageBytes: number, clock: Clock) {
    this.#maxBytes = maxMessageBytes
    this.#clock = clock
  }

  /** Ties a user to traits. */
  identify(call: IdentifyCall): void {
    this.#make('identify', call)
  }

  /** Records what a user did. */
  track(call: TrackCall<Events>): void {
    this.#make('track', call)
  }

  /** Records the view of a page. */
  page(call: ViewCall): void {
    this.#make('page', call)
  }

  /** Records the view of a screen. */
  screen(call: ViewCall): void {
    this.#make('screen', call)
  }

  /** Ties a user to a group, and the group to traits. */
  group(call: GroupCall): void {
    this.#make('group', call)
  }

  /** Says that `previousId` and `userId` are one user. */
  alias(call: AliasCall): void {
    this.#make('alias', call)
  }

  /** Takes what a call made, or throws. */
  protected abstract take(call: MadeCall): void

  #make(type: EventType, call: unknown): void {
    validate(type, call)
    const messageId = String(call.messageId ?? '') || crypto.randomUUID()
    const message = {
      ...call,
      type,
      messageId,
      timestamp: call.timestamp || new Date(this.#clock.now()).toISOString(),
      context: { ...call.context, library: LIBRARY },
    }
    const { text, bytes } = snapshotOf(message, this.#maxBytes)
    this.take({ type, messageId, text, bytes })
  }
}
