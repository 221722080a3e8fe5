import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { Arrivals } from './arrivals.ts'
import { Cluster, type ClusterSize, type Source } from './cluster.ts'
import { DeletedUsers } from './deleted-users.ts'
import { diagnosis } from './diagnosis.ts'
import { type Effect, effectOf, type FaultOccurrence } from './fault-report.ts'
import { type FaultKind, type FaultTimes, oneOf, type Scene } from './faults/fault.ts'
import { KeyedRequests } from './keyed-requests.ts'
import type { Node } from './node.ts'
import { Traffic } from './traffic.ts'

export interface FaultRunOptions extends FaultTimes {
  /** Random numbers, uniform over [0, 1). */
  readonly random: () => number
  readonly natsServers: ClusterSize['natsServers']
  readonly canCutPower: boolean
}

const NODES = 3
/** Longer than leases, claims and the log's ack wait together. */
const RECOVERED_MS = 120_000
/** The number of faults between deletions of users. */
const DELETION_EVERY = 8

/** A cluster under load with injected faults. */
export class FaultRun implements AsyncDisposable {
  readonly traffic: Traffic
  readonly #cluster: Cluster
  readonly #options: FaultRunOptions
  readonly #sources: readonly Source[]
  readonly #arrivals: Arrivals
  readonly #deleted: DeletedUsers
  readonly #keyed: KeyedRequests
  readonly #stop = new AbortController()
  readonly #sending: Promise<unknown>
  readonly #stack: AsyncDisposableStack
  readonly #occurrences: FaultOccurrence[] = []

  private constructor(
    options: FaultRunOptions,
    parts: Pick<Scene, 'cluster'> & {
      readonly sources: readonly Source[]
      readonly arrivals: Arrivals
    },
    stack: AsyncDisposableStack,
  ) {
    this.#options = options
    this.#cluster = parts.cluster
    this.#sources = parts.sources
    this.#arrivals = parts.arrivals
    this.#stack = stack
    this.traffic = new Traffic(parts.sources, options.random)
    this.#deleted = new DeletedUsers(parts.cluster, parts.sources, options.random)
    this.#keyed = new KeyedRequests(parts.cluster, options.random)
    const { signal } = this.#stop
    this.#sending = Promise.all([
      ...parts.cluster.nodes.map((node) => this.traffic.run(node, signal)),
      this.#keyed.run(signal),
    ])
  }

  static async open(options: FaultRunOptions): Promise<FaultRun> {
    const { natsServers, canCutPower, random } = options
    await using stack = new AsyncDisposableStack()
    const arrivals = stack.use(await Arrivals.open(random))
    const cluster = stack.use(await Cluster.open({ nodes: NODES, natsServers, canCutPower }))
    const sources = await cluster.createSources((number) => arrivals.urlOf(String(number)))
    return new FaultRun(options, { cluster, sources, arrivals }, stack.move())
  }

  /**
   * Injects a fault and waits until every node and partition works again. Rejects with a diagnosis
   * if one does not.
   */
  async survive(fault: FaultKind): Promise<void> {
    const number = this.#occurrences.length + 1
    const users = number % DELETION_EVERY === 1 ? await this.#deleted.sendCalls() : []
    const [beganAt, duplicates] = [performance.now(), this.#arrivals.duplicates]
    const deleting = users.length === 0 ? undefined : this.#deleted.delete(users)
    const node = await this.#happen(fault)
    const endedAt = performance.now()
    const hasRecovered = await this.#hasRecovered()
    const recoveredAt = performance.now()
    this.#occurrences.push({
      kind: fault.name,
      node,
      beganAt,
      endedAt,
      recoveredAt,
      duplicates: this.#arrivals.duplicates - duplicates,
    })
    if (!hasRecovered) await this.#fail(`After fault ${number} (${fault.name}), calls are delayed.`)
    await deleting
    const [lasted, seconds] = [endedAt - beganAt, recoveredAt - endedAt].map((ms) =>
      (ms / 1000).toFixed(1),
    )
    console.log(`${number} ${fault.name}: lasted ${lasted} s, recovered ${seconds} s after its end`)
    const ended = this.#cluster.nodes.filter(({ isRunning }) => !isRunning)
    if (ended.length > 0) await this.#fail(`${ended[0]!.name} exited unexpectedly.`)
  }

  /** Stops the load, waits until all calls have arrived and all work is done, and checks that all counts balance. */
  async end(): Promise<void> {
    this.#stop.abort()
    await this.#sending
    await this.#until('calls that got a 200 and have not arrived', () => this.#missing())
    await this.#until('deletions that are not finished', () => this.#deleted.open())
    const cluster = this.#cluster
    await this.#until('chunks in the log', async () => (await cluster.stream()).state.messages)
    await this.#until('waiting parts', async () => {
      const [row] = await cluster.sql('SELECT count(*)::int AS rows FROM waiting_parts')
      return row!['rows'] as number
    })
    const paths = this.#sources.map((_, number) => String(number))
    let faults: readonly string[] = []
    await this.#until(
      () => `errors in notices: ${faults.slice(0, 3).join(', ')}`,
      async () => (faults = await this.#deleted.noticeFaults(this.#arrivals, paths)).length,
    )
    expect(await this.#deleted.tablesWithTheirData()).toEqual([])
    expect(await this.#keyed.faults()).toEqual([])
    expect(await this.#imbalances()).toEqual([])
    expect(this.#arrivals.renamed).toEqual([])
  }

  get summary(): string {
    const { accepted, sent } = this.traffic
    return (
      `${this.#occurrences.length} faults, ${accepted.size} of ${sent} calls got a 200, ` +
      `lost ${this.#missing()}, ${this.#arrivals.duplicates} duplicates, ${this.#deleted.count} deletions, ` +
      `${this.#keyed.count} tokens`
    )
  }

  /** The number of accepted requests that were repeats. */
  get duplicates(): number {
    return this.#arrivals.duplicates
  }

  get effects(): readonly Effect[] {
    const { accepted } = this.traffic
    return this.#occurrences.map((each) => effectOf(each, accepted, this.#arrivals))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#stack.disposeAsync()
    await this.#sending
  }

  /** Resolves to the affected node, if it was a single one. */
  async #happen(fault: FaultKind): Promise<Node | undefined> {
    const cluster = this.#cluster
    let node: Node | undefined
    const oneNode = (): Node => (node = oneOf(cluster.nodes, this.#options.random))
    await fault.happen({ ...this.#options, cluster, oneNode })
    return node
  }

  #missing(): number {
    return this.#arrivals.missing(this.traffic.accepted.keys()).length
  }

  /** Whether a call for each source through each node has arrived. */
  async #hasRecovered(): Promise<boolean> {
    const signal = AbortSignal.timeout(RECOVERED_MS)
    const { nodes } = this.#cluster
    const probes = await Promise.all(nodes.map((node) => this.traffic.probe(node, signal)))
    if (signal.aborted) console.log('A node refused every attempt of a call until the deadline.')
    const missing = new Set(probes.flat())
    return this.#arrivals.until(() => {
      for (const id of missing) if (this.#arrivals.firstAt(id) !== undefined) missing.delete(id)
      return missing.size === 0
    }, signal)
  }

  async #until(
    what: string | (() => string),
    count: () => number | Promise<number>,
  ): Promise<void> {
    const deadline = performance.now() + RECOVERED_MS
    let last: unknown
    while ((last = await Promise.resolve(count()).catch(String)) !== 0) {
      if (performance.now() > deadline) {
        const described = typeof what === 'string' ? what : what()
        await this.#fail(`At the end: ${String(last)} ${described}.`)
      }
      await sleep(200)
    }
  }

  /** Where tables and nodes disagree with the accepted calls. */
  async #imbalances(): Promise<string[]> {
    const cluster = this.#cluster
    const faults: string[] = []
    const kept = await cluster.sql(
      `SELECT message_id, count(*)::int AS times FROM events WHERE user_id = 'u1' GROUP BY 1`,
    )
    const times = new Map(kept.map((row) => [row['message_id'] as string, row['times'] as number]))
    for (const id of this.traffic.accepted.keys())
      if (times.get(id) !== 1) faults.push(`${id} is in the archive ${times.get(id) ?? 0} times`)
    const states = await cluster.sql(
      `SELECT state, count(*)::int AS rows FROM deliveries WHERE state <> 'delivered' GROUP BY 1`,
    )
    faults.push(
      ...states.map((row) => `${String(row['rows'])} deliveries are ${String(row['state'])}`),
    )
    for (const node of cluster.nodes) {
      const metrics = await (await fetch(`${node.url}/metrics`)).text()
      const line = /^hookline_accounting_imbalance (.*)$/m.exec(metrics)?.[1]
      if (line !== '0') faults.push(`${node.name} has an imbalance of ${line}`)
    }
    return faults
  }

  async #fail(what: string): Promise<never> {
    const { accepted } = this.traffic
    throw new Error(`${what}\n${await diagnosis(this.#cluster, this.#arrivals, accepted)}`)
  }
}
