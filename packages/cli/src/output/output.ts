import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]

/**
 * Where a command writes: data to stdout, everything else to stderr. With `--json` every datum is one
 * line of JSON. Colour only where the stream is a terminal; NO_COLOR and FORCE_COLOR are heeded.
 */
export class Output {
  readonly isJson: boolean

  constructor(options: { readonly json?: boolean | undefined }) {
    this.isJson = options.json ?? false
  }

  /** One datum: `value` for programs, `text` for people. */
  data(value: object, text: () => string): void {
    process.stdout.write(`${this.isJson ? JSON.stringify(value) : text()}\n`)
  }

  /** One datum that only programs need. */
  json(value: object): void {
    if (this.isJson) process.stdout.write(`${JSON.stringify(value)}\n`)
  }

  /** Something that only people need. */
  show(text: string): void {
    if (!this.isJson) process.stdout.write(`${text}\n`)
  }

  /** A remark beside the data. */
  note(text: string): void {
    process.stderr.write(`${text}\n`)
  }

  /** Text as it looks on stdout. */
  style(format: Format, text: string): string {
    return styleText(format, text, { stream: process.stdout })
  }
}
