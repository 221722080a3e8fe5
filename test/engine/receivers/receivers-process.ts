import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** Runs the receivers in a separate process, so they take no CPU time from the engine. */
export class ReceiversProcess implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #port: number

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.#port = port
  }

  static async open(): Promise<ReceiversProcess> {
    const child = fork(new URL('receivers.ts', import.meta.url))
    const [port] = (await once(child, 'message')) as [number]
    return new ReceiversProcess(child, port)
  }

  urlOf(name: string): string {
    return `http://127.0.0.1:${this.#port}/${name}`
  }

  /** The time from acceptance to arrival of each delivery since the last call. */
  async latenciesMs(): Promise<readonly number[]> {
    this.#child.send('latencies')
    const [latencies] = (await once(this.#child, 'message')) as [number[]]
    return latencies
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    await exited
  }
}
