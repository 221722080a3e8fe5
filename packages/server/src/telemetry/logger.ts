import { write } from 'node:fs'
import pino, { type DestinationStream, type LevelWithSilent } from 'pino'
import type { LogEvent, LogEventName } from './log-events.ts'
import { type Clock, systemClock } from '../util/time/clock.ts'

/** Writes a log line for an event. An event without an entry in LOG_EVENTS does not compile. */
type Write<Level extends LogEvent['level']> = (fields: object, event: LogEventName<Level>) => void

/** The log. Each event has one level. pino implements it. */
export interface Logger {
  readonly debug: Write<'debug'>
  readonly info: Write<'info'>
  readonly warn: Write<'warn'>
  readonly error: Write<'error'>
  readonly fatal: Write<'fatal'>
  /** Whether lines at this level are written. Check it before building the fields of a frequent event. */
  readonly isLevelEnabled: (level: LogEvent['level']) => boolean
}

export interface ServiceLog {
  readonly logger: Logger
  readonly logOutput: LogOutput
}

/** Writes one JSON object per line, with an ISO 8601 time. Lines contain ids and names, but never payloads or secrets. */
export function createLogger(level: LevelWithSilent, destination?: DestinationStream): Logger {
  if (destination === undefined) return openLog(level).logger
  const timestamp = pino.stdTimeFunctions.isoTime
  return pino({ level, base: null, timestamp, serializers: { err: serialiseError } }, destination)
}

/** pino's serializer, without the messages of causes that the error's message already includes. */
function serialiseError(error: unknown): unknown {
  const fields = pino.stdSerializers.err(error as Error)
  if (error instanceof Error) fields.message = messageWithCauses(error)
  return fields
}

function messageWithCauses(error: Error): string {
  let text = error.message
  const seen = new Set<unknown>()
  for (let cause = error.cause; cause instanceof Error && !seen.has(cause); cause = cause.cause) {
    if (!text.includes(cause.message)) text += `: ${cause.message}`
    seen.add(cause)
  }
  return text
}

/** A log on stderr that never blocks the service. `format` turns a JSON line into the line to write. */
export function openLog(
  level: LevelWithSilent,
  format = (json: string): string => json,
): ServiceLog {
  const logOutput = new LogOutput({
    // Not the constant 2: if stderr is a pipe, accessing `process.stderr` makes it non-blocking.
    fd: process.stderr.fd,
    clock: systemClock,
    onLinesLost: (lines) => logger.error({ lines }, 'log.lines_lost'),
  })
  const logger = createLogger(level, { write: (json) => logOutput.write(format(json)) })
  return { logger, logOutput }
}

/** Maximum bytes of unwritten lines. */
const MAX_WAITING_BYTES = 2 ** 20
const RETRY_MS = 100

interface LogOutputOptions {
  /** Must not block if it is a pipe: a blocked write would occupy a thread and keep the process from exiting. */
  readonly fd: number
  readonly clock: Clock
  /** Called with the number of lost lines when the output works again. */
  readonly onLinesLost: (lines: number) => void
}

/** Writes log lines without blocking. A failing write is repeated; lines beyond MAX_WAITING_BYTES are lost. */
export class LogOutput {
  readonly #options: LogOutputOptions
  #waiting: string[] = []
  /** The unwritten rest of the current write. */
  #writing = Buffer.alloc(0)
  #waitingBytes = 0
  #linesLost = 0
  #unreported = 0
  #onFlushed: (() => void)[] = []

  constructor(options: LogOutputOptions) {
    this.#options = options
  }

  get linesLost(): number {
    return this.#linesLost
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line)
    // After a lost line, the following ones are lost as well, so that the report marks the gap.
    if (this.#unreported > 0 || this.#waitingBytes + bytes > MAX_WAITING_BYTES) {
      this.#linesLost++
      this.#unreported++
      return
    }
    this.#waiting.push(line)
    this.#waitingBytes += bytes
    if (this.#writing.length === 0) this.#writeNext()
  }

  /** Resolves when no lines are waiting: never while the output fails. */
  flushed(): Promise<void> {
    if (this.#waitingBytes === 0) return Promise.resolve()
    return new Promise((resolve) => this.#onFlushed.push(resolve))
  }

  #writeNext(): void {
    if (this.#waiting.length === 0) {
      for (const resolve of this.#onFlushed.splice(0)) resolve()
      return
    }
    this.#writing = Buffer.from(this.#waiting.join(''))
    this.#waiting = []
    this.#write()
  }

  #write(): void {
    const { fd, clock } = this.#options
    write(fd, this.#writing, (error, written) => {
      if (error) return void clock.after(RETRY_MS, () => this.#write())
      this.#writing = this.#writing.subarray(written)
      this.#waitingBytes -= written
      if (this.#writing.length > 0) return this.#write()
      this.#reportLost()
      // The report may have begun the next write.
      if (this.#writing.length === 0) this.#writeNext()
    })
  }

  #reportLost(): void {
    const lines = this.#unreported
    this.#unreported = 0
    if (lines > 0) this.#options.onLinesLost(lines)
  }
}

const MINUTE_MS = 60_000

/** The number of lines of one event in a minute, which begins with the first of them. */
interface Minute {
  readonly since: number
  lines: number
}

interface BoundedLoggerOptions {
  readonly clock: Clock
  readonly linesPerMinute: number
}

/** Limits each event to `linesPerMinute`, and reports the rest as `log.lines_dropped`. Debug and fatal are exempt. */
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

  /** Reports the omitted lines, once. */
  #end(event: LogEventName, minute: Minute): void {
    if (this.#minutes.get(event) !== minute) return
    this.#minutes.delete(event)
    const lines = minute.lines - this.#options.linesPerMinute
    if (lines > 0) this.#logger.warn({ event, lines }, 'log.lines_dropped')
  }
}
