import { errors } from 'undici'

/**
 * The codes that tell what failed: the error's own, then those of its cause and, where several
 * addresses were tried, of each try. What undici refuses as no answer to this request has
 * `HOOKLINE_BAD_ANSWER` for a code here, for there it has none, or one it shares with a closed connection.
 */
export function errorCodes(error: unknown): string[] {
  if (!(error instanceof Error)) return []
  const inner = error instanceof AggregateError ? error.errors : []
  return [...ownCode(error), ...errorCodes(error.cause), ...inner.flatMap(errorCodes)]
}

function ownCode(error: Error): string[] {
  if (isBadAnswer(error)) return ['HOOKLINE_BAD_ANSWER']
  return 'code' in error && typeof error.code === 'string' ? [error.code] : []
}

function isBadAnswer(error: Error): boolean {
  if (error instanceof errors.HTTPParserError) return true
  // 'bad response': an interim 100 nobody asked for; 'bad upgrade': a 101.
  return error instanceof errors.SocketError && error.message.startsWith('bad ')
}
