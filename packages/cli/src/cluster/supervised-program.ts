import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import type { RunAs } from './server-programs.ts'

export interface SupervisedProgramOptions {
  /** What people call it. */
  readonly name: string
  readonly program: string
  readonly args: readonly string[]
  readonly user?: RunAs
  readonly env?: NodeJS.ProcessEnv
  /** The signal that ends it gracefully. */
  readonly stopSignal: NodeJS.Signals
  /** Resolves to whether the process can be used now. */
  readonly isReady: (pid: number) => Promise<boolean>
  readonly on: ProgramListener
  /** It has written a line to stderr. */
  readonly onLine?: (line: string) => void
}

/** What happens to a program. */
export interface ProgramListener {
  /** It runs as this process. */
  readonly started: (name: string, pid: number) => void
  /** It can be used, `again` where it had ended. */
  readonly ready: (name: string, pid: number, again: boolean) => void
  /** It has ended though nobody has asked for it, and is started again. */
  readonly ended: (name: string, pid: number, how: string) => void
}

const CHECK_MS = 50
/** A program that does not start is started again after this time, each time twice as long, up to the second one. */
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 5_000
/** How often it may end before it was ready once. */
const MOST_FAILED_STARTS = 5
/** How long it may take to end before it is killed. */
const STOP_MS = 20_000
/** Characters of what it printed last, for the message of a failure. */
const KEPT_OUTPUT = 4_000

/** A program did not start. The message is what it printed last. */
export class ProgramFailed extends Error {
  override readonly name = 'ProgramFailed'
  readonly program: string

  constructor(program: string, output: string) {
    super(output.trim().split('\n').slice(-10).join('\n'))
    this.program = program
  }
}

/**
 * A program that runs until it is stopped: where it ends, it is started again.
 *
 *     started ─ isReady ─▶ ready ─ ends ─▶ ended ─ pause ─▶ started …
 */
export class SupervisedProgram implements AsyncDisposable {
  readonly #options: SupervisedProgramOptions
  readonly #stopping = new AbortController()
  #child: ChildProcess | undefined
  #output = ''
  #running: Promise<void> | undefined

  constructor(options: SupervisedProgramOptions) {
    this.#options = options
  }

  get name(): string {
    return this.#options.name
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Resolves when it can be used. @throws {ProgramFailed} */
  start(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#running = this.#supervise(resolve).catch(reject)
    return promise
  }

  /** Kills it at once, for the end of this process. */
  killNow(): void {
    this.#child?.kill('SIGKILL')
  }

  /** Ends it gracefully, and kills it where that takes too long. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    this.#child?.kill(this.#options.stopSignal)
    const late = setTimeout(() => this.killNow(), STOP_MS)
    await this.#running
    clearTimeout(late)
  }

  async #supervise(onFirstReady: () => void): Promise<void> {
    let failures = 0
    let wasReady = false
    while (!this.#stopping.signal.aborted) {
      const isReady = await this.#runOnce(wasReady, onFirstReady)
      failures = isReady ? 0 : failures + 1
      wasReady ||= isReady
      if (this.#stopping.signal.aborted) return
      if (!wasReady && failures === MOST_FAILED_STARTS)
        throw new ProgramFailed(this.name, this.#output)
      await this.#pause(Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS))
    }
  }

  /** Resolves when it has ended: to whether it could be used meanwhile. */
  async #runOnce(wasReady: boolean, onReady: () => void): Promise<boolean> {
    const { name, on } = this.#options
    const child = this.#spawn()
    const ended = endOf(child)
    const checking = new AbortController()
    let isReady = false
    const check = this.#untilReady(child, checking.signal).then((ready) => {
      isReady = ready
      if (ready) on.ready(name, child.pid!, wasReady)
      if (ready) onReady()
      return ready
    })
    const how = await ended
    checking.abort()
    await check
    if (isReady && !this.#stopping.signal.aborted) on.ended(name, child.pid!, how)
    return isReady
  }

  #spawn(): ChildProcess {
    const { name, program, args, user, env, on, onLine } = this.#options
    // In a group of its own: Ctrl-C on a terminal reaches this process alone, which ends the others in their order.
    const child = spawn(program, args, {
      ...user,
      env,
      cwd: '/',
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    this.#output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => {
        this.#output = (this.#output + data.toString()).slice(-KEPT_OUTPUT)
      })
    if (onLine) forEachLine(child.stderr, onLine)
    if (child.pid !== undefined) on.started(name, child.pid)
    return child
  }

  /** Resolves to false where `signal` aborts first. */
  async #untilReady({ pid = 0 }: ChildProcess, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted && !(await this.#options.isReady(pid).catch(() => false)))
      await pause(CHECK_MS, undefined, { signal }).catch(() => undefined)
    return !signal.aborted
  }

  async #pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined)
  }
}

/** Resolves when the process has ended: to how. */
function endOf(child: ChildProcess): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  child.once('error', (error) => resolve(error.message))
  child.once('exit', (code, signal) =>
    resolve(signal === null ? `with exit code ${code}` : `by ${signal}`),
  )
  return promise
}

function forEachLine(stream: NodeJS.ReadableStream, on: (line: string) => void): void {
  let rest = ''
  stream.on('data', (data: Buffer) => {
    const lines = (rest + data.toString()).split('\n')
    rest = lines.pop()!.slice(-KEPT_OUTPUT)
    for (const line of lines) on(line)
  })
}
