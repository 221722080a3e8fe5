import { type MessagePort, workerData } from 'node:worker_threads'
import type { ActivityListener } from '../telemetry/activity-listener.ts'
import type { LogEvent, LogEventName } from '../telemetry/log-events.ts'
import type { Logger } from '../telemetry/logger.ts'
import { Metrics } from '../telemetry/metrics.ts'
import type { ThreadMetrics } from '../telemetry/thread-metrics-registry.ts'
import { Channel, restoredError, type WireError, wireError } from './channel.ts'

export interface ThreadContext<Thread, Main, Data> {
  readonly data: Data
  readonly main: Channel<Thread & BaseThreadFunctions, Main & BaseMainFunctions>
  readonly logger: Logger
  readonly metrics: Metrics
  readonly activity: ActivityListener
}

export interface ThreadBody<Thread> {
  /**
   * A plain object of functions: an instance of a class would lose its methods. Calls arrive once the thread is ready.
   */
  readonly functions: Thread
  /** Ends the work. Then main ends the thread. */
  readonly stop: () => Promise<void>
}

/** The maximum of the `maxDestinationsInMetrics` setting: main selects the visible ones. */
const MAX_DESTINATIONS = 10_000

/**
 * Runs a thread that a `ThreadHost` has started. `BaseThreadFunctions` and `BaseMainFunctions` reserve function names.
 * The thread ends when `start` rejects, or on an uncaught error.
 * @param start begins the work. When it resolves, main sends work.
 */
export async function runThread<Thread, Main, Data>(
  start: (context: ThreadContext<Thread, Main, Data>) => Promise<ThreadBody<Thread>>,
): Promise<void> {
  const { port, levels, data } = workerData as ThreadStart<Data>
  const main = new Channel<Thread & BaseThreadFunctions, Main & BaseMainFunctions>(port, {
    keepsAlive: true,
  })
  // When main closes the channel, the thread exits.
  void main.closed.then(() => process.exit(0))
  // The last log lines explain the exit.
  process.once('exit', () => main.flush())
  const metrics = new Metrics(MAX_DESTINATIONS, { ofProcess: false })
  await beginThread({ data, main, levels, metrics }, start)
}

/** `runThread` without a thread, for the simulator. */
export async function beginThread<Thread, Main, Data>(
  {
    levels,
    ...given
  }: Pick<ThreadContext<Thread, Main, Data>, 'data' | 'main' | 'metrics'> &
    Pick<ThreadStart<Data>, 'levels'>,
  start: (context: ThreadContext<Thread, Main, Data>) => Promise<ThreadBody<Thread>>,
): Promise<void> {
  const { main, metrics } = given
  const base = main as unknown as Channel<BaseThreadFunctions, BaseMainFunctions>
  const { functions, stop } = await start({
    ...given,
    logger: threadLogger(levels, (line) => base.send('log', line)),
    activity: threadActivity((call) => base.send('activity', call)),
  })
  main.offer({ ...functions, stop, metrics: () => metrics.ofThisThread() })
  base.send('ready')
}

export interface BaseThreadFunctions {
  /** Ends the work. Then main ends the thread. */
  stop(): Promise<void>
  metrics(): Promise<ThreadMetrics>
}

export interface BaseMainFunctions {
  ready(): void
  log(line: LogLine): void
  activity(call: ActivityCall): void
}

/** `fields` is JSON text, without the error in `err`. */
interface LogLine {
  readonly level: LogEvent['level']
  readonly event: string
  readonly fields: string
  readonly err?: WireError | undefined
}

type ActivityCall = {
  [Name in keyof ActivityListener]: readonly [Name, ...Parameters<ActivityListener[Name]>]
}[keyof ActivityListener]

export interface ThreadStart<Data> {
  readonly port: MessagePort
  readonly levels: readonly LogEvent['level'][]
  readonly data: Data
}

const LEVELS = ['debug', 'info', 'warn', 'error', 'fatal'] as const

/** The levels of a logger, so that a thread sends no lines that would be dropped. */
export function levelsOf(logger: Logger): LogEvent['level'][] {
  return LEVELS.filter((level) => logger.isLevelEnabled(level))
}

/** Sends lines to main, which writes them in order, within its own limits. */
function threadLogger(
  written: readonly LogEvent['level'][],
  send: (line: LogLine) => void,
): Logger {
  const at = (level: LogEvent['level']) => (fields: object, event: LogEventName) => {
    if (!written.includes(level)) return
    const { err, ...others } = fields as { readonly err?: unknown }
    const line = { level, event, fields: jsonOf(others) }
    send(err === undefined ? line : { ...line, err: wireError(err) })
  }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    fatal: at('fatal'),
    isLevelEnabled: (level) => written.includes(level),
  }
}

/** The line becomes JSON anyway. A structured clone ignores toJSON, and fails on functions. */
function jsonOf(fields: object): string {
  try {
    return JSON.stringify(fields)
  } catch {
    // A log line must not crash its thread.
    return '{"fields":"unreadable"}'
  }
}

/** Writes a line from a thread, with the field `thread`. */
export function writeLine(logger: Logger, thread: string, line: LogLine): void {
  const { level, event, fields, err } = line
  const all = {
    ...(err && { err: restoredError(err) }),
    ...(JSON.parse(fields) as object),
    thread,
  }
  // The compiler has checked the event's level in the thread.
  logger[level](all, event as never)
}

function threadActivity(send: (call: ActivityCall) => void): ActivityListener {
  return {
    received: (events) => send(['received', events]),
    rejected: (code, calls, sourceId) => send(['rejected', code, calls, sourceId]),
    decided: (decision) => send(['decided', decision]),
    recorded: (delivery) => send(['recorded', delivery]),
    changed: (change) => send(['changed', change]),
    unlinked: (unlinked) => send(['unlinked', unlinked]),
    purged: (purge) => send(['purged', purge]),
    updated: (update) => send(['updated', update]),
  }
}

export function repeatActivity(listener: ActivityListener, [name, ...args]: ActivityCall): void {
  const report = listener[name].bind(listener) as (...values: readonly unknown[]) => void
  report(...args)
}
