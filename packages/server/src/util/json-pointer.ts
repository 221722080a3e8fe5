/** The JSON Pointer (RFC 6901) to what these steps lead to: `/webhooks/0/url`. No steps: the whole document. */
export function jsonPointer(...steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${escaped(String(step))}`).join('')
}

function escaped(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1')
}
