import type { Delivery, LaneState } from '@hookline/protocol'
import type { SharedChange } from '../../backend/threads.ts'
import type { LaneCommand } from '../../backend/deliveries.ts'
import type { FreshDelivery } from '../../delivery/dispatcher.ts'
import { restoredError } from '../../threads/channel.ts'
import { ThreadSupervisor } from '../../threads/thread-host.ts'
import { IDLE, initialStates, type Lanes, type LanesStatus } from '../lanes.ts'
import type { LaneGroupSettings } from '../lane-group.ts'
import { LaneThread, type LaneThreadOptions, type LaneThreadsOptions } from './lane-thread.ts'
import { Owners } from './owners.ts'
import { activityIn } from './lane-messages.ts'

/** While a thread has this many unrecorded fresh deliveries, the pipeline waits. */
const MAX_OPEN = 4_096

/** Lanes in threads. Each thread joins the backend, and has a `LaneGroup` for its destinations (`owners.ts`). */
export class LaneThreads implements Lanes {
  readonly #options: LaneThreadsOptions
  readonly #owners: Owners
  readonly #threads: readonly LaneThread[]
  readonly #supervisor: ThreadSupervisor
  readonly #stopping = new AbortController()
  readonly #stopFollowing: () => void
  #accepted = 0
  #freed: PromiseWithResolvers<void> | undefined

  constructor(options: LaneThreadsOptions) {
    const { backend, threads: count, settings } = options
    this.#options = options
    this.#owners = new Owners(count)
    this.#owners.assign(backend.catalog.current.destinations.keys())
    this.#supervisor = new ThreadSupervisor(options)
    const own = {
      ...options,
      settings: shareOf(settings, count),
      signal: this.#stopping.signal,
      functionsOfMain: this.#functionsOfMain(),
    }
    this.#threads = Array.from(
      { length: count },
      (_, number) => new LaneThread(number, this.#owners, own, () => this.#onFreed()),
    )
    this.#stopFollowing = backend.threads.onChange((change) => this.#apply(change))
    for (const { host } of this.#threads) this.#supervisor.run(host)
  }

  deliver(delivery: FreshDelivery): void {
    this.#accepted++
    this.#of(delivery.delivery.destinationId).deliver(delivery)
  }

  get accepted(): number {
    return this.#accepted
  }

  get unrecorded(): number {
    return this.#threads.reduce((sum, { open }) => sum + open, 0)
  }

  async ready(): Promise<void> {
    while (this.#threads.some(({ open }) => open >= MAX_OPEN) && !this.#stopping.signal.aborted) {
      this.#freed ??= Promise.withResolvers()
      await this.#freed.promise
    }
  }

  wake(): void {
    for (const { host } of this.#threads) host.channel?.send('wake')
  }

  async states(
    destinationIds: readonly string[],
  ): Promise<ReadonlyMap<string, readonly LaneState[]>> {
    const { catalog } = this.#options.backend
    const groups = Map.groupBy(destinationIds, (id) => this.#of(id))
    // A thread that is not ready starts with closed breakers.
    const responses = [...groups].map(
      async ([{ host }, ids]) =>
        (await host.channel?.call('states', ids).catch(() => undefined)) ??
        initialStates(ids, catalog),
    )
    const all = new Map((await Promise.all(responses)).flatMap((states) => [...states]))
    return new Map(destinationIds.flatMap((id) => (all.has(id) ? [[id, all.get(id)!]] : [])))
  }

  async attemptsOf(
    deliveries: readonly Pick<Delivery, 'id' | 'destinationId'>[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
    const groups = Map.groupBy(deliveries, ({ destinationId }) => this.#of(destinationId))
    const responses = [...groups].map(async ([{ host }, group]) => {
      const requested = group.map(({ id, destinationId }) => ({ id, destinationId }))
      return (await host.channel?.call('attemptsOf', requested).catch(() => undefined)) ?? new Map()
    })
    return new Map((await Promise.all(responses)).flatMap((attempts) => [...attempts]))
  }

  async command({ command, webhooks }: LaneCommand): Promise<void> {
    const groups = Map.groupBy(webhooks, ({ destinationId }) => this.#of(destinationId))
    await Promise.all(
      [...groups].map(([thread, group]) => thread.command({ command, webhooks: group })),
    )
  }

  async status(): Promise<LanesStatus> {
    const statuses = await Promise.all(
      this.#threads.map(async ({ host, stalledMs }) => {
        const status = await host.channel?.call('status').catch(() => undefined)
        const failing = [...(status?.failing ?? [])].map(
          ([worker, error]) => [`${host.name} ${worker}`, error] as const,
        )
        return { ...(status ?? IDLE), mainStalledMs: stalledMs, failing }
      }),
    )
    const sum = (count: (status: (typeof statuses)[number]) => number): number =>
      statuses.reduce((total, status) => total + count(status), 0)
    return {
      stalledMs: Math.max(
        ...statuses.map((status) => Math.max(status.stalledMs, status.mainStalledMs)),
      ),
      inMemory: sum(({ inMemory }) => inMemory),
      unrecorded: this.#threads.reduce((total, { open }) => total + open, 0),
      imbalance: sum(({ imbalance }) => imbalance),
      openBreakers: sum(({ openBreakers }) => openBreakers),
      failing: new Map([
        ...this.#supervisor.failing,
        ...statuses.flatMap(({ failing }) => failing),
      ]),
    }
  }

  stop(): void {
    this.#stopping.abort()
    this.#freed?.resolve()
    for (const { host } of this.#threads) host.channel?.send('stopLanes')
  }

  abort(): void {
    for (const { host } of this.#threads) host.channel?.send('abort')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop()
    await this.#supervisor[Symbol.asyncDispose]()
    this.#stopFollowing()
  }

  /** For tests that end a thread. */
  get hosts(): readonly LaneThread['host'][] {
    return this.#threads.map(({ host }) => host)
  }

  #of(destinationId: string): LaneThread {
    return this.#threads[this.#owners.of(destinationId)]!
  }

  async #apply(change: SharedChange): Promise<void> {
    const destinations = change.kind === 'catalog' ? change.change.put.destinations : []
    const assignments = this.#owners.assign(destinations.map(({ id }) => id))
    await Promise.all(this.#threads.map((thread) => thread.apply({ change, assignments })))
  }

  #onFreed(): void {
    if (this.#threads.some(({ open }) => open >= MAX_OPEN)) return
    this.#freed?.resolve()
    this.#freed = undefined
  }

  #functionsOfMain(): LaneThreadOptions['functionsOfMain'] {
    const { backend, activity, inspector, onPermanentFailure } = this.#options
    return {
      recorded: ({ activity: reported }) => {
        for (const packed of reported) activity.recorded(activityIn(packed))
      },
      putDestination: (destination) => backend.catalog.putDestination(destination),
      failedPermanently: ({ message, ...failure }) =>
        onPermanentFailure({ ...failure, error: new Error(message) }),
      corrupted: (error) => backend.threads.reportCorruption(restoredError(error)),
      inspect: (request) => inspector.receive(request),
      inspected: (id) => inspector.responded(id),
    }
  }
}

function shareOf(settings: LaneGroupSettings, threads: number): LaneGroupSettings {
  const { limits, sender } = settings
  const share = (all: number): number => Math.max(1, Math.floor(all / threads))
  return {
    ...settings,
    limits: {
      ...limits,
      maxInFlight: share(limits.maxInFlight),
      // Half of a thread's limit is at most a quarter of the total.
      laneShare: threads === 1 ? 1 / 4 : 1 / 2,
      maxInMemory: share(limits.maxInMemory),
    },
    sender: {
      ...sender,
      ...(sender.maxSockets !== undefined && { maxSockets: share(sender.maxSockets) }),
    },
  }
}
