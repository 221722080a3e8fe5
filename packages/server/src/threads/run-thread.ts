import { type MessagePort, workerData } from 'node:worker_threads'
import type { ActivityListener } from '../telemetry/activity-listener.ts'
import type { LogEvent, LogEventName } from '../telemetry/log-events.ts'
import type { Logger } from '../telemetry/logger.ts'
import { Metrics } from '../telemetry/metrics.ts'
import type { ThreadMetrics } from '../telemetry/metrics-of-threads.ts'
import { Channel, restoredError, type WireError, wireError } from './channel.ts'

/** What a thread has of main. */
export interface ThreadContext<Thread, Main, Data> {
  /** What the thread was started with. */
  readonly data: Data
  /** The functions of main. */
  readonly main: Channel<Thread & BaseOfThread, Main & BaseOfMain>
  readonly logger: Logger
  readonly metrics: Metrics
  readonly activity: ActivityListener
}

/** What a thread does. */
export interface ThreadBody<Thread> {
  /** What it offers to main: an object of functions, and no instance of a class, whose methods would be lost. Calls come when the thread is ready. */
  readonly functions: Thread
  /** Ends its work. The thread ends when it resolves. */
  readonly stop: () => Promise<void>
}

/** As many as the setting `maxDestinationsInMetrics` permits at most: main decides which of them are shown. */
const MOST_DESTINATIONS = 10_000

/**
 * Runs a thread that a `ThreadHost` has started. The names `stop`, `metrics`, `ready`, `log` and `activity` are taken: see
 * `BaseOfThread` and `BaseOfMain`. When `start` rejects, or later something throws that nothing catches, the thread ends.
 * @param start begins the work. When it resolves, main hands out work.
 */
export async function runThread<Thread, Main, Data>(
  start: (context: ThreadContext<Thread, Main, Data>) => Promise<ThreadBody<Thread>>,
): Promise<void> {
  const { port, levels, data } = workerData as ThreadStart<Data>
  const main = new Channel<Thread & BaseOfThread, Main & BaseOfMain>(port, { keepsAlive: true })
  // A thread that main has let go ends, whatever it has open.
  void main.closed.then(() => process.exit(0))
  // The last lines of the log say why it ends.
  process.once('exit', () => main.flush())
  const metrics = new Metrics(MOST_DESTINATIONS, { ofProcess: false })
  await beginThread({ data, main, levels, metrics }, start)
}

/** Begins the work of a thread, and offers it to main. `runThread` does so in a thread, and the simulator without one. */
export async function beginThread<Thread, Main, Data>(
  {
    levels,
    ...given
  }: Pick<ThreadContext<Thread, Main, Data>, 'data' | 'main' | 'metrics'> &
    Pick<ThreadStart<Data>, 'levels'>,
  start: (context: ThreadContext<Thread, Main, Data>) => Promise<ThreadBody<Thread>>,
): Promise<void> {
  const { main, metrics } = given
  const base = main as unknown as Channel<BaseOfThread, BaseOfMain>
  const { functions, stop } = await start({
    ...given,
    logger: threadLogger(levels, (line) => base.send('log', line)),
    activity: threadActivity((call) => base.send('activity', call)),
  })
  main.offer({ ...functions, stop, metrics: () => metrics.ofThisThread() })
  base.send('ready')
}

/** What every thread offers to main, besides functions of its own. */
export interface BaseOfThread {
  /** Ends the work. When it resolves, main ends the thread. */
  stop(): Promise<void>
  /** Its metrics as they are now, and what it counted of destinations since the last call. */
  metrics(): Promise<ThreadMetrics>
}

/** What main offers to every thread, besides functions of its own. */
export interface BaseOfMain {
  /** The thread has started, and offers its functions. */
  ready(): void
  log(line: LogLine): void
  activity(call: ActivityCall): void
}

/** A line of the log. `fields` are JSON, without the error in `err`. */
interface LogLine {
  readonly level: LogEvent['level']
  readonly event: string
  readonly fields: string
  readonly err?: WireError | undefined
}

/** A call of an ActivityListener: the name of the method, and its arguments. */
type ActivityCall = {
  [Name in keyof ActivityListener]: readonly [Name, ...Parameters<ActivityListener[Name]>]
}[keyof ActivityListener]

/** What a thread is started with. */
export interface ThreadStart<Data> {
  readonly port: MessagePort
  /** The levels of the log that main writes. */
  readonly levels: readonly LogEvent['level'][]
  readonly data: Data
}

const LEVELS = ['debug', 'info', 'warn', 'error', 'fatal'] as const

/** The levels that a logger writes. A thread gets them when it starts, so that it sends no line in vain. */
export function levelsOf(logger: Logger): LogEvent['level'][] {
  return LEVELS.filter((level) => logger.isLevelEnabled(level))
}

/** The logger of a thread: main writes its lines, with its own bounds, in the order in which they were logged. */
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

/** The line will be JSON in any case. A structured clone would drop what toJSON shows, and fail where JSON does not. */
function jsonOf(fields: object): string {
  try {
    return JSON.stringify(fields)
  } catch {
    // A line must not end its thread.
    return '{"fields":"unreadable"}'
  }
}

/** Writes a line of a thread. `thread` is the name of the thread, which becomes a field of the line. */
export function writeLine(logger: Logger, thread: string, line: LogLine): void {
  const { level, event, fields, err } = line
  const all = {
    ...(err && { err: restoredError(err) }),
    ...(JSON.parse(fields) as object),
    thread,
  }
  // The compiler has checked in the thread that the event is of this level.
  logger[level](all, event as never)
}

/** The ActivityListener of a thread, which main repeats to its own. */
function threadActivity(send: (call: ActivityCall) => void): ActivityListener {
  return {
    received: (events) => send(['received', events]),
    refused: (code, calls, sourceId) => send(['refused', code, calls, sourceId]),
    decided: (decision) => send(['decided', decision]),
    recorded: (delivery) => send(['recorded', delivery]),
    changed: (change) => send(['changed', change]),
    unlinked: (unlinked) => send(['unlinked', unlinked]),
    purged: (purge) => send(['purged', purge]),
    updated: (update) => send(['updated', update]),
  }
}

/** Repeats to a listener what a thread reported. */
export function repeatActivity(listener: ActivityListener, [name, ...args]: ActivityCall): void {
  const report = listener[name].bind(listener) as (...values: readonly unknown[]) => void
  report(...args)
}
