import type { AcceptedEvent, Computation, Event } from '@hookline/protocol'
import pino from 'pino'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Audiences } from '../../src/audiences/audiences.ts'
import type { Backend } from '../../src/backend/backend.ts'
import type { Profiles } from '../../src/backend/profiles.ts'
import { openEmbeddedBackend } from '../../src/backend/embedded/open.ts'
import { Metrics } from '../../src/telemetry/metrics.ts'
import { CONDITION_MS } from '@hookline/testing/run/condition-ms'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { clockWatchOf } from '@hookline/testing/clocks/clock-watch-of'
import { NO_ACTIVITY } from '@hookline/testing/engine/no-activity'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { RunningWorker } from '@hookline/testing/engine/running-worker'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

/** Audiences on a real backend, with a manual clock. */
export class OpenAudiences implements AsyncDisposable {
  readonly clock = new ManualClock(NOON)
  readonly metrics = new Metrics()
  readonly #folder = new TemporaryFolder()
  #stack = new AsyncDisposableStack()
  #backend: Backend | undefined
  #audiences: Audiences | undefined
  #running: RunningWorker[] = []
  /** How often the profile worker has checked for new events. */
  #passes = 0

  get backend(): Backend {
    return this.#backend!
  }

  /** The database file, for tests that bypass the ports. */
  get file(): string {
    return join(this.#folder.path, 'hookline.db')
  }

  get audiences(): Audiences {
    return this.#audiences!
  }

  /** Opens the backend, and starts the workers. */
  static async start(): Promise<OpenAudiences> {
    const open = new OpenAudiences()
    await open.#start()
    return open
  }

  async #start(): Promise<void> {
    const options = { dataDir: this.#folder.path, maxWaitingBytes: 2 ** 30 }
    this.#backend = this.#stack.use(await openEmbeddedBackend(options))
    const { clock, metrics } = this
    const logger = pino({ enabled: false })
    this.#audiences = new Audiences({
      config: { maxAnonymousIds: 100, placeholderIds: [] },
      backend: { ...this.#backend, profiles: this.#counted(this.#backend.profiles) },
      activity: NO_ACTIVITY,
      clock,
      clockWatch: clockWatchOf(clock),
      metrics,
      logger,
    })
    this.#running = this.#audiences.workers.map((worker) =>
      this.#stack.use(new RunningWorker(worker, clock)),
    )
  }

  /** Restarts the backend and the workers. */
  async restart(): Promise<void> {
    await this.#stack.disposeAsync()
    this.#stack = new AsyncDisposableStack()
    await this.#start()
  }

  async append(...events: Partial<Event>[]): Promise<void> {
    const at = this.clock.now()
    await this.backend.log.append(events.map((event) => acceptedEvent({ at, ...event })))
  }

  put(computation: Computation): Promise<void> {
    return this.backend.catalog.putComputation(computation)
  }

  /** Runs the workers until they are idle. */
  async settle(): Promise<void> {
    const deadline = Date.now() + CONDITION_MS
    for (let idle = 0; idle < 3;) {
      if (Date.now() > deadline)
        throw new Error(`The workers did not become idle: ${await this.#describe()}`)
      this.clock.advance(250)
      // The threads of the backend need real time.
      await setTimeout(1)
      for (const { failures } of this.#running) if (failures[0]) throw failures[0].error as Error
      idle = (await this.#isIdle()) ? idle + 1 : 0
    }
  }

  /**
   * Waits for a pass of the profile worker that began after the last catalog change. Call it when the workers are idle. A pass reads
   * the state at most twice, and one may have been in progress.
   */
  async untilReplanned(): Promise<void> {
    const since = this.#passes
    const deadline = Date.now() + CONDITION_MS
    while (this.#passes < since + 3 && (await this.backend.profiles.state()).through !== null) {
      if (Date.now() > deadline) throw new Error('The profile worker has not completed a pass.')
      this.clock.advance(250)
      await setTimeout(1)
    }
  }

  /** The announcements, in log order. */
  async announced(): Promise<readonly AcceptedEvent[]> {
    const { events } = await this.backend.followedLog.read({ after: 0, limit: 100_000 })
    return events.map(({ event }) => event).filter(({ origin }) => origin !== undefined)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync()
    this.#folder[Symbol.dispose]()
  }

  #counted(profiles: Profiles): Profiles {
    return {
      state: () => {
        this.#passes++
        return profiles.state()
      },
      begin: (maxLinks) => profiles.begin(maxLinks),
      apply: (slice) => profiles.apply(slice),
      find: (space, userId) => profiles.find(space, userId),
      count: (space) => profiles.count(space),
      list: (query, page, now) => profiles.list(query, page, now),
      index: (unusedSince) => profiles.index(unusedSince),
    }
  }

  async #describe(): Promise<string> {
    const { profiles, syncs, evaluations, facts } = this.backend
    return JSON.stringify({
      profiles: await profiles.state(),
      waiting: await evaluations.waiting(this.clock.now()),
      clauses: await facts.clauses(),
      syncs: await syncs.open(),
      last: [...(await syncs.last())],
    })
  }

  async #isIdle(): Promise<boolean> {
    const { catalog, profiles, followedLog, evaluations, memberships, syncs } = this.backend
    const { through } = await profiles.state()
    const enabled = [...catalog.current.computations.values()].filter((each) => each.enabled)
    if (through === null) return enabled.length === 0
    const last = await syncs.last()
    if (!enabled.every(({ id, version }) => last.get(id)?.version === version)) return false
    // A deletion is complete when its computation is removed; a removed computation leaves no syncs.
    const { computations } = catalog.current
    for (const { computationId, reason } of last.values())
      if (reason === 'deleted' || !computations.has(computationId)) return false
    const { isEnd, events } = await followedLog.read({ after: through, limit: 1 })
    const { profiles: waiting } = await evaluations.waiting(this.clock.now())
    // The sync of a disabled computation waits until it is enabled.
    const running = (await syncs.open()).filter(({ computationId, reason }) => {
      const isOff = catalog.current.computations.get(computationId)?.enabled === false
      return reason === 'deleted' || !isOff
    })
    const kept = [...(await memberships.sizes()).keys()]
    if (!kept.every((id) => catalog.current.computations.has(id))) return false
    // A commit may be visible before its events are handed out. This write resolves after them.
    await profiles.begin(100)
    return isEnd && events.length === 0 && waiting === 0 && running.length === 0
  }
}
