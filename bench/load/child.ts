import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

const EXEC_ARGV = [
  '--conditions=hookline-source',
  '--expose-gc',
  `--import=${new URL('../programs/end-with-parent.ts', import.meta.url).href}`,
]

/** If HOOKLINE_BENCH_PROFILES is set, every process writes CPU profiles of its threads to that folder. */
function profiling(): readonly string[] {
  const folder = process.env['HOOKLINE_BENCH_PROFILES']
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`]
}

/**
 * A program of `bench/programs` in its own process. It sends a message when it is ready, and then one in response to
 * each message.
 */
export class Child implements AsyncDisposable {
  readonly #process: ChildProcess

  private constructor(started: ChildProcess) {
    this.#process = started
  }

  static async start(script: string, args: readonly string[] = []): Promise<[Child, unknown]> {
    const path = new URL(`../programs/${script}`, import.meta.url)
    const started = fork(path, args, { execArgv: [...EXEC_ARGV, ...profiling()] })
    return [new Child(started), await nextMessage(started)]
  }

  async ask(message: object): Promise<unknown> {
    const response = nextMessage(this.#process)
    this.#process.send(message)
    return response
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null) return
    const exited = once(this.#process, 'exit')
    this.#process.kill('SIGTERM')
    await exited
  }
}

async function nextMessage(child: ChildProcess): Promise<unknown> {
  const received = new AbortController()
  const exited = once(child, 'exit', { signal: received.signal }).then(() => {
    throw new Error('The process of a side has exited.')
  })
  const [message] = (await Promise.race([once(child, 'message'), exited])) as unknown[]
  received.abort()
  exited.catch(() => undefined)
  return message
}
