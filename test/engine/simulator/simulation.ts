import type { Destination } from '@hookline/protocol'
import type { Sender } from '../../../packages/server/src/delivery/rounds/attempt-round.ts'
import { blockedUntil } from '../../../packages/server/src/delivery/health/destination-health.ts'
import { seededRandom } from '../../../packages/server/test/harness/seeded-random.ts'
import { destinationsOf } from './surroundings/destinations-of.ts'
import { DurableState } from './backend/durable-state.ts'
import { openMemoryBackend, type SimulatedBackend } from './backend/memory-backend.ts'
import { ProcessClock } from './surroundings/process-clock.ts'
import { Rulebook } from './rules/rulebook.ts'
import { EVENTFUL_MS, MINUTE, type Scenario } from './scenario.ts'
import { SeededMath } from './surroundings/seeded-math.ts'
import { settled } from './surroundings/settled.ts'
import { SimulatedEvents, USERS } from './surroundings/simulated-events.ts'
import { SimulatedNetwork } from './surroundings/simulated-network.ts'
import { SimulatedProcess } from './simulated-process.ts'
import { VirtualClock } from './surroundings/virtual-clock.ts'
import { WatchedHealth } from './rules/watched-health.ts'
import { WatchedRounds } from './rules/watched-rounds.ts'

/** Bugs to plant: what the engine gets in place of what it should. */
export interface Tampering {
  readonly backend?: (backend: SimulatedBackend) => SimulatedBackend
  readonly sender?: (sender: Sender) => Sender
  readonly Health?: typeof WatchedHealth
}

/** What a simulation came to. */
export interface Outcome {
  /** What was against the rules, in words; empty where all is well. */
  readonly violations: readonly string[]
  readonly steps: number
  readonly events: number
  readonly sends: number
  readonly crashes: number
}

/** One process of the engine, and what it alone knows. */
interface Life {
  readonly clock: ProcessClock
  readonly process: SimulatedProcess
  readonly health: WatchedHealth
}

/** After the last surprise: the longest Retry-After, and the longest rest of a breaker. */
const SETTLING_MS = 2 * 60 * 60_000
/** After the backend was away: the longest pause before the engine asks it again. */
const AWAY_PAUSE_MS = 15_000
/** Many times what the longest scenario takes. */
const MOST_STEPS = 300_000

/** Everything that was durable when a process was killed is there for the next; nothing else is. */
class Simulation {
  readonly #scenario: Scenario
  readonly #tampering: Tampering
  readonly #random: () => number
  readonly #clock = new VirtualClock()
  readonly #beginning = this.#clock.now()
  readonly #state = new DurableState()
  readonly #rules: Rulebook
  readonly #network: SimulatedNetwork
  readonly #events: SimulatedEvents
  #life: Life | undefined
  /** A process that is about to stop by itself. */
  #stopping: Life | undefined
  #mayStartAt = 0
  #awayUntil = 0
  /** Purges that were asked for and are not done, by user: the time they reach up to. */
  readonly #purges = new Map<string, number>()
  readonly #ends = { 'cut off': 0, well: 0 }

  constructor(scenario: Scenario, tampering: Tampering) {
    this.#scenario = scenario
    this.#tampering = tampering
    this.#random = seededRandom(scenario.seed)
    const { destinations, weather } = destinationsOf(scenario)
    for (const destination of destinations) this.#put(destination)
    this.#rules = new Rulebook({ scenario, clock: this.#clock, state: this.#state, weather })
    this.#events = new SimulatedEvents(this.#random)
    this.#network = new SimulatedNetwork({
      weather,
      random: this.#random,
      startedAt: this.#beginning,
      onSend: ({ deliveryId, url }, outcome) => this.#rules.sent(deliveryId, url, outcome),
    })
  }

  async run(): Promise<Outcome> {
    using _math = new SeededMath(this.#random)
    this.#start()
    this.#plan()
    const { accounts, violations, seen } = this.#rules
    const end = this.#beginning + EVENTFUL_MS + this.#scenario.retryWindowMs + SETTLING_MS
    let steps = 0
    for (; this.#clock.now() < end && !this.#isOver() && steps < MOST_STEPS; steps++) {
      this.#clock.step(end)
      await settled()
      this.#rules.check(this.#isUp(), (destination) => this.#rests(destination))
      this.#checkBooks()
    }
    if (steps === MOST_STEPS) this.#rules.breaks('The engine goes round in circles.')
    for (const unsettled of accounts.unsettled()) this.#rules.breaks(unsettled)
    this.#life?.clock.kill()
    const { events } = accounts
    return {
      violations: [...violations],
      steps,
      events,
      sends: seen.sends,
      crashes: this.#ends['cut off'],
    }
  }

  #plan(): void {
    const { arrivals, stops, away, destinations, purges } = this.#scenario
    const at = (ms: number, task: () => void): void => void this.#clock.after(ms, task)
    for (const { atMs, count, repeats } of arrivals) at(atMs, () => this.#arrive(count, repeats))
    for (const { atMs, downMs, how } of stops) at(atMs, () => this.#stop(how, downMs))
    for (const { atMs, forMs } of away) {
      at(atMs, () => (this.#awayUntil = this.#clock.now() + forMs))
    }
    for (const { atMs, user } of purges) at(atMs, () => this.#purge(USERS[user]!))
    for (const [index, { off, removedAtMs }] of destinations.entries()) {
      const id = `dst_${index}`
      if (off !== null) at(off.atMs, () => this.#change(id, TURNED_OFF[off.how]))
      if (off !== null) at(off.atMs + off.forMs, () => this.#change(id, turnedOn))
      // What said that it is gone is well by then.
      at(EVENTFUL_MS + MINUTE, () => this.#change(id, turnedOn))
      if (removedAtMs !== null) at(removedAtMs, () => this.#remove(id))
    }
  }

  #start(): void {
    const { limits, retryWindowMs } = this.#scenario
    const { Health = WatchedHealth, backend: tamper, sender: tamperSender } = this.#tampering
    const clock = new ProcessClock(this.#clock)
    const health = new Health(clock, (url, until) => this.#rules.tried(url, until))
    const backend = this.#openBackend(clock)
    const network = this.#network.senderFor(clock)
    const sender = tamperSender?.(network) ?? network
    const schedule = { windowMs: retryWindowMs }
    const process = new SimulatedProcess({
      clock,
      backend: tamper?.(backend) ?? backend,
      sender,
      rounds: new WatchedRounds({ clock, sender, schedule, health }, this.#rules.watcher),
      health,
      limits,
      retryWindowMs,
      onBug: (line) => this.#rules.breaks(line),
    })
    this.#rules.seen.started(clock.now())
    this.#life = { clock, process, health }
    for (const [userId, until] of this.#purges) this.#carryOut(userId, until)
  }

  #openBackend(clock: ProcessClock): SimulatedBackend {
    return openMemoryBackend(this.#state, {
      clock,
      delayMs: () => Math.floor(this.#random() * (this.#scenario.commitMs + 1)),
      isAway: () => this.#clock.now() < this.#awayUntil,
      witness: this.#rules.witness,
    })
  }

  #stop(how: 'kill' | 'stop', downMs: number): void {
    const life = this.#life ?? this.#stopping
    this.#mayStartAt = Math.max(this.#mayStartAt, this.#clock.now() + downMs)
    if (life === undefined) this.#startWhenDue()
    else if (how === 'kill') this.#end(life, 'cut off')
    else if (life === this.#life) void this.#stopGracefully(life)
  }

  async #stopGracefully(life: Life): Promise<void> {
    const stoppedAt = this.#clock.now()
    this.#life = undefined
    this.#stopping = life
    await life.process[Symbol.asyncDispose]()
    // A process that is killed while it stops never gets here: its clock stands still.
    this.#end(life, this.#awayUntil > stoppedAt ? 'cut off' : 'well')
  }

  #end(life: Life, how: 'cut off' | 'well'): void {
    life.clock.kill()
    this.#life = undefined
    this.#stopping = undefined
    this.#ends[how]++
    if (how === 'cut off') this.#rules.wasCutOff()
    this.#startWhenDue()
  }

  #startWhenDue(): void {
    this.#clock.after(this.#mayStartAt - this.#clock.now(), () => {
      const isFree = this.#life === undefined && this.#stopping === undefined
      if (isFree && this.#clock.now() >= this.#mayStartAt) this.#start()
    })
  }

  /** A call with these events comes in; what is answered 200 must be kept. */
  #arrive(count: number, repeats: number): void {
    if (this.#life === undefined) return
    const events = this.#events.make(this.#clock.now(), count, repeats)
    const promised = (): void => events.forEach((event) => this.#rules.accounts.promised(event))
    this.#life.process.backend.log.append(events).then(promised, () => undefined)
  }

  #purge(userId: string): void {
    // What arrives at this very moment stays.
    const until = this.#clock.now() - 1
    this.#purges.set(userId, until)
    this.#carryOut(userId, until)
  }

  /** As the worker of deletions does it: again after a failure, and after a restart. */
  #carryOut(userId: string, until: number): void {
    const life = this.#life
    if (life === undefined) return
    this.#rules.rounds.purgeBegins(userId, until)
    const isDone = (): void => {
      if (this.#purges.get(userId) === until) this.#purges.delete(userId)
    }
    const again = (): void => void life.clock.after(1000, () => this.#carryOut(userId, until))
    life.process.backend.deletions.purgeUser(userId, until).then(isDone, again)
  }

  #change(id: string, change: Change): void {
    const destination = this.#state.destinations.get(id)
    if (destination !== undefined) this.#put({ ...destination, ...change(destination) })
  }

  #put(destination: Destination): void {
    this.#state.destinations.set(destination.id, destination)
    this.#state.destinationIds.add(destination.id)
    void this.#life?.process.backend.catalog.putDestination(destination)
  }

  #remove(id: string): void {
    this.#state.destinations.delete(id)
    this.#rules.accounts.removed(id)
    void this.#life?.process.backend.catalog.removeDestination(id)
  }

  #isUp(): boolean {
    return this.#life !== undefined && this.#clock.now() >= this.#awayUntil + AWAY_PAUSE_MS
  }

  #rests(destination: Destination): boolean {
    return blockedUntil(destination, this.#life!.health) > this.#clock.now()
  }

  /** The engine's own books. */
  #checkBooks(): void {
    const imbalance = this.#life?.process.imbalance ?? 0
    if (imbalance !== 0) this.#rules.breaks(`${imbalance} deliveries are unaccounted for`)
    const inMemory = this.#life?.process.inMemory ?? 0
    if (inMemory > this.#scenario.limits.laneWindow * this.#state.destinationIds.size)
      this.#rules.breaks(`${inMemory} deliveries are in memory`)
  }

  #isOver(): boolean {
    return this.#clock.now() > this.#beginning + EVENTFUL_MS && this.#rules.accounts.areSettled
  }
}

/** Runs a scenario to its end: until every event has come to one, or could have. */
export function simulate(scenario: Scenario, tampering: Tampering = {}): Promise<Outcome> {
  return new Simulation(scenario, tampering).run()
}

const PAUSED = { since: 0, reason: 'operator' } as const

type Change = (destination: Destination) => Partial<Destination>

const TURNED_OFF: Readonly<Record<'disabled' | 'paused' | 'first webhook paused', Change>> = {
  disabled: () => ({ enabled: false }),
  paused: () => ({ paused: PAUSED }),
  'first webhook paused': ({ settings }) => ({
    settings: {
      ...settings,
      webhooks: settings.webhooks.map((webhook, index) =>
        index === 0 ? { ...webhook, paused: PAUSED } : webhook,
      ),
    },
  }),
}

const turnedOn: Change = ({ settings }) => ({
  enabled: true,
  paused: null,
  settings: {
    ...settings,
    webhooks: settings.webhooks.map(({ paused: _, ...webhook }) => webhook),
  },
})
