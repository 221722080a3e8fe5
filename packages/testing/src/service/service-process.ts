import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { HOOKLINE } from '../repository.ts'

/** The service in a separate process, as an operator starts it. */
export class ServiceProcess {
  readonly url: string
  readonly #child: ChildProcess
  #stderr = ''

  constructor(options: {
    readonly port: number
    readonly dataDir: string
    readonly settings: Readonly<Record<string, string>>
    readonly openFiles?: number | undefined
    /** The file descriptor for stderr. By default, output is collected in `stderr`. */
    readonly stderr?: number
  }) {
    this.url = `http://127.0.0.1:${options.port}`
    const args = ['start', '--host', '127.0.0.1', '--port', `${options.port}`]
    const command = [process.execPath, HOOKLINE, ...args, '--data-dir', options.dataDir]
    // Uses a shell only for a limit, because the shell would also load LD_PRELOAD libraries.
    const limited = ['sh', '-c', `ulimit -n ${options.openFiles}; exec "$@"`, 'sh', ...command]
    const [program, ...rest] = options.openFiles === undefined ? command : limited
    this.#child = spawn(program!, rest, {
      env: { PATH: process.env['PATH'], ...options.settings },
      stdio: ['ignore', 'ignore', options.stderr ?? 'pipe'],
    })
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString()))
  }

  /** Waits until the service accepts calls. Resolves to `false` if the process exits first. */
  async ready(): Promise<boolean> {
    while (this.isRunning()) {
      const response = await fetch(`${this.url}/readyz`).catch(() => undefined)
      if (response?.status === 200) return true
      await sleep(10)
    }
    return false
  }

  isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Sends SIGKILL: no handler runs and nothing is flushed. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  async stop(): Promise<number | null> {
    await this.#end('SIGTERM')
    return this.#child.exitCode
  }

  /** `null` while it runs, or if it was killed by a signal. */
  get exitCode(): number | null {
    return this.#child.exitCode
  }

  get pid(): number {
    return this.#child.pid!
  }

  get stderr(): string {
    return this.#stderr
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (!this.isRunning()) return
    const exited = once(this.#child, 'exit')
    this.#child.kill(signal)
    await exited
  }
}
