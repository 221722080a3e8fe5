import { readResults, resultsOf } from '../../test/compat/harness/kept-results.ts'
import type { Result } from '../../test/compat/harness/result.ts'
import { ALL_LIBRARIES } from '../../test/compat/libraries/all.ts'
import type { Library } from '../../test/compat/libraries/library.ts'
import { SCENARIO_NAMES, type ScenarioName } from '../../test/compat/scenarios/scenario-names.ts'
import { code, grouped, list, page, plain, table } from './markdown.ts'

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

/** docs/clients/results.md: what real client libraries and Hookline did together. */
export function clientResultsPage(): string {
  const kept = readResults()
  const tested = ALL_LIBRARIES.map((library) => ({ library, results: completeOf(library, kept) }))
  const languages = [...Map.groupBy(tested, ({ library }) => library.language)]
  const all = tested.flatMap(({ results }) => results)
  const sum = (name: Counted): string => grouped(total(all, name))
  return page(
    '# Tested client libraries',
    `\`npm run test:compat\` drives ${tested.length} versions of client libraries against \`hookline start\`, unmodified: it installs them from their registries, or sends the recorded bytes of those that no registry in its reach has. A proxy records every byte, and a receiver verifies every signature. This page is made from the last kept run of each language. Each run fails where a call that got a 200 is neither delivered nor declined, where a value, a timestamp or a signature differs, or where a delivery comes twice with another \`webhook-id\`.`,
    `In these runs, ${sum('made')} calls were made. ${sum('stored')} of them got a 200: ${sum('delivered')} were delivered, ${sum('declined')} declined, and **${sum('lost')} lost**. ${sum('duplicates')} came twice.`,
    '## What the columns count',
    table(['column', 'meaning'], Object.values(COLUMNS)),
    '## What happens in each scenario',
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
  )
}

function completeOf(library: Library, kept: readonly Result[]): Result[] {
  const results = resultsOf(library, kept)
  if (!results.includes(undefined)) return results as Result[]
  const named = `${library.name} ${library.version}`
  throw new Error(`no results of ${named}: HOOKLINE_KEEP_RESULTS=1 npm run test:compat`)
}

function row({ name, version }: Library, result: Result): string[] {
  const figures = COUNTED.map((each) => grouped(result[each]))
  return [`${code(name)} ${version}`, result.scenario, ...figures]
}

/** Why a library is missing from a scenario, or gives calls up in it. */
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
