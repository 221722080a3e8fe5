import { describe, expect, it } from 'vitest'
import { againstBaseline, readBaseline } from '../../bench/report/baseline.ts'
import { type Figure, quantile } from '../../bench/benchmarks/benchmark.ts'
import { plot } from '../../bench/report/plot.ts'
import { readResult } from '../../bench/report/results.ts'
import { shownFigures, SUBJECTS } from '../../docs/generator/performance-page.ts'
import { readRepositoryFile } from '@hookline/testing/repository'

const NAMES = Object.keys(SUBJECTS)

// generated-pages.test.ts checks that the tables and plots match the results.
describe('docs/explanation/performance.md', () => {
  it.for(NAMES)('has the stored figures of %s', (name) => {
    const figures = shownFigures(readResult(name)!)
    const page = readRepositoryFile('docs/explanation/performance.md')
    expect(page).toContain(`\n- \`${name}\`: `)
    const rows = page.split(`\n| \`${name}\``)[1]?.split(/\n(?:\n|\| `)/)[0]
    expect(rows?.split('\n') ?? []).toHaveLength(figures.length)
  })

  it('states for every goal whether it is met', () => {
    const goals = NAMES.flatMap((name) => readResult(name)?.figures ?? []).filter(
      ({ goal }) => goal,
    )
    const page = readRepositoryFile('docs/explanation/performance.md')
    expect(page.match(/, (?:met|\*\*not met\*\*) \|$/gm)).toHaveLength(goals.length)
  })
})

describe('the baseline for quick runs in CI', () => {
  it('has each figure with a goal', () => {
    const baseline = readBaseline()
    for (const name of NAMES) {
      const goals = readResult(name)!.figures.filter(({ goal }) => goal)
      expect(Object.keys(baseline[name] ?? {})).toEqual(goals.map((figure) => figure.name))
    }
  })

  const figure = (value: number, goal: NonNullable<Figure['goal']>): Figure[] => [
    { name: 'x', unit: '', values: [value], goal },
  ]

  it.for([
    { what: 'half of the rate', now: 0.5, goal: { atLeast: 2 }, ratio: 0.5, isBroken: false },
    { what: 'a fifth of the rate', now: 0.2, goal: { atLeast: 2 }, ratio: 0.2, isBroken: true },
    {
      what: 'a fifth of a rate beyond its goal',
      now: 0.2,
      goal: { atLeast: 0.5 },
      ratio: 0.2,
      isBroken: false,
    },
    { what: 'five times as late', now: 5, goal: { atMost: 0.5 }, ratio: 0.2, isBroken: false },
    { what: 'twenty times as late', now: 20, goal: { atMost: 0.5 }, ratio: 0.05, isBroken: true },
    { what: 'a missing figure', now: NaN, goal: { atMost: 9 }, ratio: NaN, isBroken: true },
  ])('shows $what as broken: $isBroken', ({ now, goal, ratio, isBroken }) => {
    const compared = againstBaseline(figure(now, goal), { x: 1 })
    expect(compared).toEqual([{ name: 'x', ratio, isBroken }])
  })

  it('ignores unknown figures', () => {
    expect(againstBaseline(figure(1, { atLeast: 1 }), {})).toEqual([])
  })
})

describe('a quantile', () => {
  it('is interpolated between two values', () => {
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5)
    expect(quantile([7], 0.99)).toBe(7)
  })
})

describe('a plot', () => {
  it('shows each point at the height of its median, and escapes markup in names', () => {
    const points = [
      { x: 1, values: [500, 1000, 1500] },
      { x: 10, values: [500, 500, 500] },
    ]
    const svg = plot({ name: 'p', title: 'a < b', x: 'x', y: 'y', points })
    const heights = [...svg.matchAll(/<circle [^>]*cy="([\d.]+)"/g)].map(([, cy]) => Number(cy))
    const zero = 244
    expect(heights).toHaveLength(2)
    expect((zero - heights[0]!) / (zero - heights[1]!)).toBeCloseTo(2)
    expect(svg).toContain('a &lt; b')
  })
})
