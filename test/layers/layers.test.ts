import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { allowedArrows, arrowPlants } from './arrow-plants.ts'
import { FILES, FOLDERS } from './direction.ts'
import { ALLOWED_HABITS, HABIT_PLANTS } from './habit-plants.ts'
import { allowedPackages, packagePlants } from './package-plants.ts'
import type { Allowed } from './plant.ts'
import { type Lines, linesOf, lint, type Report } from './planted-tree.ts'
import { SOURCE_RULES } from './source-rules.ts'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))

const PLANTS = [...arrowPlants(), ...packagePlants(), ...HABIT_PLANTS]
const INNOCENTS: readonly Allowed[] = [
  ...PLANTS.map((plant) => ({ ...plant, file: plant.innocentFile ?? plant.file })),
  ...allowedArrows(),
  ...allowedPackages(),
  ...ALLOWED_HABITS,
]

const planted = PLANTS.map(({ file, violation }) => ({ file, text: violation }))
const innocent = INNOCENTS.map(({ file, innocent: text }) => ({ file, text }))

describe('the linter', () => {
  let plantedReports: readonly Report[]
  let innocentReports: readonly Report[]

  beforeAll(async () => {
    plantedReports = await lint(planted)
    innocentReports = await lint(innocent)
  })

  const plantedLines = linesOf(planted)
  it.for(PLANTS.map((plant, index) => ({ ...plant, ...plantedLines[index]! })))(
    'reports by $rule in $file: $violation',
    (plant) => {
      expect(plantedReports.filter((report) => isAbout(report, plant))).not.toEqual([])
    },
  )

  const innocentLines = linesOf(innocent)
  it.for(INNOCENTS.map((row, index) => ({ ...row, ...innocentLines[index]! })))(
    'does not report by $rule in $file: $innocent',
    (row) => {
      expect(innocentReports.filter((report) => isAbout(report, row))).toEqual([])
    },
  )
})

describe('the table of directions', () => {
  it('knows every folder of the server', () => {
    const known: readonly string[] = FOLDERS
    const top = entries('packages/server/src', 'folders')
    const backends = entries('packages/server/src/backend', 'folders')
    const folders = [...top, ...backends.map((name) => `backend/${name}`)]
    expect(folders.filter((folder) => !known.includes(folder))).toEqual([])
  })

  it('knows every file beside service.ts', () => {
    const known: readonly string[] = FILES
    const files = entries('packages/server/src', 'files')
    expect(files.filter((file) => !known.includes(file))).toEqual([])
  })
})

describe.for(SOURCE_RULES)(
  'every source file $name',
  ({ breaks, planted: broken, innocent: whole }) => {
    it('or the rule would not see a planted violation', () => {
      expect([breaks(...broken), breaks(...whole)]).toEqual([true, false])
    })

    it('in the whole repository', () => {
      const offenders = sources().filter(([path, text]) => breaks(path, text))
      expect(offenders.map(([path]) => path)).toEqual([])
    })
  },
)

function isAbout(report: Report, place: Lines & Pick<Report, 'file' | 'rule'>): boolean {
  const inLines = report.line >= place.first && report.line <= place.last
  return inLines && report.file === place.file && report.rule === place.rule
}

function entries(folder: string, kind: 'files' | 'folders'): string[] {
  return readdirSync(join(REPOSITORY, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() === (kind === 'folders'))
    .map(({ name }) => name)
}

/** Path and text of every source file that is the project's own. */
function sources(): [path: string, text: string][] {
  return ['packages', 'test', 'bench', 'docs']
    .flatMap((folder) => filesBelow(join(REPOSITORY, folder)))
    .filter((path) => /\.(?:ts|tsx)$/.test(path))
    .map((path) => [relative(REPOSITORY, path), readFileSync(path, 'utf8')])
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules' && name !== 'dist')
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? filesBelow(path) : [path]
    })
}
