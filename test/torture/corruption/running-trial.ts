import { randomUUID } from 'node:crypto'
import { ManagementApi } from '@hookline/testing/service/management-api'
import { newDestination, newSource, sendTo } from '@hookline/testing/service/new-source'
import { type CorruptionBase, type Bases, eventsInState } from './bases.ts'
import { type NoteReceiver, type Path, PATHS } from './note-receiver.ts'
import type { Host } from './host.ts'
import { untilStill } from './until.ts'

export interface Lane {
  readonly host: Host
  readonly receiver: NoteReceiver
  readonly bases: Bases
}

const STILL_MS = 3_000
/** Longer error messages are cut. */
const MAX_SHOWN = 150

/** A service running on a corrupted folder. */
export class RunningTrial {
  /** Why a request to the management API failed. */
  apiFault: string | undefined
  readonly #url: string
  readonly #api: ManagementApi
  readonly #base: CorruptionBase
  readonly #lane: Lane

  constructor({ url, token }: { url: string; token: string }, base: CorruptionBase, lane: Lane) {
    this.#url = url
    this.#api = new ManagementApi(url, token)
    this.#base = base
    this.#lane = lane
  }

  async readiness(): Promise<{ isReady: boolean; reason: string }> {
    let [isReady, reason] = [false, '']
    const look = async (): Promise<boolean> => {
      const response = await fetch(`${this.#url}/readyz`).catch(() => undefined)
      isReady = response?.status === 200
      reason = (await response?.text()) ?? ''
      return isReady || this.#lane.host.ended !== undefined
    }
    await untilStill(look, () => 0, STILL_MS)
    return { isReady, reason }
  }

  /** Sends an event to the healthy receiver. @param mayBeNew whether a new source may be used if the old one is lost */
  async sendNew(mayBeNew: boolean): Promise<string> {
    const first = await this.#sendWith(this.#lane.bases.writeKey)
    if (first === 'delivered' || !mayBeNew) return first
    try {
      const { id, writeKey } = await newSource(this.#api)
      await newDestination(this.#api, id, this.#lane.receiver.urlOf('up'))
      return await this.#sendWith(writeKey)
    } catch (error) {
      return String(error)
    }
  }

  async #sendWith(writeKey: string): Promise<string> {
    const messageId = randomUUID()
    const call = { type: 'track', event: 'New', userId: 'u1', messageId }
    const response = await sendTo(`${this.#url}/v1/track`, writeKey, call).catch(String)
    if (typeof response === 'string') return response
    if (response.status !== 200) return `refused with ${response.status}`
    const received = this.#lane.receiver.received('up')
    const isHere = (): boolean => received.has(messageId) || this.#lane.host.ended !== undefined
    await untilStill(isHere, () => received.size, STILL_MS)
    return received.has(messageId) ? 'delivered' : 'not delivered'
  }

  /**
   * The sequence numbers of events that are neither delivered, pending nor held at some webhook.
   */
  async lost(): Promise<Set<number>> {
    const missing = new Map<Path, Set<string>>()
    const { receiver, host } = this.#lane
    const idsByMessageId = new Map(this.#base.events.map(({ messageId, id }) => [messageId, id]))
    const look = async (): Promise<boolean> => {
      for (const path of PATHS) {
        const received = receiver.received(path)
        const wanted = [...this.#base.sent.keys()].filter(
          (messageId) =>
            !received.has(messageId) && !(path === 'up' && this.#base.delivered.has(messageId)),
        )
        missing.set(path, new Set(wanted))
      }
      if (missing.get('up')!.size + missing.get('down')!.size > 0) return host.ended !== undefined
      await this.#removeWaiting(missing.get('held')!, 'held', idsByMessageId)
      return missing.get('held')!.size === 0 || host.ended !== undefined
    }
    const progress = (): number => receiver.received('up').size + receiver.received('down').size
    if (!(await untilStill(look, progress, STILL_MS))) {
      for (const [path, ids] of missing) await this.#removeWaiting(ids, path, idsByMessageId)
    }
    const lost = new Set([...missing.values()].flatMap((ids) => [...ids]))
    const seqs = new Map(this.#base.events.map(({ messageId, seq }) => [messageId, seq]))
    return new Set([...lost].map((messageId) => seqs.get(messageId) ?? -1))
  }

  /** Removes from `messageIds` the events whose delivery to the destination is held or pending. */
  async #removeWaiting(
    messageIds: Set<string>,
    path: Path,
    idsByMessageId: ReadonlyMap<string, string>,
  ): Promise<void> {
    const destinationId = this.#lane.bases.destinationIds[path]
    for (const state of ['held', 'pending'] as const) {
      const waiting = await eventsInState(this.#api, destinationId, state).catch(
        (error: unknown) => {
          this.apiFault = String(error).slice(0, MAX_SHOWN)
          return new Set<string>()
        },
      )
      for (const messageId of messageIds)
        if (waiting.has(idsByMessageId.get(messageId) ?? '')) messageIds.delete(messageId)
    }
  }

  changed(): string[] {
    const { receiver } = this.#lane
    return PATHS.flatMap((path) =>
      [...receiver.received(path)]
        .filter(([messageId, note]) => (this.#base.sent.get(messageId) ?? note) !== note)
        .map(([messageId]) => messageId),
    )
  }
}
