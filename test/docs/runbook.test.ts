import { describe, expect, it } from 'vitest'
import { readRepositoryFile } from '@hookline/testing/repository'

describe('docs/guides/runbook.md', () => {
  const page = readRepositoryFile('docs/guides/runbook.md')
  const alerts = [...readRepositoryFile('deploy/alerts.yaml').matchAll(/- alert: (\w+)/g)].map(
    ([, name]) => name!,
  )

  it('has a section for each alert, and no other sections', () => {
    const sections = [...page.matchAll(/^## (Hookline\w+)$/gm)].map(([, name]) => name!)
    expect(alerts.length).toBeGreaterThan(8)
    expect(sections.toSorted()).toEqual(alerts.toSorted())
  })

  it('explains the meaning, the checks and the remedy of each alert', () => {
    const [, ...sections] = page.split(/^## (?=Hookline)/m)
    for (const section of sections)
      for (const part of ['**Meaning.**', '**Check**', '**Fix.**'])
        expect(section.split(part), section.split('\n')[0]).toHaveLength(2)
  })
})

describe('docs/guides/sizing.md', () => {
  it('has the figures of docs/explanation/performance.md, with the command that measures them', () => {
    const rows = [
      ...readRepositoryFile('docs/guides/sizing.md').matchAll(
        /^\|.*\| ([\d.,]+).*`npm run bench -- (.+?)`/gm,
      ),
    ]
    expect(rows.length).toBeGreaterThan(5)
    const performance = readRepositoryFile('docs/explanation/performance.md')
    for (const [, figure, name] of rows) {
      const figures = performance.split(`\n| \`${name}\``)[1]?.split(/\n(?:\n|\| `)/)[0]
      expect(figures, name).toMatch(new RegExp(`\\| ${figure!.replaceAll('.', '\\.')} `))
    }
  })
})
