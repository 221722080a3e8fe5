import type { Command } from 'commander'
import { styleText } from 'node:util'
import { jsonText, terminalText } from './safe-text.ts'

type Format = Parameters<typeof styleText>[0]

/**
 * Where a command writes: results to stdout, everything else to stderr. With `--json` every result is one
 * line of JSON. Control characters of values never reach the terminal. Colours appear only on a terminal, subject to
 * NO_COLOR and FORCE_COLOR.
 */
export class Output {
  readonly isJson: boolean

  constructor(options: { readonly json?: boolean | undefined }) {
    this.isJson = options.json ?? false
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
    return styleText(format, text, { stream: process.stdout })
  }
}

/** The output of a command, in the form that `--json` before or after its name selects. */
export function outputOf(command: Command): Output {
  return new Output(command.optsWithGlobals<{ json?: boolean }>())
}
