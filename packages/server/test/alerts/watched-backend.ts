import type { AcceptedEvent, JsonObject, LaneState } from '@hookline/protocol'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { NOON } from '@hookline/testing/records/accepted-event'
import { newDestination, newSource } from '@hookline/testing/records/catalog-records'
import { builtInSource } from '../../src/alerts/alert-event.ts'
import { AlertWatcher } from '../../src/alerts/alert-watcher.ts'
import { FactsCollector, type FactsDeps } from '../../src/alerts/facts-collector.ts'
import { RecentAttempts } from '../../src/activity/recent-attempts.ts'
import type { Backend } from '../../src/backend/backend.ts'
import type { FoundCorruption } from '../../src/backend/upkeep.ts'
import { openEmbeddedBackend } from '../../src/backend/embedded/open.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

export const CHANNEL = newDestination({ id: 'dst_channel', sourceId: 'src_hookline' })

/** A watcher on a real backend. Its clock advances with each check. */
export class WatchedBackend implements AsyncDisposable {
  readonly clock = new ManualClock(NOON)
  freeBytes = 1e12
  /** The URLs of webhooks whose breaker is open. */
  open: readonly string[] = []
  /** Facts that only another process or a broken disk can cause. */
  overrides: Partial<Pick<FactsDeps, 'nodes' | 'backups'>> & {
    readonly corruptions?: readonly FoundCorruption[]
    readonly missing?: number
  } = {}
  readonly appended: AcceptedEvent[] = []
  /** The number of appends that succeed before all others reject, as in a killed process. */
  appendsLeft = Infinity
  /** Whether states cannot be stored. */
  rejectsPuts = false
  readonly #folder = new TemporaryFolder()
  #backend!: Backend

  static async open({ hasChannel = true } = {}): Promise<WatchedBackend> {
    const watched = new WatchedBackend()
    await watched.#open()
    await watched.backend.catalog.putSource(builtInSource(NOON))
    if (hasChannel) await watched.backend.catalog.putDestination(CHANNEL)
    await watched.backend.catalog.putSource(newSource({ name: 'Shop' }))
    await watched.backend.catalog.putDestination(newDestination())
    return watched
  }

  get backend(): Backend {
    return this.#backend
  }

  async #open(): Promise<void> {
    this.#backend = await openEmbeddedBackend({
      dataDir: this.#folder.path,
      maxWaitingBytes: 1024 * 1024,
    })
  }

  /** Starts again on the same data. */
  async restart(): Promise<void> {
    await this.#backend[Symbol.asyncDispose]()
    await this.#open()
  }

  /** Checks once, after `ms`. */
  async check(ms = 5_000): Promise<void> {
    this.clock.advance(ms)
    const { backend, clock } = this
    const upkeep: FactsDeps['upkeep'] = {
      backlog: () => backend.upkeep.backlog(),
      corruptions: async () => this.overrides.corruptions ?? [],
      missing: async () => ({ events: this.overrides.missing ?? 0, decisions: 0, deliveries: 0 }),
      disk: async () => ({ freeBytes: this.freeBytes, totalBytes: 1e12 }),
    }
    const facts = new FactsCollector({
      ...backend,
      upkeep,
      clock,
      lanes: { states: async (ids) => new Map(ids.map((id) => [id, this.#statesOf(id)])) },
      recentAttempts: new RecentAttempts(clock, backend.signals),
      nodes: this.overrides.nodes ?? backend.nodes,
      backups: this.overrides.backups ?? { lastAt: null },
      retryWindowMs: 4 * HOUR,
      retentionMs: 30 * 24 * HOUR,
    })
    const log = {
      append: async (events: readonly AcceptedEvent[]) => {
        if (this.appendsLeft === 0) throw new Error('killed')
        this.appendsLeft -= 1
        await backend.log.append(events)
        this.appended.push(...events)
      },
    }
    const checked = Promise.withResolvers<void>()
    const after = (): (() => void) => {
      checked.resolve()
      return () => undefined
    }
    // The first sleep ends the check.
    const bound = { now: () => clock.now(), wall: () => clock.wall(), turn: clock.turn, after }
    const activity = { received: () => undefined }
    const alertStates = {
      all: () => backend.alertStates.all(),
      put: async (states: ReadonlyMap<string, string | null>) => {
        if (this.rejectsPuts) throw new Error('killed')
        await backend.alertStates.put(states)
      },
    }
    const consoleUrl = 'https://hookline.example/console'
    const nodes = this.overrides.nodes ?? backend.nodes
    const own = { facts, log, activity, alertStates, nodes, clock: bound, consoleUrl }
    const watcher = new AlertWatcher({ ...backend, ...own })
    const stopping = new AbortController()
    const run = watcher.run(stopping.signal).catch((error: unknown) => {
      checked.resolve()
      if (!(error instanceof Error) || error.message !== 'killed') throw error
    })
    await checked.promise
    stopping.abort()
    await run
  }

  async checkTimes(times: number): Promise<void> {
    for (let checks = 0; checks < times; checks += 1) await this.check()
  }

  #statesOf(id: string): LaneState[] {
    const { settings } = this.backend.catalog.current.destinations.get(id)!
    const none = {
      brokenSince: null,
      openUntil: null,
      retryAfterUntil: null,
      pacePerSecond: null,
      inFlight: 0,
    }
    return settings.webhooks.map(({ url }) => {
      const breaker = this.open.includes(url) ? 'open' : 'closed'
      return { url, breaker, ...none }
    })
  }

  /** Adds results of attempts to the minute of the clock. */
  async count(counts: Record<string, number>, destinationId = 'dst_a'): Promise<void> {
    const start = Math.floor(this.clock.wall() / MINUTE) * MINUTE
    const row = { start, sourceId: 'src_a', destinationId, counts }
    await this.backend.statistics.add([{ ...row, span: 'minute' }])
  }

  /** The appended events; the log drops those with a known messageId. */
  get events(): readonly (readonly [event: string, properties: JsonObject])[] {
    const byMessageId = new Map(this.appended.map((event) => [event.messageId, event]))
    return [...byMessageId.values()].map(({ event }) => [event.event!, event.properties!])
  }

  get names(): string[] {
    return this.events.map(([name]) => name)
  }

  get states(): unknown[] {
    return this.events.map(([, { state }]) => state)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#backend[Symbol.asyncDispose]()
    this.#folder[Symbol.dispose]()
  }
}
