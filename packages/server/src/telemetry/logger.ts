import pino, { type DestinationStream, type LevelWithSilent, type Logger } from 'pino'

/** One JSON object a line, times in ISO 8601. No payloads, no secrets: lines carry ids. */
export function createLogger(level: LevelWithSilent, destination?: DestinationStream): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  return destination ? pino(options, destination) : pino(options, pino.destination(2))
}
