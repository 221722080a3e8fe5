import { setTimeout as sleep } from 'node:timers/promises'
import { CONDITION_MS } from '../run/condition-ms.ts'
import { ServerProcess } from './server-process.ts'

export interface StartedServerOptions {
  readonly program: string
  readonly args: readonly string[]
  readonly user?: { readonly uid?: number; readonly gid?: number }
  /** Resolves if the server is ready, and rejects otherwise. */
  readonly check: () => Promise<unknown>
}

const EVERY_MS = 20

export class StartedServer implements AsyncDisposable {
  readonly #options: StartedServerOptions
  #process: ServerProcess | undefined

  constructor(options: StartedServerOptions) {
    this.#options = options
  }

  get pid(): number {
    return this.#process!.pid
  }

  async start(): Promise<void> {
    const { program, args, user, check } = this.#options
    const deadline = performance.now() + CONDITION_MS
    let ended = ''
    for (;;) {
      this.#process ??= new ServerProcess(program, args, user)
      try {
        await check()
        return
      } catch (error) {
        if (performance.now() > deadline)
          throw new Error(ended + this.#process.output, { cause: error })
        await sleep(EVERY_MS)
        // PostgreSQL does not start while children of the killed server are running.
        if (this.#process.isRunning) continue
        ended = this.#process.output
        this.#process = undefined
      }
    }
  }

  async kill(): Promise<void> {
    await this.#process?.[Symbol.asyncDispose]()
    this.#process = undefined
  }

  /** Stops the server gracefully, with SIGTERM or another signal, so that it writes unsaved data. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#process?.kill(signal)
    while (this.#process?.isRunning) await sleep(EVERY_MS)
    await this.kill()
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process?.kill(signal)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill()
  }
}
