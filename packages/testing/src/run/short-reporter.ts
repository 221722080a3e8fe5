import type { RunnerTask, SerializedError } from 'vitest'
import { MinimalReporter, type TestModule, type TestRunEndReason } from 'vitest/node'

/**
 * Limits per failed test: lines of each part, and characters per line. With the stack and the code around the failure, the
 * total stays below 100 lines. The counterexample of a property is one line, and is needed in full to replay it.
 */
const LIMITS = {
  message: { lines: 12, columns: 10_000 },
  diff: { lines: 40, columns: 300 },
  logs: { lines: 15, columns: 300 },
}
/** In the test rings, only a file that hangs takes this long. */
const LONG_MS = 10 * 60_000

/**
 * Prints the failures, files that take longer than 10 minutes, and the summary. A failure shows its message, its diff and the
 * test's log, each truncated: a failed test of a stream would otherwise print the whole stream.
 */
export default class ShortReporter extends MinimalReporter {
  /** The reasons for skipped tests, each printed once. */
  readonly #skipped = new Set<string>()
  readonly #longMs: number
  readonly #timers = new Map<string, NodeJS.Timeout>()

  constructor({ longMs = LONG_MS } = {}) {
    super()
    this.#longMs = longMs
  }

  override onTestModuleQueued(module: TestModule): void {
    const print = (): void =>
      this.log(`still running after ${this.#longMs / 1000} s: ${module.relativeModuleId}`)
    this.#timers.set(module.id, setTimeout(print, this.#longMs).unref())
    super.onTestModuleQueued(module)
  }

  override onTestModuleEnd(module: TestModule): void {
    clearTimeout(this.#timers.get(module.id))
    super.onTestModuleEnd(module)
  }

  override onUserConsoleLog(
    log: Parameters<MinimalReporter['onUserConsoleLog']>[0],
    state?: 'failed',
  ): void {
    const [reason] = /^skipped: .*/.exec(log.content) ?? []
    if (reason !== undefined && !this.#skipped.has(reason)) this.log(reason)
    if (reason !== undefined) this.#skipped.add(reason)
    else super.onUserConsoleLog({ ...log, content: shortened(log.content, LIMITS.logs) }, state)
  }

  protected override logFailedTask(task: RunnerTask): void {
    const logs = task.logs ?? []
    const last = logs.at(-1)
    if (last === undefined) return
    const content = logs.map((log) => log.content).join('')
    super.logFailedTask({ ...task, logs: [{ ...last, content }] })
  }

  override onTestRunEnd(
    modules: readonly TestModule[],
    errors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    for (const module of modules) {
      const parts = [module, ...module.children.allSuites()]
      for (const part of parts) for (const error of part.errors()) shorten(error)
      for (const test of module.children.allTests('failed'))
        for (const error of test.result().errors ?? []) shorten(error)
    }
    for (const error of errors) shorten(error)
    super.onTestRunEnd(modules, errors, reason)
  }
}

/** Shortens the texts of an error and of its causes. */
function shorten(error: { message: string; stack?: string; diff?: string; cause?: unknown }): void {
  const { message } = error
  error.message = shortened(message, LIMITS.message)
  if (error.stack?.includes(message))
    error.stack = error.stack.replace(message, () => error.message)
  if (error.diff !== undefined) error.diff = shortened(error.diff, LIMITS.diff)
  const { cause } = error
  if (typeof cause === 'object' && cause !== null && 'message' in cause)
    shorten(cause as { message: string })
}

/** Truncates a text to its first and last lines, and long lines to their beginning. */
function shortened(text: string, limit: { readonly lines: number; readonly columns: number }) {
  const lines = text
    .split('\n')
    .map((line) =>
      line.length <= limit.columns
        ? line
        : `${line.slice(0, limit.columns)}… (${line.length} characters)`,
    )
  if (lines.length <= limit.lines) return lines.join('\n')
  const tail = Math.floor(limit.lines / 4)
  const omitted = `… ${lines.length - limit.lines} lines …`
  const first = lines.slice(0, limit.lines - tail)
  return [...first, omitted, ...lines.slice(lines.length - tail)].join('\n')
}
