import type { Destination } from '@hookline/protocol'
import type { Sender } from '../../../packages/server/src/delivery/parts/attempts.ts'
import { seededRandom } from '../../../packages/server/test/harness/seeded-random.ts'
import { SeededMathRandom } from '../seed.ts'
import { DurableState } from './backend/durable-state.ts'
import { openMemoryBackend, type SimulatedBackend } from './backend/memory-backend.ts'
import { ProcessClock } from './environment/process-clock.ts'
import {
  type DestinationChange,
  destinationsOf,
  TURNED_OFF,
  turnedOn,
} from './environment/simulated-destinations.ts'
import { SimulatedEvents, USERS } from './environment/simulated-events.ts'
import { SimulatedNetwork } from './environment/simulated-network.ts'
import { settled, VirtualClock } from './environment/virtual-clock.ts'
import { InstrumentedAttempts, InstrumentedHealth } from './invariants/instrumentation.ts'
import { Invariants } from './invariants/invariants.ts'
import { ProcessLifecycle, type RunningProcess } from './process-lifecycle.ts'
import { PurgeRequests } from './purge-requests.ts'
import { FAULTS_MS, MINUTE, type Scenario } from './scenario.ts'
import { SimulatedProcess } from './simulated-process.ts'

/** A bug to inject: parts that replace those of the engine or the backend. */
export interface InjectedBug {
  readonly backend?: (backend: SimulatedBackend) => SimulatedBackend
  readonly sender?: (sender: Sender) => Sender
  readonly Health?: typeof InstrumentedHealth
}

export interface SimulationResult {
  /** Each violation of an invariant, as a sentence. */
  readonly violations: readonly string[]
  readonly steps: number
  readonly events: number
  readonly sends: number
  readonly crashes: number
}

/** The time after the last fault: the longest Retry-After, and the longest open time of a breaker. */
const SETTLING_MS = 2 * 60 * 60_000
/** The longest pause before the engine uses the backend again after an outage. */
const BACKEND_RETRY_MS = 15_000
/** Many times more than the longest scenario needs. */
const MOST_STEPS = 300_000

/** Runs a scenario with one process after the other. The durable state is all that they share. */
class Simulation {
  readonly #scenario: Scenario
  readonly #bug: InjectedBug
  readonly #random: () => number
  readonly #clock = new VirtualClock()
  readonly #beganAt = this.#clock.now()
  readonly #state = new DurableState()
  readonly #invariants: Invariants
  readonly #network: SimulatedNetwork
  readonly #events: SimulatedEvents
  readonly #lifecycle: ProcessLifecycle
  #unavailableUntil = 0
  readonly #purges: PurgeRequests

  constructor(scenario: Scenario, bug: InjectedBug) {
    this.#scenario = scenario
    this.#bug = bug
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
    this.#network = new SimulatedNetwork({
      behaviours,
      random: this.#random,
      startedAt: this.#beganAt,
      onSend: ({ deliveryId, url }, outcome) => invariants.sent(deliveryId, url, outcome),
    })
    this.#lifecycle = new ProcessLifecycle({
      clock: this.#clock,
      open: () => this.#openProcess(),
      onStarted: (process) => this.#onStarted(process),
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
    if (steps === MOST_STEPS)
      this.#invariants.violated(`not finished after ${MOST_STEPS} steps: the engine may be looping`)
    for (const violation of ledger.unsettled()) this.#invariants.violated(violation)
    this.#lifecycle.running?.clock.kill()
    return {
      violations: [...violations],
      steps,
      events: ledger.events,
      sends: requests.sends,
      crashes: this.#lifecycle.interruptions,
    }
  }

  /** Steps the clock until all events have ended, or until all of them should have. Returns the number of steps. */
  async #runToEnd(): Promise<number> {
    const end = this.#beganAt + FAULTS_MS + this.#scenario.retryWindowMs + SETTLING_MS
    let steps = 0
    for (; this.#clock.now() < end && !this.#isSettled() && steps < MOST_STEPS; steps++) {
      this.#clock.step(end)
      await settled()
      this.#invariants.check(this.#isUp(), (id, url) => this.#isBlocked(id, url))
      this.#checkAccounting()
    }
    return steps
  }

  /** Sets a timer for everything that the scenario contains. */
  #plan(): void {
    const { arrivals, stops, outages, destinations, purges } = this.#scenario
    const at = (ms: number, task: () => void): void => void this.#clock.after(ms, task)
    for (const { atMs, count, repeats } of arrivals) at(atMs, () => this.#append(count, repeats))
    for (const { atMs, downMs, how } of stops) at(atMs, () => this.#lifecycle.end(how, downMs))
    for (const { atMs, forMs } of outages) {
      at(atMs, () => (this.#unavailableUntil = this.#clock.now() + forMs))
    }
    for (const { atMs, user } of purges) at(atMs, () => this.#purges.add(USERS[user]!))
    for (const [index, { off, removedAtMs }] of destinations.entries()) {
      const id = `dst_${index}`
      if (off !== null) at(off.atMs, () => this.#change(id, TURNED_OFF[off.how]))
      if (off !== null) at(off.atMs + off.forMs, () => this.#change(id, turnedOn))
      // All receivers are healthy by then, so webhooks that were paused for 410 responses are resumed.
      at(FAULTS_MS + MINUTE, () => this.#change(id, turnedOn))
      if (removedAtMs !== null) at(removedAtMs, () => this.#remove(id))
    }
  }

  #openProcess(): RunningProcess {
    const { limits, retryWindowMs } = this.#scenario
    const {
      Health = InstrumentedHealth,
      backend: replaceBackend,
      sender: replaceSender,
    } = this.#bug
    const invariants = this.#invariants
    const clock = new ProcessClock(this.#clock)
    const health = new Health(clock, (url, until) => invariants.tried(url, until))
    const backend = this.#openBackend(clock)
    const network = this.#network.senderFor(clock)
    const sender = replaceSender?.(network) ?? network
    const schedule = { windowMs: retryWindowMs }
    const options = { clock, sender, schedule, health }
    const process = new SimulatedProcess({
      clock,
      backend: replaceBackend?.(backend) ?? backend,
      sender,
      attempts: new InstrumentedAttempts(options, invariants.attemptListener),
      health,
      limits,
      retryWindowMs,
      onBug: (line) => invariants.violated(line),
    })
    return { clock, process, health }
  }

  #openBackend(clock: ProcessClock): SimulatedBackend {
    return openMemoryBackend(this.#state, {
      clock,
      delayMs: () => Math.floor(this.#random() * (this.#scenario.commitMs + 1)),
      isUnavailable: () => this.#clock.now() < this.#unavailableUntil,
      listener: this.#invariants.backendListener,
    })
  }

  #onStarted(process: RunningProcess): void {
    this.#invariants.requests.processStarted(process.clock.now())
    this.#purges.carryOutAll()
  }

  /** A call with these events arrives. When its response is 200, the events must be durable. */
  #append(count: number, repeats: number): void {
    const { running } = this.#lifecycle
    if (running === undefined) return
    const events = this.#events.make(this.#clock.now(), count, repeats)
    const accepted = (): void => events.forEach((event) => this.#invariants.ledger.accepted(event))
    running.process.backend.log.append(events).then(accepted, () => undefined)
  }

  #change(id: string, change: DestinationChange): void {
    const destination = this.#state.destinations.get(id)
    if (destination !== undefined) this.#put({ ...destination, ...change(destination) })
  }

  #put(destination: Destination): void {
    this.#state.destinations.set(destination.id, destination)
    this.#state.destinationIds.add(destination.id)
    void this.#lifecycle.running?.process.backend.catalog.putDestination(destination)
  }

  #remove(id: string): void {
    this.#state.destinations.delete(id)
    this.#invariants.ledger.removed(id)
    void this.#lifecycle.running?.process.backend.catalog.removeDestination(id)
  }

  /** Whether a process runs and has had time to notice that the backend is available. */
  #isUp(): boolean {
    const { running } = this.#lifecycle
    return running !== undefined && this.#clock.now() >= this.#unavailableUntil + BACKEND_RETRY_MS
  }

  #isBlocked(destinationId: string, url: string): boolean {
    const { health } = this.#lifecycle.running!
    return health.trueBlockedUntil(destinationId, url) > this.#clock.now()
  }

  /** Checks the engine's own accounting, and the bound of its memory. */
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
    const most = this.#scenario.limits.laneWindow * webhooks
    if (inMemory > most)
      this.#invariants.violated(`${inMemory} parts in memory; the limit is ${most}`)
  }

  #isSettled(): boolean {
    return this.#clock.now() > this.#beganAt + FAULTS_MS && this.#invariants.ledger.isSettled
  }
}

/** Runs a scenario until every event has ended, or should have. */
export function simulate(scenario: Scenario, bug: InjectedBug = {}): Promise<SimulationResult> {
  return new Simulation(scenario, bug).run()
}
