import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const BIN = fileURLToPath(new URL('../../packages/cli/bin/hookline.js', import.meta.url))

/** The service as an operator starts it, in a process of its own that can be killed. */
export class ServiceProcess {
  readonly url: string
  readonly #child: ChildProcess
  #said = ''

  constructor(options: {
    readonly port: number
    readonly dataDir: string
    readonly settings: Readonly<Record<string, string>>
  }) {
    this.url = `http://127.0.0.1:${options.port}`
    const args = ['start', '--host', '127.0.0.1', '--port', `${options.port}`]
    this.#child = spawn(process.execPath, [BIN, ...args, '--data-dir', options.dataDir], {
      env: { PATH: process.env['PATH'], ...options.settings },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#child.stderr!.on('data', (said: Buffer) => (this.#said += said.toString()))
  }

  /** Resolves to true once calls are accepted, to false where the process ended before. */
  async ready(): Promise<boolean> {
    while (this.isRunning()) {
      const answer = await fetch(`${this.url}/readyz`).catch(() => undefined)
      if (answer?.status === 200) return true
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    return false
  }

  isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** SIGKILL: no handler runs, nothing is flushed. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** The graceful way. Returns the exit code. */
  async stop(): Promise<number | null> {
    await this.#end('SIGTERM')
    return this.#child.exitCode
  }

  /** `null` while it runs, or where a signal ended it. */
  get exitCode(): number | null {
    return this.#child.exitCode
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** What it wrote to stderr, for a failure's message. */
  get said(): string {
    return this.#said
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (!this.isRunning()) return
    const exited = once(this.#child, 'exit')
    this.#child.kill(signal)
    await exited
  }
}
