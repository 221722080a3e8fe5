import type { Command } from 'commander'
import { jsonText, terminalText } from './safe-text.ts'
import { type Format, styled } from '../layout/style.ts'

interface OutputOptions {
  readonly json?: boolean | undefined
  /** How many columns a line may take; by default, as many as stdout has. */
  readonly columns?: number
}

/**
 * Where a command writes: results to stdout, everything else to stderr. With `--json` every result is one
 * line of JSON. Control characters of values never reach the terminal. Colours appear only on a terminal, subject to
 * NO_COLOR and FORCE_COLOR.
 */
export class Output {
  readonly isJson: boolean
  /** How many columns a line may take; infinite where a program or a file reads it. */
  readonly columns: number

  constructor({ json = false, columns }: OutputOptions) {
    this.isJson = json
    this.columns = columns ?? columnsOfScreen(process.stdout, process.env)
  }

  /** Whether lines are fitted to a screen. */
  get isFitted(): boolean {
    return this.columns !== Infinity
  }

  /** A result: `value` for programs, `text` for people. */
  data(value: object, text: () => string): void {
    process.stdout.write(`${this.isJson ? jsonText(value) : terminalText(text())}\n`)
  }

  /** A result for programs alone. */
  json(value: object): void {
    if (this.isJson) process.stdout.write(`${jsonText(value)}\n`)
  }

  /** Text for people alone. */
  show(text: string): void {
    if (!this.isJson) process.stdout.write(`${terminalText(text)}\n`)
  }

  /** A remark on stderr. */
  note(text: string): void {
    process.stderr.write(`${terminalText(text)}\n`)
  }

  /** The text in a colour or weight, if stdout shows them. */
  style(format: Format, text: string): string {
    return styled(format, text, process.stdout)
  }

  /** An ISO 8601 time, for people with its age: `2026-07-01T11:40:00.000Z (3 min ago)`. */
  time(at: string): string {
    return this.isFitted ? `${at} (${this.age(at)})` : at
  }

  /** The age of an ISO 8601 time where lines are fitted to a screen, else the time itself. */
  age(at: string): string {
    return this.isFitted ? ageOf(at, Date.now()) : at
  }
}

/** The output of a command, in the form that `--json` before or after its name selects. */
export function outputOf(command: Command): Output {
  return new Output(command.optsWithGlobals<{ json?: boolean }>())
}
/** Where text for people appears. */
interface Screen {
  readonly isTTY?: boolean
  readonly columns?: number
}

/** Of a terminal that does not say how wide it is. */
const USUAL_COLUMNS = 80

/**
 * How many columns a line may take. COLUMNS decides where it is set; else the terminal does. Without either, the reader
 * is a program or a file, and nothing is cut.
 */
export function columnsOfScreen(
  { isTTY, columns }: Screen,
  { COLUMNS }: Readonly<Record<string, string | undefined>>,
): number {
  if (COLUMNS !== undefined && /^[1-9]\d{0,3}$/.test(COLUMNS)) return Number(COLUMNS)
  // Some terminals report 0 columns.
  return isTTY ? columns || USUAL_COLUMNS : Infinity
}
const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Older times are shown as a date. */
const LONGEST_AGE_SECONDS = 60 * DAY

/** How far an ISO 8601 time is from now: `12 s ago`, `in 3 min`, `5 h ago`, `9 d ago`; a date if it is two months or more. */
function ageOf(at: string, nowMs: number): string {
  const ms = nowMs - Date.parse(at)
  const seconds = Math.round(Math.abs(ms) / 1000)
  if (Number.isNaN(ms)) return at
  if (seconds >= LONGEST_AGE_SECONDS) return at.slice(0, 10)
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
