import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hooklineClient } from './adapters/hookline-client.ts'
import { segmentAnalyticsNode } from './adapters/segment-analytics-node.ts'
import { BEHAVIOURS, CLIENTS_PAGE, clientsPage } from './suite.ts'

describe('@hookline/client', () => {
  test.concurrent.for(BEHAVIOURS)('$name', ({ check }) => check(hooklineClient))
})

test('the version of the other client is the installed one', () => {
  const require = createRequire(import.meta.url)
  const { name, version } = segmentAnalyticsNode
  const manifest = join(dirname(require.resolve(name)), '../../package.json')
  expect(JSON.parse(readFileSync(manifest, 'utf8'))).toMatchObject({ name, version })
})

describe(CLIENTS_PAGE, () => {
  const page = readFileSync(new URL(`../../${CLIENTS_PAGE}`, import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| (.+?) \| (yes|\*\*no\*\*) \| (yes|\*\*no\*\*) \|$/gm)]

  test('says that @hookline/client has every behaviour', () => {
    expect(rows.map(([, , ours]) => ours)).toEqual(BEHAVIOURS.map(() => 'yes'))
  })

  test('is up to date, apart from the results of the other client', () => {
    const resultsIn = (cell: number) => new Map(rows.map((row) => [row[1]!, row[cell] === 'yes']))
    const results = new Map([
      [hooklineClient.name, resultsIn(2)],
      [segmentAnalyticsNode.name, resultsIn(3)],
    ])
    expect(page, 'run "npm run docs:clients"').toBe(clientsPage(results))
  })
})
