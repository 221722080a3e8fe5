import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hooklineClient } from './adapters/hookline-client.ts'
import { segmentAnalyticsNode } from './adapters/segment-analytics-node.ts'
import { BEHAVIOURS } from './behaviours/all-behaviours.ts'
import { CLIENTS_PAGE, clientsPage } from './clients-page.ts'

describe('@hookline/client', () => {
  test.for(BEHAVIOURS)('$name', ({ check }) => check(hooklineClient))
})

test('the other client is the version that is installed', () => {
  const require = createRequire(import.meta.url)
  const { name, version } = segmentAnalyticsNode
  const manifest = join(dirname(require.resolve(name)), '../../package.json')
  expect(JSON.parse(readFileSync(manifest, 'utf8'))).toMatchObject({ name, version })
})

describe(CLIENTS_PAGE, () => {
  const page = readFileSync(new URL(`../../${CLIENTS_PAGE}`, import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| (.+?) \| (yes|\*\*no\*\*) \| (yes|\*\*no\*\*) \|$/gm)]

  test('says of @hookline/client that it does all of it', () => {
    expect(rows.map(([, , ours]) => ours)).toEqual(BEHAVIOURS.map(() => 'yes'))
  })

  test('is as it would be generated, but for what the other client was found to do', () => {
    const found = (cell: number) => new Map(rows.map((row) => [row[1]!, row[cell] === 'yes']))
    const results = new Map([
      [hooklineClient.name, found(2)],
      [segmentAnalyticsNode.name, found(3)],
    ])
    expect(page, 'run "npm run docs:clients"').toBe(clientsPage(results))
  })
})
