import { styled } from '../layout/style.ts'
import type { Output } from './output.ts'
import { printable } from './safe-text.ts'

interface Warning {
  readonly message: string
  readonly hint: string
}

export function noteWarnings(output: Output, warnings: readonly Warning[] = []): void {
  const head = styled(['yellow', 'bold'], 'warning:', process.stderr)
  for (const { message, hint } of warnings) {
    output.note(`${head} ${printable(message)}\n  ${printable(hint)}`)
  }
}
