import type { Command } from 'commander'
import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]

/**
 * Where a command writes: results to stdout, everything else to stderr. With `--json` every result is one
 * line of JSON. Colours appear only on a terminal, subject to NO_COLOR and FORCE_COLOR.
 */
export class Output {
  readonly isJson: boolean

  constructor(options: { readonly json?: boolean | undefined }) {
    this.isJson = options.json ?? false
  }

  /** A result: `value` for programs, `text` for people. */
  data(value: object, text: () => string): void {
    process.stdout.write(`${this.isJson ? JSON.stringify(value) : text()}\n`)
  }

  /** A result for programs alone. */
  json(value: object): void {
    if (this.isJson) process.stdout.write(`${JSON.stringify(value)}\n`)
  }

  /** Text for people alone. */
  show(text: string): void {
    if (!this.isJson) process.stdout.write(`${text}\n`)
  }

  /** A remark on stderr. */
  note(text: string): void {
    process.stderr.write(`${text}\n`)
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

/** Text from outside, safe to print: � replaces control characters, which could move the cursor or hide text. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
}
