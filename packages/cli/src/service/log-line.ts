import { styleText } from 'node:util'
import { printable } from '../output/safe-text.ts'

/** The name and colour of each level number of pino. */
const LEVELS: Readonly<Record<number, readonly [string, Parameters<typeof styleText>[0]]>> = {
  10: ['trace', 'dim'],
  20: ['debug', 'dim'],
  30: ['info', 'green'],
  40: ['warn', 'yellow'],
  50: ['error', 'red'],
  60: ['fatal', ['red', 'bold']],
}

/** A JSON line of the log, formatted for people: time, level, message, and the other fields by name. */
export function logLine(json: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(json) as LogEntry
  const [name, colour] = LEVELS[level] ?? ['', 'dim']
  const fields = Object.entries({ ...rest, ...(err && { error: err.message }) })
  const words = fields.map(([key, value]) => `${key}=${textOf(value)}`)
  const style = { stream: process.stderr }
  return [
    styleText('dim', time.slice(11, 23), style),
    styleText(colour, name.padEnd(5), style),
    printable(msg ?? ''),
    ...words.map((word) => styleText('dim', printable(word), style)),
  ].join(' ')
}

interface LogEntry {
  readonly level: number
  readonly time: string
  readonly msg?: string
  readonly err?: { readonly message: string }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
