import type { Tone } from '../design/state-badge.tsx'
import { shownText } from '../format/shown-text.ts'

type Verdict = 'valid' | 'invalid' | 'missing'

type SchemeResult = 'ok' | 'wrong' | 'stale' | 'missing' | 'unchecked'

interface Signature {
  readonly reason: string | null
}

/** What the inspector found of a signature, in words. */
export const VERDICTS: Readonly<Record<Verdict, { readonly tone: Tone; readonly words: string }>> =
  {
    valid: { tone: 'delivered', words: 'Signature verified' },
    invalid: { tone: 'failed', words: 'Signature invalid' },
    missing: { tone: 'declined', words: 'Not signed' },
  }

/** What it found of one of the two headers, in words. */
export const SCHEME_RESULTS: Readonly<Record<SchemeResult, string>> = {
  ok: 'verified',
  wrong: 'wrong: it was made with another secret, or of another body.',
  stale: 'stale: its timestamp is more than five minutes from now.',
  missing: 'missing',
  unchecked: 'not checked: no destination with a shared secret is known to have sent the request.',
}

const MOST_CHARACTERS = 1_000

/** Why the verdict is as it is. It may name the path of the request, which is as long as its sender likes. */
export function verdictReason({ reason }: Signature): string {
  if (reason === null) return 'The inspector computed the same signature from the shared secret.'
  return shownText(reason, MOST_CHARACTERS)
}
