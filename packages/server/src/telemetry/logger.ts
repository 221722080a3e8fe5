import pino, { type DestinationStream, type LevelWithSilent } from 'pino'
import { systemClock } from '../util/time/clock.ts'
import { LogOutput } from './log-output.ts'
import type { LogEvent, LogEventName } from './log-events.ts'

/** Writes a line of the event, with these fields. An event without an entry in LOG_EVENTS does not compile. */
type Write<Level extends LogEvent['level']> = (fields: object, event: LogEventName<Level>) => void

/** The log. Each event has one level. A logger of pino is one, too. */
export interface Logger {
  readonly debug: Write<'debug'>
  readonly info: Write<'info'>
  readonly warn: Write<'warn'>
  readonly error: Write<'error'>
  readonly fatal: Write<'fatal'>
  /** Whether lines of this level are written. Ask before you make the fields of a frequent event. */
  readonly isLevelEnabled: (level: LogEvent['level']) => boolean
}

/** A logger, and where its lines go. */
export interface ServiceLog {
  readonly logger: Logger
  readonly logOutput: LogOutput
}

/** One JSON object a line, times in ISO 8601. No payloads, no secrets: lines carry ids and names. */
export function createLogger(level: LevelWithSilent, destination?: DestinationStream): Logger {
  if (destination === undefined) return openLog(level).logger
  const timestamp = pino.stdTimeFunctions.isoTime
  return pino({ level, base: null, timestamp, serializers: { err: serialised } }, destination)
}

/** As pino does it, but without the messages of causes that the message has already. */
function serialised(error: unknown): unknown {
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

/** A log on stderr, which never makes the service wait. `format` makes the line to write from the JSON line. */
export function openLog(
  level: LevelWithSilent,
  format = (json: string): string => json,
): ServiceLog {
  const logOutput = new LogOutput({
    // Not just 2: once `process.stderr` is used, a write to a pipe there no longer blocks.
    fd: process.stderr.fd,
    clock: systemClock,
    onLinesLost: (lines) => logger.error({ lines }, 'log.lines_lost'),
  })
  const logger = createLogger(level, { write: (json) => logOutput.write(format(json)) })
  return { logger, logOutput }
}
