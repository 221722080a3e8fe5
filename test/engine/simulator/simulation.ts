import type { Destination } from '@hookline/protocol'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { SeededMathRandom } from '@hookline/testing/run/seed'
import { DurableState } from './backend/durable-state.ts'
import {
  type DestinationChange,
  destinationsOf,
  TURNED_OFF,
  turnedOn,
} from './environment/simulated-destinations.ts'
import { SimulatedEvents, USERS } from './environment/simulated-events.ts'
import { SimulatedNetwork } from './environment/simulated-network.ts'
import { waitForTurns, VirtualClock } from './environment/virtual-clock.ts'
import { Invariants, type LaneInGroup } from './invariants/invariants.ts'
import { ProcessLifecycle } from './process-lifecycle.ts'
import { type InjectedBug, ProcessOpener } from './process-opener.ts'
import { PurgeRequests } from './purge-requests.ts'
import { FAULTS_MS, MINUTE, type Scenario } from './scenario.ts'

export interface SimulationResult {
  /** A description of each violation. */
  readonly violations: readonly string[]
  readonly steps: number
  readonly events: number
  readonly sends: number
  readonly crashes: number
  /** The number of kills of running threads. */
  readonly threadKills: number
}

/** The time after the last fault, for the longest Retry-After and the longest open time of a breaker. */
const SETTLING_MS = 2 * 60 * 60_000
/** The maximum delay before the engine uses the backend again after an outage. */
const BACKEND_RETRY_MS = 15_000
/** Far more than the longest scenario needs. */
const MAX_STEPS = 300_000
/** A thread's report is made at the end of one turn, and sent at the end of the next. One more as a margin. */
const TURNS_WITH_THREADS = 3

/** Runs a scenario with one process after another. They share only the durable state. */
class Simulation {
  readonly #scenario: Scenario
  readonly #random: () => number
  readonly #clock = new VirtualClock()
  readonly #beganAt = this.#clock.now()
  readonly #state = new DurableState()
  readonly #invariants: Invariants
  readonly #events: SimulatedEvents
  readonly #lifecycle: ProcessLifecycle
  #unavailableUntil = 0
  #threadKills = 0
  readonly #purges: PurgeRequests

  constructor(scenario: Scenario, bug: InjectedBug) {
    this.#scenario = scenario
    this.#random = seededRandom(scenario.seed)
    const { destinations, behaviours } = destinationsOf(scenario)
    const invariants = new Invariants({
      scenario,
      clock: this.#clock,
      state: this.#state,
      behaviours,
    })
    this.#invariants = invariants
    this.#events = new SimulatedEvents(this.#random)
    const network = new SimulatedNetwork({
      behaviours,
      random: this.#random,
      startedAt: this.#beganAt,
      onSend: ({ deliveryId, url }, outcome) => invariants.sent(deliveryId, url, outcome),
    })
    const opener = this.#openerOf(bug, network)
    this.#lifecycle = new ProcessLifecycle({
      clock: this.#clock,
      open: () => opener.open(),
      onStarted: () => this.#onStarted(),
      wasUnavailableSince: (at) => this.#unavailableUntil > at,
      onInterrupted: () => invariants.interrupted(),
    })
    this.#purges = new PurgeRequests({
      state: this.#state,
      running: () => this.#lifecycle.running,
      onBegin: (userId, through) => invariants.purgeBegins(userId, through),
    })
    for (const destination of destinations) this.#put(destination)
  }

  async run(): Promise<SimulationResult> {
    using _random = new SeededMathRandom(this.#random)
    this.#lifecycle.start()
    this.#plan()
    const steps = await this.#runToEnd()
    const { ledger, violations, requests } = this.#invariants
    if (steps === MAX_STEPS)
      this.#invariants.violated(`not finished after ${MAX_STEPS} steps: the engine may be looping`)
    for (const violation of ledger.unsettled()) this.#invariants.violated(violation)
    this.#lifecycle.running?.clock.kill()
    return {
      violations: [...violations],
      steps,
      events: ledger.events,
      sends: requests.sends,
      crashes: this.#lifecycle.interruptions,
      threadKills: this.#threadKills,
    }
  }

  #openerOf(bug: InjectedBug, network: SimulatedNetwork): ProcessOpener {
    return new ProcessOpener({
      scenario: this.#scenario,
      bug,
      clock: this.#clock,
      random: this.#random,
      state: this.#state,
      network,
      invariants: this.#invariants,
      isUnavailable: () => this.#clock.now() < this.#unavailableUntil,
    })
  }

  /** Steps the clock until all events are final, or should be. Returns the number of steps. */
  async #runToEnd(): Promise<number> {
    const end = this.#beganAt + FAULTS_MS + this.#scenario.retryWindowMs + SETTLING_MS
    const turns = (this.#scenario.threads ?? 0) > 0 ? TURNS_WITH_THREADS : 1
    let steps = 0
    for (; this.#clock.now() < end && !this.#isSettled() && steps < MAX_STEPS; steps++) {
      this.#clock.step(end)
      await waitForTurns(turns)
      const areThreadsUp = this.#lifecycle.running?.threads?.areUp !== false
      const isUp = this.#isUp()
      this.#invariants.check({ isUp, areThreadsUp }, (id, url) => this.#laneOf(id, url))
      this.#checkAccounting()
    }
    return steps
  }

  /** Sets timers for everything in the scenario. */
  #plan(): void {
    const { arrivals, stops, outages, destinations, purges, threadKills = [] } = this.#scenario
    const at = (ms: number, task: () => void): void => void this.#clock.after(ms, task)
    for (const { atMs, count, repeats } of arrivals) at(atMs, () => this.#append(count, repeats))
    for (const { atMs, downMs, how } of stops) at(atMs, () => this.#lifecycle.end(how, downMs))
    for (const { atMs, thread } of threadKills) at(atMs, () => this.#killThread(thread))
    for (const { atMs, forMs } of outages) {
      at(atMs, () => (this.#unavailableUntil = this.#clock.now() + forMs))
    }
    for (const { atMs, user } of purges) at(atMs, () => this.#purges.add(USERS[user]!))
    for (const [index, { off, removedAtMs }] of destinations.entries()) {
      const id = `dst_${index}`
      if (off !== null) at(off.atMs, () => this.#change(id, TURNED_OFF[off.how]))
      if (off !== null) at(off.atMs + off.forMs, () => this.#change(id, turnedOn))
      // All receivers are healthy by then. Resumes webhooks that were paused because of 410 responses.
      at(FAULTS_MS + MINUTE, () => this.#change(id, turnedOn))
      if (removedAtMs !== null) at(removedAtMs, () => this.#remove(id))
    }
  }

  #killThread(number: number): void {
    const owns = this.#lifecycle.alive?.threads?.kill(number)
    if (owns === undefined) return
    this.#threadKills++
    this.#invariants.threadInterrupted(number, owns)
  }

  #onStarted(): void {
    this.#invariants.processStarted()
    this.#purges.carryOutAll()
  }

  /** Sends a call with these events. If it gets a 200, the events must be durable. */
  #append(count: number, repeats: number): void {
    const { running } = this.#lifecycle
    if (running === undefined) return
    const events = this.#events.make(this.#clock.now(), count, repeats)
    const accepted = (): void => events.forEach((event) => this.#invariants.ledger.accepted(event))
    running.process.backend.log.append(events).then(accepted, () => undefined)
  }

  #change(id: string, change: DestinationChange): void {
    const destination = this.#state.destinations.get(id)
    if (destination === undefined) return
    const version = destination.version + 1
    this.#put({ ...destination, ...change(destination), version })
  }

  #put(destination: Destination): void {
    const { destinations, destinationIds } = this.#state
    void this.#lifecycle.running?.process.backend.catalog.putDestination(destination)
    destinations.set(destination.id, destination)
    destinationIds.add(destination.id)
  }

  #remove(id: string): void {
    void this.#lifecycle.running?.process.backend.catalog.removeDestination(id)
    this.#state.destinations.delete(id)
    this.#invariants.ledger.removed(id)
  }

  /** Whether a process is running and has had time to notice that the backend is available. */
  #isUp(): boolean {
    const { running } = this.#lifecycle
    return running !== undefined && this.#clock.now() >= this.#unavailableUntil + BACKEND_RETRY_MS
  }

  /** The state of a lane according to its thread or, without threads, the process. */
  #laneOf(destinationId: string, url: string): LaneInGroup | undefined {
    const { health: ofProcess, threads } = this.#lifecycle.running!
    const thread = threads?.of(destinationId)
    const health = threads ? thread?.lanes.health : ofProcess
    if (health === undefined) return undefined
    const blockedUntil = health.trueBlockedUntil(destinationId, url)
    const isBlocked =
      Math.max(blockedUntil, health.nextAttemptAt(destinationId, url)) > this.#clock.now()
    return { group: thread?.number ?? 0, isBlocked }
  }

  /** Checks the engine's own accounting and its memory limit. */
  #checkAccounting(): void {
    const process = this.#lifecycle.running?.process
    const imbalance = process?.imbalance ?? 0
    if (imbalance !== 0)
      this.#invariants.violated(`the engine reports an imbalance of ${imbalance} deliveries`)
    const inMemory = process?.inMemory ?? 0
    const webhooks = this.#scenario.destinations.reduce(
      (sum, each) => sum + each.webhooks.length,
      0,
    )
    const max = this.#scenario.limits.webhookQueueSize * webhooks
    if (inMemory > max)
      this.#invariants.violated(`${inMemory} parts in memory; the limit is ${max}`)
  }

  #isSettled(): boolean {
    return this.#clock.now() > this.#beganAt + FAULTS_MS && this.#invariants.ledger.isSettled
  }
}

/** Runs a scenario until every event is final, or should be. */
export function simulate(scenario: Scenario, bug: InjectedBug = {}): Promise<SimulationResult> {
  return new Simulation(scenario, bug).run()
}
