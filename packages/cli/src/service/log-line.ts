import { printable, terminalText } from '../output/safe-text.ts'
import { type Format, styled } from '../layout/style.ts'

/** The name and colour of each level number of pino. */
const LEVELS: Readonly<Record<number, readonly [string, Format]>> = {
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
  const style = (format: Format, text: string) => styled(format, text, process.stderr)
  const line = [
    style('dim', time.slice(11, 23)),
    style(colour, name.padEnd(5)),
    printable(msg ?? ''),
    ...words.map((word) => style('dim', printable(word))),
  ].join(' ')
  return terminalText(line)
}

interface LogEntry {
  readonly level: number
  readonly time: string
  readonly msg?: string
  readonly err?: { readonly message: string }
}

function textOf(value: unknown): string {
  return typeof value === 'string' && !/\s/.test(value) ? value : JSON.stringify(value)
}
