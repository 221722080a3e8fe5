import { mkdir, writeFile } from 'node:fs/promises'
import type { Library } from '../libraries/library.ts'
import { SCENARIO_NAMES, type ScenarioName } from '../scenarios/scenario-names.ts'
import type { Result } from './result.ts'

const RESULTS = new URL('../results/', import.meta.url)

/** Writes what a language came to, with `HOOKLINE_KEEP_RESULTS=1`, if every scenario of every library passed. */
export async function keepResults(
  language: string,
  libraries: readonly Library[],
  results: readonly Result[],
): Promise<void> {
  if (process.env['HOOKLINE_KEEP_RESULTS'] !== '1') return
  const scenarios = Object.keys(SCENARIO_NAMES) as ScenarioName[]
  const ordered = libraries.flatMap((library) =>
    scenarios
      .filter((scenario) => library.without?.[scenario] === undefined)
      .map((scenario) => results.find((result) => isOf(result, library, scenario))),
  )
  if (ordered.includes(undefined)) return
  await mkdir(RESULTS, { recursive: true })
  const name = language.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  await writeFile(new URL(`${name}.json`, RESULTS), `${JSON.stringify(ordered, null, 2)}\n`)
}

function isOf(result: Result, { name, version }: Library, scenario: ScenarioName): boolean {
  return result.library === name && result.version === version && result.scenario === scenario
}
