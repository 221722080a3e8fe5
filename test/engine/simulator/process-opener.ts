import type { Sender } from '../../../packages/server/src/delivery/parts/attempts.ts'
import { Transforms } from '../../../packages/server/src/delivery/transforms/transforms.ts'
import { LaneGroup } from '../../../packages/server/src/engine/lane-group.ts'
import type { Clock } from '../../../packages/server/src/util/time/clock.ts'
import type { DurableState } from './backend/durable-state.ts'
import { openMemoryBackend, type SimulatedBackend } from './backend/memory-backend.ts'
import { ProcessClock } from './environment/process-clock.ts'
import type { SimulatedNetwork } from './environment/simulated-network.ts'
import { InstrumentedAttempts, InstrumentedHealth } from './invariants/instrumentation.ts'
import type { Invariants } from './invariants/invariants.ts'
import type { RunningProcess } from './process-lifecycle.ts'
import type { Scenario } from './scenario.ts'
import { groupSender, SimulatedProcess } from './simulated-process.ts'
import type { LaneGroupOfThread, LanesOfThread } from './simulated-thread.ts'
import { SimulatedThreads } from './simulated-threads.ts'

/** A bug to inject, by replacing parts of the engine or the backend. */
export interface InjectedBug {
  readonly backend?: (backend: SimulatedBackend) => SimulatedBackend
  readonly sender?: (sender: Sender) => Sender
  readonly Health?: typeof InstrumentedHealth
  /** Changes the options with which a thread opens its lanes. */
  readonly lanesOfThread?: (options: LaneGroupOfThread) => LaneGroupOfThread
}

export interface ProcessOpenerOptions {
  readonly scenario: Scenario
  readonly bug: InjectedBug
  readonly clock: Clock
  readonly random: () => number
  readonly state: DurableState
  readonly network: SimulatedNetwork
  readonly invariants: Invariants
  readonly isUnavailable: () => boolean
}

/** The parts that each group of lanes has, in the process or in a thread. */
interface PartsOfGroup {
  readonly health: InstrumentedHealth
  readonly sender: Sender
  readonly attempts: InstrumentedAttempts
}

/** Opens the processes of a simulation on its durable state, with observers and the injected bug. */
export class ProcessOpener {
  readonly #options: ProcessOpenerOptions

  constructor(options: ProcessOpenerOptions) {
    this.#options = options
  }

  open(): RunningProcess {
    const { scenario, bug, invariants } = this.#options
    const { limits, retryWindowMs, threads: count = 0 } = scenario
    const clock = new ProcessClock(this.#options.clock)
    const opened = this.#openBackend(clock)
    const backend = bug.backend?.(opened) ?? opened
    const threads = count > 0 ? this.#openThreads(count, clock, backend) : undefined
    const parts = this.#partsOfGroup(clock, 0)
    const onBug = (line: string): void => invariants.violated(line)
    const options = { clock, backend, limits, retryWindowMs, threads, onBug }
    const process = new SimulatedProcess({ ...options, ...parts })
    return { clock, process, health: parts.health, threads }
  }

  #openBackend(clock: ProcessClock): SimulatedBackend {
    const { state, random, scenario, isUnavailable, invariants } = this.#options
    return openMemoryBackend(state, {
      clock,
      delayMs: () => Math.floor(random() * (scenario.commitMs + 1)),
      isUnavailable,
      listener: invariants.backendListener,
    })
  }

  /** @param mayAct whether the group is alive. A killed thread does nothing more in the same turn */
  #partsOfGroup(clock: ProcessClock, group: number, mayAct = (): boolean => true): PartsOfGroup {
    const { bug, invariants, network, scenario } = this.#options
    const { Health = InstrumentedHealth } = bug
    const health = new Health(clock, (url, until) => mayAct() && invariants.tried(url, until))
    const own = network.senderFor(clock)
    const replaced = bug.sender?.(own) ?? own
    const sender: Sender = {
      send: (request) => (mayAct() ? replaced.send(request) : new Promise(() => undefined)),
    }
    const options = {
      clock,
      sender,
      schedule: { windowMs: scenario.retryWindowMs },
      health,
      transforms: new Transforms(),
    }
    const listener = invariants.attemptListenerOf(group)
    const attempts = new InstrumentedAttempts(options, {
      attemptBegins: (begun) => mayAct() && listener.attemptBegins(begun),
      attemptEnds: (begun, attempt) => mayAct() && listener.attemptEnds(begun, attempt),
    })
    return { health, sender, attempts }
  }

  #openThreads(
    count: number,
    clock: ProcessClock,
    { threads }: SimulatedBackend,
  ): SimulatedThreads {
    return new SimulatedThreads(count, {
      clock,
      random: this.#options.random,
      join: (data, options) => threads.join(data, options),
      onLeft: (data) => threads.ended(data),
      openLanes: (number, ofThread, options) => this.#openLanes(number, ofThread, options),
    })
  }

  #openLanes(number: number, clock: ProcessClock, given: LaneGroupOfThread): LanesOfThread {
    const { bug, invariants } = this.#options
    const options = bug.lanesOfThread?.(given) ?? given
    const { limits, retryWindowMs } = options.settings
    const { health, sender, attempts } = this.#partsOfGroup(clock, number, () => clock.isAlive)
    const own = { clock, health, attempts, sender: groupSender(sender) }
    const group = new LaneGroup({ ...options, settings: { limits, retryWindowMs }, ...own })
    if (given.owns) invariants.threadStarted(given.owns)
    return { group, health }
  }
}
