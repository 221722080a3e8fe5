import { code, grouped, list, plain, table } from '../../../docs/generator/markdown.ts'
import { ALL_LIBRARIES } from '../libraries/all.ts'
import type { Library } from '../libraries/library.ts'
import { SCENARIO_NAMES, type ScenarioName } from '../scenarios/scenario-names.ts'
import { readResults, resultsOf } from './kept-results.ts'
import type { Result } from './result.ts'

type Counted = Exclude<keyof Result, 'language' | 'library' | 'version' | 'scenario'>

/** The columns of figures, with what each counts. */
const COLUMNS: Readonly<Record<Counted, readonly [head: string, meaning: string]>> = {
  made: ['calls', 'calls that the program made with the library'],
  stored: ['200', 'of these, those that Hookline responded 200 to'],
  delivered: [
    'delivered',
    'of those, the ones that arrived at the webhook, with the values of the call',
  ],
  declined: ['declined', 'of those, the ones that their own `integrations` keep from webhooks'],
  lost: ['lost', 'of those, all others'],
  refused: ['refused', 'calls that Hookline refused with a code: a wrong key, a size'],
  givenUp: [
    'given up',
    'calls that the library dropped, never sent, or sent without a response until its retries ended',
  ],
  duplicates: ['twice', 'deliveries that came again, always with the same `webhook-id`'],
  verified: ['verified', 'deliveries, each with two valid signatures'],
}
const COUNTED = Object.keys(COLUMNS) as Counted[]

/**
 * The results of every library whose last full run passed, as a page.
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
  const sum = (name: Counted): string => grouped(total(all, name))
  const blocks = [
    '# Tested client libraries',
    `In the last full runs, ${tested.length} versions of client libraries made ${sum('made')} calls. ${sum('stored')} of them got a 200: ${sum('delivered')} were delivered, ${sum('declined')} declined, and **${sum('lost')} lost**. ${sum('duplicates')} were delivered twice.`,
    table(['column', 'meaning'], Object.values(COLUMNS)),
    table(['scenario', 'calls'], Object.entries(SCENARIO_NAMES)),
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

function row({ name, version }: Library, result: Result): string[] {
  const figures = COUNTED.map((each) => grouped(result[each]))
  return [`${code(name)} ${version}`, result.scenario, ...figures]
}

/** Why a library takes no part in a scenario, or drops calls in it. */
function notesOf(libraries: readonly Library[]): string[] {
  const notes = libraries.flatMap(({ name, version, without = {}, givesUp = {} }) =>
    Object.entries({ ...without, ...givesUp }).map(([scenario, reason]) => ({
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

function total(results: readonly Result[], name: Counted): number {
  return results.reduce((sum, result) => sum + result[name], 0)
}
