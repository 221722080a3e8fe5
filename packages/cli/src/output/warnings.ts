import { styledText } from '../layout/style.ts'
import type { Output } from './output.ts'
import { printableText } from './safe-text.ts'

interface Warning {
  readonly message: string
  readonly hint: string
}

export function noteWarnings(output: Output, warnings: readonly Warning[] = []): void {
  const head = styledText(['yellow', 'bold'], 'warning:', process.stderr)
  for (const { message, hint } of warnings) {
    output.note(`${head} ${printableText(message)}\n  ${printableText(hint)}`)
  }
}
