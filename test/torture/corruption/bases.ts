import { randomBytes, randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { eventually } from '@hookline/testing/run/eventually'
import { ManagementApi } from '@hookline/testing/service/management-api'
import { newDestination, newSource, sendTo } from '@hookline/testing/service/new-source'
import { type StoredEvent, readColumn, readEvents } from './database.ts'
import { type NoteReceiver, type Path, PATHS } from './note-receiver.ts'
import type { Host } from './host.ts'

/** An intact data folder, with the calls sent to it. */
export interface CorruptionBase {
  readonly name: string
  readonly path: string
  /** An earlier copy of the folder. */
  readonly older: string
  /** The note of each call with a 200, by messageId. */
  readonly sent: ReadonlyMap<string, string>
  /** The messageIds that the path `up` had accepted. */
  readonly delivered: ReadonlySet<string>
  readonly events: readonly StoredEvent[]
}

export interface Bases {
  readonly all: readonly CorruptionBase[]
  readonly writeKey: string
  readonly destinationIds: { readonly [P in Path]: string }
}

const CALLS = 100

/** Makes the folders with the real service: one is copied during its first run, one after a kill, and one after a stop. */
export async function makeBases(
  folder: string,
  host: Host,
  receiver: NoteReceiver,
): Promise<Bases> {
  const live = join(folder, 'live')
  const copy = (name: string): string => {
    cpSync(live, join(folder, name), { recursive: true })
    return join(folder, name)
  }
  const maker = new BaseMaker(host, receiver)
  receiver.isDown = true
  await maker.open(live)
  await maker.setUp()
  await maker.send(CALLS)
  await maker.settle()
  const young = copy('young')
  await maker.send(CALLS)
  await maker.settle()
  const fresh = maker.describe('fresh', copy('fresh'), young)
  await host.close()
  const stoppedBefore = copy('stopped-before')
  await maker.open(live)
  await maker.send(CALLS / 2)
  await maker.settle()
  const running = copy('running')
  await maker.send(CALLS / 2)
  await host.kill()
  // The older database is from the last stop, the older write-ahead log from this run.
  cpSync(join(stoppedBefore, 'hookline.db'), join(running, 'hookline.db'))
  const killed = maker.describe('killed', copy('killed'), running)
  await maker.open(live)
  await maker.settle()
  await host.close()
  const stopped = maker.describe('stopped', copy('stopped'), stoppedBefore)
  return {
    all: [fresh, killed, stopped],
    writeKey: maker.writeKey,
    destinationIds: maker.destinationIds,
  }
}

class BaseMaker {
  writeKey = ''
  readonly destinationIds = { up: '', down: '', held: '' }
  readonly #host: Host
  readonly #receiver: NoteReceiver
  readonly #sent = new Map<string, string>()
  #url = ''
  #api: ManagementApi | undefined

  constructor(host: Host, receiver: NoteReceiver) {
    this.#host = host
    this.#receiver = receiver
  }

  async open(dataDir: string): Promise<void> {
    const opened = await this.#host.open(dataDir)
    if (opened.kind === 'refused') throw new Error(opened.reason)
    this.#url = opened.url
    this.#api = new ManagementApi(opened.url, opened.token)
  }

  async setUp(): Promise<void> {
    const { id, writeKey } = await newSource(this.#api!)
    this.writeKey = writeKey
    for (const path of PATHS)
      this.destinationIds[path] = await newDestination(this.#api!, id, this.#receiver.urlOf(path))
    await this.#api!.call('POST', `destinations/${this.destinationIds.held}/pause`)
    await this.#api!.call('POST', 'audiences', {
      name: 'Pro',
      destinationIds: [this.destinationIds.up],
      condition: { trait: 'plan', op: 'equals', value: 'pro' },
    })
  }

  /** Sends calls from different users, in batches of 1 to 20. */
  async send(calls: number): Promise<void> {
    for (let left = calls; left > 0;) {
      const count = Math.min(left, 1 + Math.floor(Math.random() * 20))
      const batch = Array.from({ length: count }, newCall)
      const response = await sendTo(`${this.#url}/v1/batch`, this.writeKey, { batch })
      expect(response.status, response.text).toBe(200)
      for (const { messageId, properties } of batch) this.#sent.set(messageId, properties.note)
      left -= count
    }
  }

  /** Waits until every delivery is delivered, pending or held, depending on its destination. */
  async settle(): Promise<void> {
    const { up, down, held } = this.destinationIds
    await eventually(async () => {
      expect(this.#missing()).toBe(0)
      for (const [id, state] of [
        [up, 'delivered'],
        [down, 'pending'],
        [held, 'held'],
      ] as const) {
        const found = await eventsInState(this.#api!, id, state)
        expect(found.size).toBeGreaterThanOrEqual(this.#sent.size)
      }
    }, 100)
  }

  describe(name: string, path: string, older: string): CorruptionBase {
    const copy = `${path}-read`
    cpSync(path, copy, { recursive: true })
    const events = readEvents(copy, readColumn(copy, 'events', 'seq').map(Number))
    return {
      name,
      path,
      older,
      sent: new Map(this.#sent),
      delivered: new Set(this.#receiver.received('up').keys()),
      events,
    }
  }

  #missing(): number {
    const received = this.#receiver.received('up')
    return [...this.#sent.keys()].filter((messageId) => !received.has(messageId)).length
  }
}

/** The ids of the events whose delivery to a destination is in this state. */
export async function eventsInState(
  api: ManagementApi,
  destinationId: string,
  state: 'delivered' | 'held' | 'pending',
): Promise<Set<string>> {
  const found = await api.listAll<{ eventId: string }>('deliveries', { destinationId, state })
  return new Set(found.map(({ eventId }) => eventId))
}

/** One call in ten may have a note larger than a database page. */
function newCall() {
  const bytes = Math.floor(Math.random() * (Math.random() < 0.1 ? 6000 : 600))
  return {
    type: 'track',
    event: 'Order Completed',
    userId: `u${Math.floor(Math.random() * 50)}`,
    messageId: randomUUID(),
    properties: { revenue: 10, note: randomBytes(bytes).toString('base64') },
  }
}
