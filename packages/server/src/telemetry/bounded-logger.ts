import type { Clock } from '../util/time/clock.ts'
import type { LogEvent, LogEventName } from './log-events.ts'
import type { Logger } from './logger.ts'

const MINUTE_MS = 60_000

/** The lines of one event in the minute that began with its first line. */
interface Minute {
  readonly since: number
  lines: number
}

export interface BoundedLoggerOptions {
  readonly clock: Clock
  /** The most lines of one event in a minute. */
  readonly linesPerMinute: number
}

/**
 * A logger that writes a bounded number of lines of each event in a minute, whatever happens. It counts the others, and
 * reports them as `log.lines_left_out` when the minute is over. Lines of the levels debug and fatal are always written:
 * the first are for whoever asks for all of them, and the others end the process.
 */
export class BoundedLogger implements Logger {
  readonly #logger: Logger
  readonly #options: BoundedLoggerOptions
  readonly #minutes = new Map<LogEventName, Minute>()
  readonly debug: Logger['debug'] = (fields, event) => this.#logger.debug(fields, event)
  readonly fatal: Logger['fatal'] = (fields, event) => this.#logger.fatal(fields, event)
  readonly info: Logger['info'] = (fields, event) => {
    if (this.#hasRoom('info', event)) this.#logger.info(fields, event)
  }
  readonly warn: Logger['warn'] = (fields, event) => {
    if (this.#hasRoom('warn', event)) this.#logger.warn(fields, event)
  }
  readonly error: Logger['error'] = (fields, event) => {
    if (this.#hasRoom('error', event)) this.#logger.error(fields, event)
  }
  readonly isLevelEnabled: Logger['isLevelEnabled'] = (level) => this.#logger.isLevelEnabled(level)

  constructor(logger: Logger, options: BoundedLoggerOptions) {
    this.#logger = logger
    this.#options = options
  }

  #hasRoom(level: LogEvent['level'], event: LogEventName): boolean {
    if (!this.#logger.isLevelEnabled(level)) return false
    const { clock, linesPerMinute } = this.#options
    const minute = this.#minuteOf(event)
    minute.lines++
    if (minute.lines === linesPerMinute + 1) {
      const leftMs = minute.since + MINUTE_MS - clock.now()
      clock.after(leftMs, () => this.#end(event, minute))
    }
    return minute.lines <= linesPerMinute
  }

  #minuteOf(event: LogEventName): Minute {
    const now = this.#options.clock.now()
    const current = this.#minutes.get(event)
    if (current !== undefined && now - current.since < MINUTE_MS) return current
    if (current !== undefined) this.#end(event, current)
    const minute = { since: now, lines: 0 }
    this.#minutes.set(event, minute)
    return minute
  }

  /** Reports what was left out, once. */
  #end(event: LogEventName, minute: Minute): void {
    if (this.#minutes.get(event) !== minute) return
    this.#minutes.delete(event)
    const lines = minute.lines - this.#options.linesPerMinute
    if (lines > 0) this.#logger.warn({ event, lines }, 'log.lines_left_out')
  }
}
