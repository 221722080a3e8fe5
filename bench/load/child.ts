import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

const EXEC_ARGV = [
  '--conditions=hookline-source',
  '--expose-gc',
  `--import=${new URL('../programs/end-with-parent.ts', import.meta.url).href}`,
]

/** Every process leaves CPU profiles of its threads in the folder HOOKLINE_BENCH_PROFILES, where that is set. */
function profiling(): readonly string[] {
  const folder = process.env['HOOKLINE_BENCH_PROFILES']
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`]
}

/**
 * A program of `bench/programs` in a process of its own. It answers each message with one message; the
 * first it sends by itself, when it is ready.
 */
export class Child implements AsyncDisposable {
  readonly #process: ChildProcess

  private constructor(started: ChildProcess) {
    this.#process = started
  }

  static async start(script: string, args: readonly string[] = []): Promise<[Child, unknown]> {
    const path = new URL(`../programs/${script}`, import.meta.url)
    const started = fork(path, args, { execArgv: [...EXEC_ARGV, ...profiling()] })
    return [new Child(started), await answer(started)]
  }

  async ask(message: object): Promise<unknown> {
    const answered = answer(this.#process)
    this.#process.send(message)
    return answered
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null) return
    const exited = once(this.#process, 'exit')
    this.#process.kill('SIGTERM')
    await exited
  }
}

async function answer(child: ChildProcess): Promise<unknown> {
  const gone = new AbortController()
  const exited = once(child, 'exit', { signal: gone.signal }).then(() => {
    throw new Error('The process of a side has ended.')
  })
  const [message] = (await Promise.race([once(child, 'message'), exited])) as unknown[]
  gone.abort()
  exited.catch(() => undefined)
  return message
}
