import { LIMITS } from '../limits.ts'

// Joiners, variation selectors, soft hyphens.
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu
// orderCompleted, orders30Days
const AFTER_SMALL = /([\p{Ll}\p{N}]\p{M}*)(?=\p{Lu})/gu
// HTTPServer. A single lowercase letter is not a word: VIPs, userIDs.
const BEFORE_WORD = /(\p{Lu}\p{M}*)(?=\p{Lu}\p{M}*\p{Ll}\p{M}*\p{Ll})/gu
// Combining marks (vowels in many scripts) belong to the preceding letter; a mark with no letter before it separates words.
const BETWEEN_WORDS = /(?:[^\p{L}\p{N}\p{Mn}\p{Mc}][\p{Mn}\p{Mc}]*)+|^[\p{Mn}\p{Mc}]+/gu

// Within the limit even with the longest code points and their underscores.
const MAX_CODE_POINTS = 12

/**
 * The key of an audience or a computed trait: its name in snake_case, so `New VIPs` becomes `new_vips`. Letters and digits
 * of all scripts are kept. A name without any, such as 🎉, becomes its code points: `u1f389`. Defined for every string,
 * never empty, at most `LIMITS.keyCharacters` long, and idempotent.
 */
export function keyOfName(name: string): string {
  return withinLimit(snakeCase(name)) || codePointsOf(name)
}

function snakeCase(name: string): string {
  return name
    .replaceAll(INVISIBLE, '')
    .normalize('NFKC')
    .replaceAll(AFTER_SMALL, '$1_')
    .replaceAll(BEFORE_WORD, '$1_')
    .toLowerCase()
    .normalize('NFKC')
    .replaceAll(BETWEEN_WORDS, '_')
    .replaceAll(/^_+|_+$/g, '')
}

/** Truncates the key without splitting a character or leaving an underscore at the end. */
function withinLimit(key: string): string {
  if (key.length <= LIMITS.keyCharacters) return key
  return key
    .slice(0, LIMITS.keyCharacters)
    .replace(/[\ud800-\udbff]$/, '')
    .replace(/_$/, '')
}

function codePointsOf(name: string): string {
  const codes = Array.from(name).slice(0, MAX_CODE_POINTS)
  return codes.map((each) => `u${each.codePointAt(0)!.toString(16)}`).join('_') || 'unnamed'
}
