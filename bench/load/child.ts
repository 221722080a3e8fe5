import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type ThreadTime, threadTimes } from '../profile/thread-times.ts'

const EXEC_ARGV = [
  '--conditions=hookline-source',
  '--expose-gc',
  `--import=${new URL('../programs/exit-with-parent.ts', import.meta.url).href}`,
]

/** Every process writes CPU profiles of its threads to the folder in HOOKLINE_BENCH_PROFILES, if it is set. */
function profiling(): readonly string[] {
  const folder = process.env['HOOKLINE_BENCH_PROFILES']
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`]
}

/** Programs with coverage also count the messages between their threads. */
function counting({ NODE_V8_COVERAGE: folder }: Readonly<Record<string, string>>): string[] {
  if (folder === undefined) return []
  return [`--import=${new URL('../programs/count-messages.ts', import.meta.url).href}`]
}

/** The resource usage that every program reports. */
export interface Usage {
  /** CPU time of all threads since the start of the process. */
  readonly cpuMicros: number
  readonly residentBytes: number
}

/**
 * A program from `bench/programs` in a separate process. It sends a message when it is ready, and then one in response to
 * each message.
 */
export class Child implements AsyncDisposable {
  readonly #process: ChildProcess

  private constructor(started: ChildProcess) {
    this.#process = started
  }

  /** @param environment variables in addition to this process's environment */
  static async start(
    script: string,
    args: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<[Child, unknown]> {
    const path = new URL(`../programs/${script}`, import.meta.url)
    const env = { ...process.env, ...environment }
    const execArgv = [...EXEC_ARGV, ...profiling(), ...counting(environment)]
    const started = fork(path, args, { execArgv, env })
    return [new Child(started), await nextMessage(started)]
  }

  get pid(): number {
    return this.#process.pid!
  }

  /** Sends a request and resolves with the program's response (`load/serve-requests.ts`). */
  async request(request: { readonly name: string; readonly seconds?: number }): Promise<unknown> {
    const response = nextMessage(this.#process)
    this.#process.send(request)
    return response
  }

  async usage(): Promise<Usage> {
    return (await this.request({ name: 'usage' })) as Usage
  }

  /** CPU times of its threads; empty without `/proc`. */
  threadTimes(): readonly ThreadTime[] {
    return threadTimes(this.pid)
  }

  /** The CPU profile of each thread while `work` runs, as a pair of thread name and JSON. */
  async profiles(work: () => Promise<unknown>): Promise<readonly (readonly [string, string])[]> {
    await this.request({ name: 'profile start' })
    await work()
    return (await this.request({ name: 'profile' })) as readonly (readonly [string, string])[]
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
    throw new Error('A benchmarked process exited.')
  })
  const [message] = (await Promise.race([once(child, 'message'), exited])) as unknown[]
  received.abort()
  exited.catch(() => undefined)
  return message
}
