import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { skipOrFail } from '@hookline/testing/run/skip-or-fail'
import { judge, type Judgement } from '../harness/judge.ts'
import { writeResults, scenariosOf } from '../harness/stored-results.ts'
import type { LibraryResult } from '../harness/result.ts'
import { TestedService } from '../harness/tested-service.ts'
import { observe } from '../scenarios/observe.ts'
import type { ScenarioName } from '../scenarios/scenario-names.ts'
import { SCENARIOS } from '../scenarios/scenarios.ts'
import { installedFolder, missingProgram } from './installed-folder.ts'
import type { Library } from './library.ts'

const INSTALLED_WITHIN_MS = 600_000
/** In the short form, these run only for the first library of each family. */
const LONG: readonly ScenarioName[] = ['skew', 'large-batch', 'outage', 'kill']
const IS_SHORT = process.env['HOOKLINE_TEST_SHORT'] === '1'
/** The smoke test runs one library of each language. */
const IS_SMOKE = process.env['HOOKLINE_TEST_SMOKE'] === '1'
const SMOKE: readonly ScenarioName[] = ['batch', 'wrong-key']

/** Runs every scenario with each library of a language. The libraries share one installation. */
export function testLibraries(language: string, libraries: readonly Library[]): void {
  describe(language, () => {
    const results: LibraryResult[] = []
    let place: TestPlace | undefined
    let missing: string | undefined
    beforeAll(async () => {
      const [{ installation }] = libraries as [Library]
      missing = await missingProgram(installation)
      if (missing === undefined) place = await TestPlace.open(await installedFolder(installation))
    }, INSTALLED_WITHIN_MS)
    afterAll(async () => {
      await place?.[Symbol.asyncDispose]()
      await writeResults(language, libraries, results)
    })

    // Vitest would truncate a title that it formats itself.
    const runs = (IS_SMOKE ? libraries.slice(0, 1) : libraries).flatMap((library) =>
      runsOf(library, libraries),
    )
    test.concurrent.for(runs.map(({ title, ...run }) => [title, run] as const))(
      '%s',
      async ([, run], { skip }) => {
        const { library, scenario } = run
        if (place === undefined) {
          return skipOrFail(`${missing} for ${language}`, 'HOOKLINE_REQUIRE_CLIENTS', skip)
        }
        const { result, faults, reports } = await place.run(library, scenario)
        expect(faults, reports).toEqual([])
        results.push(result)
      },
    )
  })
}

interface TestedRun {
  readonly title: string
  readonly library: Library
  readonly scenario: ScenarioName
}

function runsOf(library: Library, libraries: readonly Library[]): TestedRun[] {
  const { name, version, family } = library
  const isFirst = libraries.find((each) => each.family === family) === library
  return scenariosOf(library)
    .filter((scenario) => !IS_SHORT || isFirst || !LONG.includes(scenario))
    .filter((scenario) => !IS_SMOKE || SMOKE.includes(scenario))
    .map((scenario) => ({ title: `${name} ${version}: ${scenario}`, library, scenario }))
}

/** The services that the libraries of a language share. Scenarios that kill the service get a new one. */
class TestPlace implements AsyncDisposable {
  readonly #folder: string
  readonly #service: TestedService
  readonly #skewed: TestedService

  private constructor(folder: string, service: TestedService, skewed: TestedService) {
    this.#folder = folder
    this.#service = service
    this.#skewed = skewed
  }

  static async open(folder: string): Promise<TestPlace> {
    const { aheadMs = 0 } = SCENARIOS.skew
    return new TestPlace(folder, await TestedService.open(), await TestedService.open({ aheadMs }))
  }

  async run(library: Library, name: ScenarioName): Promise<Judgement> {
    const { kills, aheadMs } = SCENARIOS[name]
    const folder = this.#folder
    if (kills !== true) {
      const service = aheadMs === undefined ? this.#service : this.#skewed
      return judge(await observe(library, name, { folder, service }))
    }
    await using service = await TestedService.open()
    return judge(await observe(library, name, { folder, service }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service[Symbol.asyncDispose]()
    await this.#skewed[Symbol.asyncDispose]()
  }
}
