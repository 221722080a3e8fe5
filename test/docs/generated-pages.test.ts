import { ATTEMPT_CLASSES, DECLINE_REASONS, INGEST_CODES } from '@hookline/protocol'
import { describe, expect, it } from 'vitest'
import { GENERATED_PAGES } from '../../docs/generator/pages.ts'
import { MISSING_CAUSES } from '../../packages/server/src/admin/events/why-missing.ts'
import { TRACE_FINDINGS, UNDECIDED_REASONS } from '../../packages/server/src/admin/events/trace.ts'
import { PROBLEM_CODES } from '../../packages/server/src/admin/problems/problem-codes.ts'
import { flagOf } from '../../packages/server/src/config.ts'
import { type SettingName, SETTINGS } from '../../packages/server/src/settings.ts'
import { readRepositoryFile } from '@hookline/testing/repository'

describe('the generated pages', () => {
  it.for(GENERATED_PAGES)('$path matches the code', async ({ path, render }) => {
    expect(readRepositoryFile(path), `${path} is out of date: run "npm run docs"`).toBe(
      await render(),
    )
  })
})

// These tests read the pages themselves, so that they also find mistakes in the generator.
describe('docs/reference/errors.md', () => {
  it.for([
    { section: 'Ingestion API error codes', known: INGEST_CODES },
    { section: 'Management API error codes', known: PROBLEM_CODES },
    {
      section: 'Why an event was not delivered to a destination',
      known: { ...DECLINE_REASONS, ...UNDECIDED_REASONS },
    },
    { section: 'Notes about an event', known: TRACE_FINDINGS },
    { section: 'Why an event is missing', known: MISSING_CAUSES },
    { section: 'Attempt classes', known: ATTEMPT_CLASSES },
  ])('"$section" lists each code once, and no others', ({ section, known }) => {
    expect(firstCells(sectionOf(readRepositoryFile('docs/reference/errors.md'), section))).toEqual(
      Object.keys(known),
    )
  })
})

describe('docs/reference/config.md', () => {
  it('lists each setting once, and no others', () => {
    const flags = Object.keys(SETTINGS).map((name) => flagOf(name as SettingName))
    expect(firstCells(readRepositoryFile('docs/reference/config.md'))).toEqual(flags)
  })
})

describe('docs/reference/cli.md', () => {
  it.for(['start', 'doctor'])('refers to the settings in `%s`, and lists none of them', (name) => {
    const flags = Object.keys(SETTINGS).map((setting) => flagOf(setting as SettingName))
    const section = sectionOf(readRepositoryFile('docs/reference/cli.md'), `\`hookline ${name}\``)
    expect(section).toContain('a flag for each of the [settings](config.md)')
    const options = firstCells(section).map((cell) => cell.split(' ')[0]!)
    expect(options.filter((option) => flags.includes(option))).toEqual([])
  })
})

function sectionOf(page: string, title: string): string {
  const sections = page.split(/^## /m)
  return sections.find((section) => section.startsWith(`${title}\n`)) ?? ''
}

function firstCells(text: string): string[] {
  return [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, cell]) => cell!)
}
