import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  type ResourceLimits,
  type Transferable,
} from 'node:worker_threads'
import type { LogEvent } from '../telemetry/log-events.ts'
import type { Clock } from '../util/time/clock.ts'
import { startThread } from '../util/workers/start-thread.ts'
import type { BaseMainFunctions, BaseThreadFunctions, ThreadStart } from './run-thread.ts'
import {
  Channel,
  type ChannelPort,
  restoredError,
  ThreadExitedError,
  wireError,
} from './channel.ts'

export interface ThreadInput {
  readonly data: unknown
  /** Ports and buffers of `data`, to transfer. */
  readonly transfer?: readonly Transferable[]
}

export interface ThreadOptions {
  readonly name: string
  /** The module that calls `runThread`, without the extension of its file. */
  readonly module: URL
  readonly start: Omit<ThreadStart<unknown>, 'port'>
  readonly transfer: readonly Transferable[]
  readonly resourceLimits: ResourceLimits | undefined
}

export interface OpenedThread {
  readonly port: ChannelPort
  readonly ended: Promise<Error>
  terminate(): void
}

export interface RunningThreadOptions<Main> extends Pick<ThreadOptions, 'name' | 'module'> {
  readonly input: ThreadInput
  readonly functions: Main & BaseMainFunctions
  readonly levels: readonly LogEvent['level'][]
  readonly resourceLimits?: ResourceLimits | undefined
  readonly clock: Clock
  readonly openThread?: (thread: ThreadOptions) => OpenedThread
}

const START_MS = 30_000

/** Half of V8's default for new objects, because threads are slow to return this memory. */
const YOUNG_MB = 24

export class RunningThread<Thread, Main> {
  readonly channel: Channel<Main & BaseMainFunctions, Thread & BaseThreadFunctions>
  /** Resolves with the reason when the thread has exited, and its sockets and ports are closed. */
  readonly ended: Promise<Error>
  readonly #opened: OpenedThread
  readonly #clock: Clock
  readonly #cancelStart: () => void
  #reason: Error | undefined
  #isReady = false

  constructor(options: RunningThreadOptions<Main>) {
    const { name, module, input, levels, resourceLimits, clock, openThread = openWorker } = options
    const { data, transfer = [] } = input
    this.#clock = clock
    this.#opened = openThread({ name, module, start: { levels, data }, transfer, resourceLimits })
    this.channel = new Channel(this.#opened.port)
    this.channel.offer({ ...options.functions, ready: () => this.#ready(options.functions) })
    this.ended = this.#watch()
    this.#cancelStart = clock.after(START_MS, () =>
      this.#abort(new Error('The thread did not start in time.')),
    )
  }

  terminate(): void {
    this.#opened.terminate()
  }

  /**
   * Signals the thread to finish its work, and terminates it when it has, or after `timeoutMs`. A thread that is still starting is
   * terminated at once.
   */
  stop(timeoutMs: number): void {
    const base = this.channel as unknown as Channel<BaseMainFunctions, BaseThreadFunctions>
    if (!this.#isReady) return this.#abort(new ThreadExitedError())
    const cancel = this.#clock.after(timeoutMs, () => this.#abort(new ThreadExitedError()))
    base.call('stop').then(
      () => base.close(),
      () => this.#abort(new ThreadExitedError()),
    )
    void this.ended.then(cancel)
  }

  #ready(functions: BaseMainFunctions): void {
    this.#isReady = true
    this.#cancelStart()
    functions.ready()
  }

  #abort(reason: Error): void {
    this.#reason ??= reason
    this.terminate()
  }

  async #watch(): Promise<Error> {
    const why = await this.#opened.ended
    this.#cancelStart()
    const reason = this.#reason ?? why
    this.channel.close(new ThreadExitedError({ cause: reason }))
    return reason
  }
}

function openWorker({
  name,
  module,
  start,
  transfer,
  resourceLimits,
}: ThreadOptions): OpenedThread {
  const { port1, port2 } = new MessageChannel()
  const worker = startThread(module, {
    name: `hookline-${name}`,
    workerData: { ...start, port: port2 } satisfies ThreadStart<unknown>,
    transferList: [port2, ...transfer],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB, ...resourceLimits },
  })
  const { promise: ended, resolve } = Promise.withResolvers<Error>()
  let reason: Error | undefined
  // Every exit is reported here: an error, out of memory, `terminate`, `process.exit`.
  worker.on('error', (error) => (reason = restoredError(wireError(error))))
  worker.on('exit', (code) => {
    readLastMessages(port1)
    resolve(reason ?? new Error(`The thread exited with code ${code}.`))
  })
  return { port: port1, ended, terminate: () => void worker.terminate() }
}

/** The event `exit` may precede the thread's last messages, which explain it. */
function readLastMessages(port: MessagePort): void {
  for (;;) {
    const last = receiveMessageOnPort(port)
    if (last === undefined) return
    port.emit('message', last.message)
  }
}
