import type { Tone } from '../design/state-badge.tsx'
import { shownText } from '../format/shown-text.ts'

type Verdict = 'valid' | 'invalid' | 'missing'

interface VerdictLabel {
  readonly tone: Tone
  readonly words: string
}

export const VERDICTS: Readonly<Record<Verdict, VerdictLabel>> = {
  valid: { tone: 'delivered', words: 'Signature verified' },
  invalid: { tone: 'failed', words: 'Signature invalid' },
  missing: { tone: 'declined', words: 'Not signed' },
}

/** The results for one of the two signature headers. */
export const SCHEME_RESULTS = {
  valid: 'verified',
  invalid: 'invalid: made with a different secret, key or body',
  stale: 'stale: the timestamp is more than five minutes off',
  missing: 'missing',
  unchecked:
    'not checked: the sending destination is unknown, or has no secret or key to verify it with',
}

/** The reason may contain the path of the request, which has no length limit. */
export function verdictReason({ reason }: { readonly reason: string | null }): string {
  if (reason === null) return 'The signature matches one of the destination’s secrets or keys.'
  return shownText(reason, 1_000)
}
