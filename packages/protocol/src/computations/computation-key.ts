import { LIMITS } from '../limits.ts'

// Not shown by themselves: joiners, variation selectors, soft hyphens.
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu
// orderCompleted, orders30Days
const AFTER_SMALL = /([\p{Ll}\p{N}]\p{M}*)(?=\p{Lu})/gu
// HTTPServer. One small letter is no word: VIPs, userIDs.
const BEFORE_WORD = /(\p{Lu}\p{M}*)(?=\p{Lu}\p{M}*\p{Ll}\p{M}*\p{Ll})/gu
// Many scripts write vowels as marks. A mark belongs to the letter before it: without one, it is no part of a word.
const BETWEEN_WORDS = /(?:[^\p{L}\p{N}\p{Mn}\p{Mc}][\p{Mn}\p{Mc}]*)+|^[\p{Mn}\p{Mc}]+/gu

// With the longest code points and their underscores, still within the limit.
const MOST_CODE_POINTS = 12

/**
 * The key of an audience or a computed trait with this name: snake_case, `New VIPs` is `new_vips`. Letters and digits of
 * all scripts are kept. A name without any, such as 🎉, becomes its code points: `u1f389`. Defined for every text, never
 * empty, at most `LIMITS.keyCharacters` long, and a key is its own key.
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

/** Cuts no character in two, and leaves no underscore at the end. */
function withinLimit(key: string): string {
  if (key.length <= LIMITS.keyCharacters) return key
  return key
    .slice(0, LIMITS.keyCharacters)
    .replace(/[\ud800-\udbff]$/, '')
    .replace(/_$/, '')
}

function codePointsOf(name: string): string {
  const codes = Array.from(name).slice(0, MOST_CODE_POINTS)
  return codes.map((each) => `u${each.codePointAt(0)!.toString(16)}`).join('_') || 'unnamed'
}
