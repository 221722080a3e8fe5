import pino, { type DestinationStream, type LevelWithSilent, type Logger } from 'pino'
import { systemClock } from '../util/clock.ts'
import { LogOutput } from './log-output.ts'

/** A logger, and where its lines go. */
export interface ServiceLog {
  readonly logger: Logger
  readonly logOutput: LogOutput
}

/** One JSON object a line, times in ISO 8601. No payloads, no secrets: lines carry ids. */
export function createLogger(level: LevelWithSilent, destination?: DestinationStream): Logger {
  if (destination === undefined) return openLog(level).logger
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
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
