import { code, formatCount, list, plain, table } from '../../../docs/generator/markdown.ts'
import { ALL_LIBRARIES } from '../libraries/all.ts'
import type { Library } from '../libraries/library.ts'
import { SCENARIO_NAMES, type ScenarioName } from '../scenarios/scenario-names.ts'
import { readResults, resultsOf } from './stored-results.ts'
import type { LibraryResult } from './result.ts'

type Counted = Exclude<keyof LibraryResult, 'language' | 'library' | 'version' | 'scenario'>

/** The columns with figures, and their meanings. */
const COLUMNS: Readonly<Record<Counted, readonly [head: string, meaning: string]>> = {
  made: ['calls', 'calls made with the library'],
  stored: ['200', 'calls that got a 200'],
  delivered: ['delivered', 'of these, calls that arrived at the webhook with the correct values'],
  declined: ['declined', 'of these, calls whose own `integrations` exclude webhooks'],
  lost: ['lost', 'of these, all other calls'],
  refused: [
    'refused',
    'calls that Hookline rejected, for example because of an unknown write key or their size',
  ],
  failedPermanently: [
    'failed',
    'calls that the library dropped, never sent, or retried without a response until it stopped',
  ],
  duplicates: ['duplicates', 'deliveries that arrived twice, always with the same `webhook-id`'],
  verified: ['verified', 'deliveries, each with two valid signatures'],
}
const COUNTED = Object.keys(COLUMNS) as Counted[]

/**
 * The results for every library whose last full run passed, as a page.
 * @throws {Error} if there are no results
 */
export function resultsPage(): string {
  const kept = readResults()
  const tested = ALL_LIBRARIES.flatMap((library) => {
    const results = resultsOf(library, kept).filter((result) => result !== undefined)
    return results.length === 0 ? [] : [{ library, results }]
  })
  if (tested.length === 0) throw new Error('No results yet. First run: npm run test:compat')
  const languages = [...Map.groupBy(tested, ({ library }) => library.language)]
  const all = tested.flatMap(({ results }) => results)
  const sum = (name: Counted): string => formatCount(total(all, name))
  const blocks = [
    '# Tested client libraries',
    `\`npm run test:compat\` runs ${tested.length} unmodified versions of client libraries against \`hookline start\`. It installs them from their registries, or sends their recorded requests if it cannot install them. A proxy records every byte, and a receiver verifies every signature. A run fails if a call that got a 200 is neither delivered nor declined, if a value, a timestamp or a signature differs, or if a delivery is repeated with another \`webhook-id\`. This page shows the last stored run of each language.`,
    `Of ${sum('made')} calls, ${sum('stored')} got a 200: ${sum('delivered')} were delivered, ${sum('declined')} declined, and **${sum('lost')} lost**. ${sum('duplicates')} were delivered twice.`,
    '## Columns',
    table(['column', 'meaning'], Object.values(COLUMNS)),
    '## Scenarios',
    table(
      ['scenario', 'calls'],
      Object.entries(SCENARIO_NAMES).map(([name, calls]) => [name, calls]),
    ),
    ...languages.flatMap(([language, ofLanguage]) => [
      `## ${language}`,
      table(
        ['library', 'scenario', ...COUNTED.map((name) => COLUMNS[name][0])],
        ofLanguage.flatMap(({ library, results }) => results.map((each) => row(library, each))),
      ),
      ...notesOf(ofLanguage.map(({ library }) => library)),
    ]),
  ]
  return `${blocks.join('\n\n')}\n`
}

function row({ name, version }: Library, result: LibraryResult): string[] {
  const figures = COUNTED.map((each) => formatCount(result[each]))
  return [`${code(name)} ${version}`, result.scenario, ...figures]
}

/** Why a library is missing from a scenario, or drops calls in it. */
function notesOf(libraries: readonly Library[]): string[] {
  const notes = libraries.flatMap(({ name, version, without = {}, dropsCallsIn = {} }) =>
    Object.entries({ ...without, ...dropsCallsIn }).map(([scenario, reason]) => ({
      scenario: scenario as ScenarioName,
      reason,
      library: `${code(name)} ${version}`,
    })),
  )
  const alike = Map.groupBy(notes, ({ scenario, reason }) => `${scenario}: ${plain(reason)}`)
  if (alike.size === 0) return []
  return [
    list(
      [...alike].map(([text, of]) => {
        const named = of.length === libraries.length ? 'all' : of.map(({ library }) => library)
        return `${text} (${named === 'all' ? named : named.join(', ')})`
      }),
    ),
  ]
}

function total(results: readonly LibraryResult[], name: Counted): number {
  return results.reduce((sum, result) => sum + result[name], 0)
}
