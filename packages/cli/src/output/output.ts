import type { Command } from 'commander'
import { jsonText, terminalText } from './safe-text.ts'
import { columnsOfScreen } from './screen.ts'
import { type Format, styled } from '../layout/style.ts'
import { ageOf } from './times.ts'

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
