import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { buildGo } from '@hookline/testing/programs/go'

const MODULE = fileURLToPath(new URL('../programs/go', import.meta.url))

/** A program from `bench/programs/go` in a separate process, on one core. */
export class GoProgram implements AsyncDisposable {
  readonly #process: ChildProcess
  readonly #lines: Interface

  private constructor(started: ChildProcess) {
    this.#process = started
    this.#lines = createInterface(started.stdout!)
  }

  static async start(program: string, measured: string): Promise<GoProgram> {
    const env = { ...process.env, GOMAXPROCS: '1' }
    const stdio = ['pipe', 'pipe', 'inherit'] as const
    return new GoProgram(
      spawn(await buildGo(MODULE, program), [measured], { env, stdio: [...stdio] }),
    )
  }

  /** Loads the library for this many seconds. Resolves with the figure. */
  async measure(seconds: number): Promise<number> {
    this.#process.stdin!.write(`${seconds}\n`)
    const ended = once(this.#lines, 'close').then(() => {
      throw new Error('A benchmarked program exited.')
    })
    ended.catch(() => undefined)
    const [line] = (await Promise.race([once(this.#lines, 'line'), ended])) as unknown[]
    return Number(line)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null) return
    const exited = once(this.#process, 'exit')
    this.#process.stdin!.end()
    await exited
  }
}
