import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hooklineGo, segmentAnalyticsGo3 } from './adapters/go-libraries.ts'
import { hooklineClient } from './adapters/hookline-client.ts'
import { segmentAnalyticsNode } from './adapters/segment-analytics-node.ts'
import { BEHAVIOURS, CLIENTS, CLIENTS_PAGE, clientsPage, UNMEASURED } from './suite.ts'

describe('@hookline/client', () => {
  test.concurrent.for(UNMEASURED)('$name', ({ check }) => check(hooklineClient))
})

test('the versions of analytics-node and analytics-go 3 are the installed ones', () => {
  const require = createRequire(import.meta.url)
  const { name, version } = segmentAnalyticsNode
  const manifest = join(dirname(require.resolve(name)), '../../package.json')
  expect(JSON.parse(readFileSync(manifest, 'utf8'))).toMatchObject({ name, version })
  const goModule = readFileSync(new URL('adapters/go/go.mod', import.meta.url), 'utf8')
  expect(goModule).toContain(`analytics-go/v3 v${segmentAnalyticsGo3.version}`)
})

describe(CLIENTS_PAGE, () => {
  const page = readFileSync(new URL(`../../${CLIENTS_PAGE}`, import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| (.+?) \|((?: (?:yes|\*\*no\*\*) \|)+)$/gm)]
  const cells = (row: string) => row.split('|').map((cell) => cell.trim())

  test.for([hooklineClient, hooklineGo])('says yes to every behaviour of $name', (client) => {
    const column = rows.map(([, , row]) => cells(row!)[CLIENTS.indexOf(client)])
    expect(column).toEqual(BEHAVIOURS.map(() => 'yes'))
  })

  test('is up to date, apart from the results of the other clients', () => {
    const results = new Map(
      CLIENTS.map((client, column) => [
        client,
        new Map(rows.map(([, name, row]) => [name!, cells(row!)[column] === 'yes'])),
      ]),
    )
    expect(page, 'run "npm run docs:clients"').toBe(clientsPage(results))
  })
})
