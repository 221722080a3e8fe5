import type { Destination } from '@hookline/protocol'
import type { JoinedBackend } from '../../../packages/server/src/backend/threads.ts'
import type {
  LaneMainFunctions,
  LaneThreadData,
  LaneThreadFunctions,
} from '../../../packages/server/src/engine/lane-threads/lane-messages.ts'
import { runLanes } from '../../../packages/server/src/engine/lane-threads/run-lanes.ts'
import type { LaneGroup } from '../../../packages/server/src/engine/lane-group.ts'
import { Metrics } from '../../../packages/server/src/telemetry/metrics.ts'
import { Channel } from '../../../packages/server/src/threads/channel.ts'
import {
  type BaseMainFunctions,
  type BaseThreadFunctions,
  beginThread,
} from '../../../packages/server/src/threads/run-thread.ts'
import type {
  OpenedThread,
  ThreadOptions,
} from '../../../packages/server/src/threads/running-thread.ts'
import type { MemoryJoinOptions } from './backend/memory-threads.ts'
import { ProcessClock } from './environment/process-clock.ts'
import { SimulatedPort } from './environment/simulated-port.ts'
import type { InstrumentedHealth } from './invariants/instrumentation.ts'

/** The options of a thread for its lanes, without the clock and the simulated parts. */
export type LaneGroupOfThread = Omit<
  ConstructorParameters<typeof LaneGroup>[0],
  'sender' | 'health' | 'attempts' | 'clock'
>

export interface LanesOfThread {
  readonly group: LaneGroup
  readonly health: InstrumentedHealth
}

export interface ThreadEnvironment {
  /** The clock of the process. */
  readonly clock: ProcessClock
  readonly random: () => number
  /** Joins the backend of the process. */
  readonly join: (data: unknown, options: MemoryJoinOptions) => JoinedBackend
  /** Called when a connection to the backend has ended. */
  readonly onLeft: (data: unknown) => void
  /** Opens the lanes of a thread, by its clock. */
  readonly openLanes: (
    thread: number,
    clock: ProcessClock,
    options: LaneGroupOfThread,
  ) => LanesOfThread
}

/** The error in a thread that the scenario has killed. */
export const KILLED = 'The scenario killed the thread.'

const MAX_LATENCY_MS = 10
const START_MS = { min: 10, max: 150 }
/**
 * The maximum delay until main detects the exit of a thread. Some of its last messages arrive
 * before then, and some are lost.
 */
const MAX_EXIT_MS = 5

// Shared by all threads, because no test reads it.
const metrics = new Metrics(1, { ofProcess: false })

/** A thread of lanes in a simulated process. It replaces only the Node worker and its port. */
export class SimulatedThread implements OpenedThread {
  readonly port: SimulatedPort
  readonly ended: Promise<Error>
  readonly number: number
  readonly #environment: ThreadEnvironment
  readonly #clock: ProcessClock
  readonly #own: SimulatedPort
  readonly #data: LaneThreadData
  readonly #levels: ThreadOptions['start']['levels']
  readonly #ended = Promise.withResolvers<Error>()
  #lanes: LanesOfThread | undefined
  #owns: (destinationId: string) => boolean = () => false

  constructor({ start }: ThreadOptions, environment: ThreadEnvironment) {
    const { clock, random } = environment
    this.#environment = environment
    this.#data = structuredClone(start.data) as LaneThreadData
    this.#levels = start.levels
    this.number = this.#data.thread
    this.#clock = new ProcessClock(clock)
    const latencyMs = Math.floor(random() * (MAX_LATENCY_MS + 1))
    ;[this.port, this.#own] = SimulatedPort.pair([clock, this.#clock], latencyMs)
    this.ended = this.#ended.promise
    const startMs = START_MS.min + Math.floor(random() * (START_MS.max - START_MS.min))
    this.#clock.after(startMs, () => void this.#begin())
  }

  /** The lanes; `undefined` before they are opened, and after the thread has exited. */
  get lanes(): LanesOfThread | undefined {
    return this.#clock.isAlive ? this.#lanes : undefined
  }

  owns(destinationId: string): boolean {
    return this.#owns(destinationId)
  }

  /** Kills the thread on behalf of the scenario. */
  kill(): void {
    this.#end(new Error(KILLED))
  }

  terminate(): void {
    this.#end(new Error('The thread exited with code 1.'))
  }

  async #begin(): Promise<void> {
    type Functions = LaneThreadFunctions & BaseThreadFunctions
    const main = new Channel<Functions, LaneMainFunctions & BaseMainFunctions>(this.#own, {
      keepsAlive: true,
    })
    void main.closed.then(() => this.#end(new Error('The thread exited with code 0.')))
    const { join } = this.#environment
    const putDestination = (destination: Destination): Promise<void> =>
      main.call('putDestination', destination)
    const input = { data: this.#data, main, metrics, levels: this.#levels }
    await beginThread<LaneThreadFunctions, LaneMainFunctions, LaneThreadData>(
      input,
      async (context) => {
        const backend = join(this.#data.backend, { clock: this.#clock, putDestination })
        return runLanes(context, backend, (options) => this.#open(options))
      },
    )
  }

  #open(options: LaneGroupOfThread): LaneGroup {
    this.#owns = options.owns ?? this.#owns
    this.#lanes = this.#environment.openLanes(this.number, this.#clock, options)
    return this.#lanes.group
  }

  #end(reason: Error): void {
    const { clock, random, onLeft } = this.#environment
    if (!this.#clock.isAlive) return
    this.#clock.kill()
    this.#own.close()
    onLeft(this.#data.backend)
    const exitMs = Math.floor(random() * (MAX_EXIT_MS + 1))
    clock.after(exitMs, () => this.#ended.resolve(reason))
  }
}
