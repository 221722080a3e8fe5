import type { LogEvent, LogEventName } from '../telemetry/log-events.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { LogLine } from './base-functions.ts'
import { restoredError, wireError } from './wire-error.ts'

const LEVELS = ['debug', 'info', 'warn', 'error', 'fatal'] as const

/** The levels that a logger writes. A thread gets them when it starts, so that it sends no line in vain. */
export function levelsOf(logger: Logger): LogEvent['level'][] {
  return LEVELS.filter((level) => logger.isLevelEnabled(level))
}

/** The logger of a thread: main writes its lines, with its own bounds, in the order in which they were logged. */
export class ThreadLogger implements Logger {
  readonly #levels: ReadonlySet<LogEvent['level']>
  readonly #send: (line: LogLine) => void

  constructor(levels: readonly LogEvent['level'][], send: (line: LogLine) => void) {
    this.#levels = new Set(levels)
    this.#send = send
  }

  debug(fields: object, event: LogEventName<'debug'>): void {
    this.#write('debug', fields, event)
  }

  info(fields: object, event: LogEventName<'info'>): void {
    this.#write('info', fields, event)
  }

  warn(fields: object, event: LogEventName<'warn'>): void {
    this.#write('warn', fields, event)
  }

  error(fields: object, event: LogEventName<'error'>): void {
    this.#write('error', fields, event)
  }

  fatal(fields: object, event: LogEventName<'fatal'>): void {
    this.#write('fatal', fields, event)
  }

  isLevelEnabled(level: LogEvent['level']): boolean {
    return this.#levels.has(level)
  }

  #write(level: LogEvent['level'], fields: object, event: LogEventName): void {
    if (!this.#levels.has(level)) return
    const { err, ...others } = fields as { readonly err?: unknown }
    const line = { level, event, fields: jsonOf(others) }
    this.#send(err === undefined ? line : { ...line, err: wireError(err) })
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
