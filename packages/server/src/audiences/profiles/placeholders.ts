import type { ProfileId } from '../../backend/profiles.ts'

/** Texts that programs send if they know no id, without regard to case. They would join everybody who has them. */
const PLACEHOLDERS = [
  '',
  'undefined',
  'null',
  'nil',
  'none',
  'nan',
  'true',
  'false',
  'anonymous',
  'unknown',
  'n/a',
  '[object object]',
  '{}',
  '[]',
]

/** Ids that stand for no user, and so are never linked to another id. */
export class Placeholders {
  readonly #texts: ReadonlySet<string>

  /** @param more texts beside those that every installation has */
  constructor(more: readonly string[] = []) {
    this.#texts = new Set([...PLACEHOLDERS, ...more.map(folded)])
  }

  has({ kind, id }: ProfileId): boolean {
    const text = folded(id)
    if (this.#texts.has(text)) return true
    const letters = text.replaceAll(/[\s_:.-]/gu, '')
    // A user may well have the number 7 or 22. A device never has an id of one character.
    const isOneCharacter = kind === 'anonymous' ? /^(.)\1*$/su : /^(?:0+|(\D)\1{2,})$/su
    return letters === '' || isOneCharacter.test(letters)
  }
}

function folded(text: string): string {
  return text.trim().toLowerCase()
}
