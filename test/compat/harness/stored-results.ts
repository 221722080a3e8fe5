import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import type { Library } from '../libraries/library.ts'
import { SCENARIO_NAMES, type ScenarioName } from '../scenarios/scenario-names.ts'
import type { LibraryResult } from './result.ts'

/** Ignored by git: figures from one run on one machine. */
export const RESULTS = new URL('../../../node_modules/.cache/compat/', import.meta.url)

export function scenariosOf({ without }: Library): ScenarioName[] {
  const all = Object.keys(SCENARIO_NAMES) as ScenarioName[]
  return all.filter((scenario) => without?.[scenario] === undefined)
}

/** Writes the results for a language, if every scenario of every library ran and passed. */
export async function writeResults(
  language: string,
  libraries: readonly Library[],
  results: readonly LibraryResult[],
): Promise<void> {
  const found = libraries.flatMap((library) => resultsOf(library, results))
  if (found.includes(undefined)) return
  await mkdir(RESULTS, { recursive: true })
  const name = language.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  const lines = found.map((result) => JSON.stringify(result)).join(',\n')
  await writeFile(new URL(`${name}.json`, RESULTS), `[\n${lines}\n]\n`)
}

/** The stored results for all languages. */
export function readResults(): LibraryResult[] {
  const names = existsSync(RESULTS) ? readdirSync(RESULTS) : []
  return names
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => JSON.parse(readFileSync(new URL(name, RESULTS), 'utf8')) as LibraryResult[])
}

/** The result for each scenario that the library runs; `undefined` if it is missing. */
export function resultsOf(
  library: Library,
  results: readonly LibraryResult[],
): (LibraryResult | undefined)[] {
  const { name, version, language } = library
  return scenariosOf(library).map((scenario) =>
    results.find(
      (result) =>
        result.library === name &&
        result.version === version &&
        result.language === language &&
        result.scenario === scenario,
    ),
  )
}
