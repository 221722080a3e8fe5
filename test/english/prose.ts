import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { REPOSITORY } from '@hookline/testing/repository'

// node test/english/prose.ts [PATH…]: counts stilted phrases in comments, texts and pages, and fails if a folder has too many.

/** Per 1,000 words in a folder. */
const MAX_HITS = 2
/** A shorter folder may have one hit. */
const MIN_WORDS = 500
const PATHS = [
  'packages',
  'clients',
  'docs',
  'bench',
  'test',
  'release',
  'layers',
  'deploy',
  'examples',
]
const SKIPPED = new Set(['node_modules', 'generated', 'dist', 'screens', 'results'])

/** Each phrase, with advice for a better one. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [
    /\bwhat (?:is|was|are|has|had|waits|ends|comes|came|goes|it|they|this|that|of|people|stands|would|can|may|must|does|did|became)\b/gi,
    'name the thing: "the backlog", not "what waits"',
  ],
  [/\b(?:whoever|nobody|somebody|whatever|whichever)\b/gi, 'name the person or the thing'],
  [/\bof (?:its|their|his|her|our|your) own\b/gi, 'its own, separate, dedicated'],
  [
    /\b(?:is|are|was|were|be) told\b|\btells? (?:of|what|that|why|how|it|each)\b/gi,
    'report, publish, notify',
  ],
  [/\bin place of\b/gi, 'instead of'],
  [/\bso many\b|\bafter so long\b/gi, 'this many'],
  [/\ball the same\b|\banew\b|\bby (?:itself|themselves)\b/gi, 'again, automatically'],
  [/\b(?:comes?|came) again\b|\b(?:go|goes|went) on\b/gi, 'is redelivered, continues'],
  [
    /\b(?:that|those) (?:of|that|which|who|from|in|for)\b/gi,
    'repeat the noun, or use its possessive',
  ],
  [/, too[.,:;]|, too$/gm, 'also, as well'],
  [/\bwhere there (?:is|are|was)\b|\bthere is none\b/gi, 'if there is'],
  [/\bmend(?:s|ed|ing)?\b|\ba damage\b/gi, 'fix, repair, corruption'],
]

interface Folder {
  words: number
  readonly hits: string[]
}

const paths = process.argv.slice(2)
const roots =
  paths.length > 0
    ? paths
    : [...PATHS, ...readdirSync(REPOSITORY).filter((name) => name.endsWith('.md'))]
const folders = new Map<string, Folder>()
for (const root of roots) for (const file of filesOf(resolve(REPOSITORY, root))) count(file)
const tooMany = [...folders].filter(
  ([, { words, hits }]) => (1000 * hits.length) / Math.max(words, MIN_WORDS) > MAX_HITS,
)
for (const [folder, { words, hits }] of tooMany)
  console.log(`${folder}: ${hits.length} stilted phrases in ${words} words\n${hits.join('\n')}`)
process.exitCode = tooMany.length === 0 ? 0 : 1

function filesOf(path: string): string[] {
  if (statSync(path).isFile()) return /\.(?:ts|tsx|md|go)$/.test(path) ? [path] : []
  return readdirSync(path)
    .filter((name) => !SKIPPED.has(name))
    .flatMap((name) => filesOf(join(path, name)))
}

function count(file: string): void {
  const text = proseOf(file, readFileSync(file, 'utf8'))
  const path = relative(REPOSITORY, file)
  const folder = folders.get(dirname(path)) ?? { words: 0, hits: [] }
  folders.set(dirname(path), folder)
  folder.words += text.split(/\s+/).filter((word) => /[a-z]{2}/i.test(word)).length
  for (const [phrase, advice] of PHRASES)
    for (const { index, 0: hit } of text.matchAll(phrase)) {
      const line = text.slice(0, index).split('\n').length
      folder.hits.push(`  ${path}:${line} "${hit.trim()}": ${advice}`)
    }
}

/** The comments, the strings of several words, and the text of pages. Every line keeps its number. */
function proseOf(file: string, text: string): string {
  const blank = (part: string): string => part.replaceAll(/[^\n]/g, ' ')
  if (file.endsWith('.md')) return text.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, blank)
  const parts = /\/\*[\s\S]*?\*\/|(?:^|\s)\/\/.*$|(['"`])((?:\\.|(?!\1)[^\\\n])*)\1/gm
  let prose = ''
  let end = 0
  for (const { index, 0: part, 1: quote, 2: string = '' } of text.matchAll(parts)) {
    const isProse =
      quote === undefined || (/\w+ \w+ \w+ \w+/.test(string) && !/^[A-Z ]{4}/.test(string))
    prose += blank(text.slice(end, index)) + (isProse ? part : blank(part))
    end = index + part.length
  }
  return prose
}
