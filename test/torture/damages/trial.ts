import { damageOf } from '@hookline/server'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { ManagementApi } from '../../harness/management-api.ts'
import { type Base, type Bases, listEventIds, newDestination, newSource, post } from './bases.ts'
import { readColumn, readEvents } from './database.ts'
import type { HearingReceiver } from './hearing-receiver.ts'
import type { Host } from './host.ts'
import { untilStill } from './until.ts'

/** What a service did on a damaged folder. */
export interface Observed {
  /** The messages of the starts that refused. */
  readonly refusals: readonly string[]
  readonly end: 'refused' | 'ready' | 'not ready' | 'ended'
  /** Of a service that is not ready or has ended. */
  readonly reason: string
  readonly newEvent: string
  /** Numbers of events that a webhook neither got nor waits for. */
  readonly lost: ReadonlySet<number>
  /** Why the management API could not be asked. */
  readonly apiFault: string | undefined
  /** Events that came with another content. */
  readonly changed: readonly string[]
  /** How many events the database does not have any more. */
  readonly lostRows: number
  /** Everything that says that something is lost. */
  readonly told: readonly string[]
}

export interface Lane {
  readonly host: Host
  readonly receiver: HearingReceiver
  readonly bases: Bases
}

const STILL_MS = 3_000
const MOST_STARTS = 3
const MOST_RESTARTS = 2
/** Characters of an error. */
const MOST_SHOWN = 150
const NAMES_DAMAGE =
  /damage|malformed|corrupt|not a database|checksum|quarantine|imbalance|CORRUPT|NOTADB/i

/**
 * Starts the service on a damaged folder, as an operator does who follows its messages, and looks what it does. A service
 * that ends by itself is started again.
 */
export async function observe(folder: string, base: Base, lane: Lane): Promise<Observed> {
  lane.receiver.forget()
  lane.receiver.isDown = false
  let observed = await observeStart(folder, base, lane)
  for (let restarts = 0; restarts < MOST_RESTARTS && observed.end === 'ended'; restarts++) {
    const before = [...observed.told, observed.reason]
    const next = await observeStart(folder, base, lane)
    observed = { ...next, told: [...before, ...next.told] }
  }
  return observed
}

async function observeStart(folder: string, base: Base, lane: Lane): Promise<Observed> {
  const { host } = lane
  const { opened, refusals } = await openFollowing(host, folder)
  const nothing = {
    apiFault: undefined,
    reason: '',
    newEvent: '',
    lost: new Set<number>(),
    changed: [],
    lostRows: 0,
  }
  if (opened === undefined) return { ...nothing, refusals, end: 'refused', told: refusals }
  const running = new RunningTrial(opened, base, lane)
  const { isReady, reason } = await running.readiness()
  if (!isReady) {
    const end = host.ended === undefined ? 'not ready' : 'ended'
    await host.close()
    return { ...nothing, refusals, end, reason: host.ended ?? reason, told: [reason] }
  }
  const newEvent = await running.sendNew(refusals.length > 0)
  const lost = await running.lost()
  const ended = host.ended
  const lines = [...host.lines]
  await host.close()
  const told = [...refusals, ...toldBy(lines, folder), ...(ended === undefined ? [] : [ended])]
  return {
    refusals,
    end: ended === undefined ? 'ready' : 'ended',
    reason: ended ?? '',
    newEvent,
    lost,
    apiFault: running.apiFault,
    changed: running.changed(),
    lostRows: base.events.length - survivors(folder, base),
    told,
  }
}

/** Starts until the service runs, with the losses that its refusals name. */
async function openFollowing(host: Host, folder: string) {
  const refusals: string[] = []
  let accepted: number | undefined
  for (let starts = 0; starts < MOST_STARTS; starts++) {
    const opened = await host.open(folder, accepted)
    if (opened.kind === 'opened') return { opened, refusals }
    refusals.push(opened.reason)
    const [, named] = /--accept-loss (\d+)/.exec(opened.reason) ?? []
    if (named === undefined) break
    accepted = Number(named)
  }
  return { opened: undefined, refusals }
}

function toldBy(lines: readonly string[], folder: string): string[] {
  return [
    ...readColumn(folder, 'losses', 'description'),
    ...readColumn(folder, 'quarantine', 'reason'),
    ...lines.filter((line) => NAMES_DAMAGE.test(line)),
    ...damageOf(join(folder, 'hookline.db')).map((each) => `doctor: ${each}`),
  ]
}

/** How many events of the base are still as they were. */
function survivors(folder: string, { events }: Base): number {
  const found = readEvents(
    folder,
    events.map(({ seq }) => seq),
  )
  const bodies = new Map(found.map(({ id, body }) => [id, body]))
  return events.filter(({ id, body }) => bodies.get(id) === body).length
}

class RunningTrial {
  /** Why the management API could not be asked. */
  apiFault: string | undefined
  readonly #url: string
  readonly #api: ManagementApi
  readonly #base: Base
  readonly #lane: Lane

  constructor({ url, token }: { url: string; token: string }, base: Base, lane: Lane) {
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

  /** Sends an event to the healthy receiver. @param mayBeNew whether the source may be lost, as was told */
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
    const response = await post(this.#url, writeKey, '/v1/track', call).catch(String)
    if (typeof response === 'string') return response
    if (response.status !== 200) return `refused with ${response.status}`
    const heard = this.#lane.receiver.heard('up')
    const isHere = (): boolean => heard.has(messageId) || this.#lane.host.ended !== undefined
    await untilStill(isHere, () => heard.size, STILL_MS)
    return heard.has(messageId) ? 'delivered' : 'not delivered'
  }

  /** The numbers of the events that a webhook neither got nor waits for. */
  async lost(): Promise<Set<number>> {
    const missing = new Map<'up' | 'down' | 'held', Set<string>>()
    const { receiver, bases, host } = this.#lane
    const idsByMessageId = new Map(this.#base.events.map(({ messageId, id }) => [messageId, id]))
    const look = async (): Promise<boolean> => {
      for (const path of ['up', 'down', 'held'] as const) {
        const heard = receiver.heard(path)
        const wanted = [...this.#base.sent.keys()].filter(
          (messageId) =>
            !heard.has(messageId) && !(path === 'up' && this.#base.delivered.has(messageId)),
        )
        missing.set(path, new Set(wanted))
      }
      if (missing.get('up')!.size + missing.get('down')!.size > 0) return host.ended !== undefined
      await this.#removeWaiting(missing.get('held')!, bases.destinationIds.held, idsByMessageId)
      return missing.get('held')!.size === 0 || host.ended !== undefined
    }
    const progress = (): number => receiver.heard('up').size + receiver.heard('down').size
    if (!(await untilStill(look, progress, STILL_MS))) {
      for (const [path, ids] of missing)
        await this.#removeWaiting(ids, bases.destinationIds[path], idsByMessageId)
    }
    const lost = new Set([...missing.values()].flatMap((ids) => [...ids]))
    const seqs = new Map(this.#base.events.map(({ messageId, seq }) => [messageId, seq]))
    return new Set([...lost].map((messageId) => seqs.get(messageId) ?? -1))
  }

  /** Removes the events whose delivery to a destination is held or waits. */
  async #removeWaiting(
    messageIds: Set<string>,
    destinationId: string,
    idsByMessageId: ReadonlyMap<string, string>,
  ): Promise<void> {
    for (const state of ['held', 'pending']) {
      const query = `destinationId=${destinationId}&state=${state}`
      const waiting = await listEventIds(this.#api, query).catch((error: unknown) => {
        this.apiFault = String(error).slice(0, MOST_SHOWN)
        return new Set<string>()
      })
      for (const messageId of messageIds)
        if (waiting.has(idsByMessageId.get(messageId) ?? '')) messageIds.delete(messageId)
    }
  }

  changed(): string[] {
    const { receiver } = this.#lane
    return (['up', 'down', 'held'] as const).flatMap((path) =>
      [...receiver.heard(path)]
        .filter(([messageId, note]) => (this.#base.sent.get(messageId) ?? note) !== note)
        .map(([messageId]) => messageId),
    )
  }
}
