import type { Command } from 'commander'
import { jsonText, terminalText } from './safe-text.ts'
import { type Format, styledText } from '../layout/style.ts'

interface OutputOptions {
  readonly json?: boolean | undefined
  /** Defaults to the width of stdout. */
  readonly columns?: number
}

/** Writes results to stdout, with `--json` as one line each, and everything else to stderr. Escapes control characters. */
export class Output {
  readonly isJson: boolean
  /** The maximum line width; infinite unless stdout is a terminal or COLUMNS is set. */
  readonly columns: number

  constructor({ json = false, columns }: OutputOptions) {
    this.isJson = json
    this.columns = columns ?? columnsOfScreen(process.stdout, process.env)
  }

  /** Writes a result: `value` as JSON, or `text`. */
  data(value: object, text: () => string): void {
    process.stdout.write(`${this.isJson ? jsonText(value) : terminalText(text())}\n`)
  }

  /** Writes only with `--json`. */
  json(value: object): void {
    if (this.isJson) process.stdout.write(`${jsonText(value)}\n`)
  }

  /** Writes only without `--json`. */
  show(text: string): void {
    if (!this.isJson) process.stdout.write(`${terminalText(text)}\n`)
  }

  note(text: string): void {
    process.stderr.write(`${terminalText(text)}\n`)
  }

  style(format: Format, text: string): string {
    return styledText(format, text, process.stdout)
  }

  /** With its age on a screen: `2026-07-01T11:40:00.000Z (3 min ago)`. */
  time(at: string): string {
    return this.columns < Infinity ? `${at} (${this.age(at)})` : at
  }

  /** On a screen, the age; otherwise, the time itself. */
  age(at: string): string {
    return this.columns < Infinity ? ageOf(at, Date.now()) : at
  }
}

/** `--json` may come before or after the name of the command. */
export function outputOf(command: Command): Output {
  return new Output(command.optsWithGlobals<{ json?: boolean }>())
}

interface Screen {
  readonly isTTY?: boolean
  readonly columns?: number
}

const DEFAULT_COLUMNS = 80

/** Uses COLUMNS, or the width of the terminal. Without either, nothing is cut. */
export function columnsOfScreen(
  { isTTY, columns }: Screen,
  { COLUMNS }: Readonly<Record<string, string | undefined>>,
): number {
  if (COLUMNS !== undefined && /^[1-9]\d{0,3}$/.test(COLUMNS)) return Number(COLUMNS)
  // Some terminals report 0 columns.
  return isTTY ? columns || DEFAULT_COLUMNS : Infinity
}
const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const MAX_AGE_SECONDS = 60 * DAY

/** `12 s ago`, `in 3 min`, or the date if it is over two months away. */
function ageOf(at: string, nowMs: number): string {
  const ms = nowMs - Date.parse(at)
  const seconds = Math.round(Math.abs(ms) / 1000)
  if (Number.isNaN(ms)) return at
  if (seconds >= MAX_AGE_SECONDS) return at.slice(0, 10)
  if (seconds === 0) return 'now'
  const text = shortSpan(seconds)
  return ms < 0 ? `in ${text}` : `${text} ago`
}

function shortSpan(seconds: number): string {
  if (seconds < MINUTE) return `${seconds} s`
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} h`
  return `${Math.floor(seconds / DAY)} d`
}
