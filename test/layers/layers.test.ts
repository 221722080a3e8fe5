import { beforeAll, describe, expect, it } from 'vitest'
import { allowedArrows, arrowPlants } from './arrow-plants.ts'
import { detourPlants } from './detour-plants.ts'
import { ALLOWED_HABITS, HABIT_PLANTS } from './habit-plants.ts'
import { allowedPackages, packagePlants } from './package-plants.ts'
import type { Allowed, Plant } from './plant.ts'
import { type Lines, linesOf, lint, type Report, type Text } from './planted-tree.ts'

const PLANTS: readonly Plant[] = [
  ...arrowPlants(),
  ...detourPlants(),
  ...packagePlants(),
  ...HABIT_PLANTS,
]
const INNOCENTS: readonly Allowed[] = [
  ...PLANTS.flatMap(({ file, innocentFile, rule, innocent }) =>
    innocent === undefined ? [] : [{ file: innocentFile ?? file, rule, innocent }],
  ),
  ...allowedArrows(),
  ...allowedPackages(),
  ...ALLOWED_HABITS,
]

const planted = PLANTS.map(({ file, violation }) => ({ file, text: violation }))
const innocent = INNOCENTS.map(({ file, innocent: text }) => ({ file, text }))

describe('the linter', () => {
  let plantedReports: Reported
  let innocentReports: Reported

  beforeAll(async () => {
    const [inPlanted, inInnocent] = await Promise.all([lint(planted), lint(innocent)])
    plantedReports = new Reported(inPlanted)
    innocentReports = new Reported(inInnocent)
  })

  it.for(byFile(PLANTS, planted))('reports whatever is planted in $file', ({ rows }) => {
    const missed = rows.filter((plant) => !plantedReports.has(plant))
    expect(missed.map(({ rule, violation }) => `${rule}: ${violation}`)).toEqual([])
  })

  it.for(byFile(INNOCENTS, innocent))('does not report what is allowed in $file', ({ rows }) => {
    const wronged = rows.filter((row) => innocentReports.has(row))
    expect(wronged.map((row) => `${row.rule}: ${row.innocent}`)).toEqual([])
  })
})

/** What was reported, by place: there are thousands. */
class Reported {
  readonly #places: ReadonlySet<string>

  constructor(reports: readonly Report[]) {
    this.#places = new Set(reports.map(({ file, rule, line }) => `${file} ${rule} ${line}`))
  }

  has({ file, rule, first, last }: Lines & Pick<Report, 'file' | 'rule'>): boolean {
    const lines = Array.from({ length: last - first + 1 }, (_, index) => first + index)
    return lines.some((line) => this.#places.has(`${file} ${rule} ${line}`))
  }
}

/** Rows with their lines, all of a file together. */
function byFile<Row extends { readonly file: string }>(
  rows: readonly Row[],
  texts: readonly Text[],
): { file: string; rows: (Row & Lines)[] }[] {
  const lines = linesOf(texts)
  const placed = rows.map((row, index) => ({ ...row, ...lines[index]! }))
  const files = Map.groupBy(placed, ({ file }) => file)
  return [...files].map(([file, ofFile]) => ({ file, rows: ofFile }))
}
