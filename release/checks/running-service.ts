import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '@hookline/testing/network/free-port'
import { environment } from '../command.ts'
import type { InstalledProject } from './installed-project.ts'

/** The start timeout, for a busy machine. */
const MAX_START_MS = 60_000

/** `hookline start` from installed tarballs, with the default data folder. */
export class RunningService implements AsyncDisposable {
  readonly url: string
  readonly port: string
  readonly #child: ChildProcess
  readonly #closed: Promise<unknown>
  #output = ''

  private constructor({ folder, node }: InstalledProject, port: string) {
    this.port = port
    this.url = `http://127.0.0.1:${port}`
    const program = join(folder, 'node_modules/.bin/hookline')
    this.#child = spawn(program, ['start', '--port', port], {
      cwd: folder,
      env: environment(node),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#closed = once(this.#child, 'close')
    this.#child.stdout!.on('data', (text: Buffer) => (this.#output += text.toString()))
    this.#child.stderr!.on('data', (text: Buffer) => (this.#output += text.toString()))
  }

  static async start(installed: InstalledProject): Promise<RunningService> {
    const service = new RunningService(installed, `${await freePort()}`)
    await service.#ready()
    return service
  }

  /** Stops it with SIGTERM, as an operator would. Rejects unless it exits with 0. */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM')
    await this.#closed
    if (this.#child.exitCode !== 0) throw new Error(`hookline start\n${this.#output}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null)
      this.#child.kill('SIGKILL')
    await this.#closed
  }

  async #ready(): Promise<void> {
    const deadline = performance.now() + MAX_START_MS
    while (this.#child.exitCode === null && performance.now() < deadline) {
      const response = await fetch(`${this.url}/readyz`).catch(() => undefined)
      if (response?.status === 200) return
      await pause(50)
    }
    this.#child.kill('SIGKILL')
    throw new Error(`hookline start\n${this.#output}`)
  }
}
