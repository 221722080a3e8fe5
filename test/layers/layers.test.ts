import { beforeAll, describe, expect, it } from 'vitest'
import { lint } from './planted-tree.ts'
import { PLANTS } from './plants.ts'

describe('the linter', () => {
  let reports: ReadonlySet<string>

  beforeAll(async () => {
    reports = await lint(PLANTS.flatMap(({ violation, innocent }) => [violation, innocent]))
  }, 300_000)

  it.for(PLANTS)(
    'reports $rule in $violation.0, and not in $innocent.0',
    ({ rule, violation, innocent }) => {
      const reported = [violation, innocent].map(([path]) => reports.has(`${rule} ${path}`))
      expect(reported).toEqual([true, false])
    },
  )
})
